/**
 * A process of its own with a limiter on Redis. It prints `ready`; told to go on by a line, it asks for requests all at
 * once, prints how many it got, and holds them.
 */
import { once } from 'node:events';
import { systemClock } from '../../../src/base/clock.ts';
import { openLog } from '../../../src/base/log.ts';
import type { LimitedCaller } from '../../../src/limits/limiter.ts';
import { RedisLimiter } from '../../../src/limits/redis-limiter.ts';

/** As JSON in the first argument. */
export interface LimiterJob {
  readonly url: string;
  readonly prefix: string;
  readonly leaseMs: number;
  readonly caller: LimitedCaller;
  readonly requests: number;
  readonly tokens: number;
}

const noLimits = { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null };

if (import.meta.main) {
  const job: LimiterJob = JSON.parse(process.argv[2] ?? '');
  const limiter = await RedisLimiter.open({
    ...job,
    clock: systemClock,
    log: openLog({ level: 'silent' }),
    timeoutMs: 20_000,
    // Nothing is won back, however long the processes take.
    readMs: () => 1_000_000,
  });
  const countedBy = async () => (await limiter.stateOf(1, job.caller.keyLimits ?? noLimits)).countedBy;
  // On a busy machine the first attempt to connect may fail.
  while ((await countedBy()) !== 'shared') await systemClock.sleep(5);
  process.stdout.write('ready\n');
  await once(process.stdin, 'data');
  const asked = Array.from({ length: job.requests }, async () => {
    const ticket = await limiter.admit(job.caller);
    await ticket.reserve(job.tokens);
  });
  const got = (await Promise.allSettled(asked)).filter(({ status }) => status === 'fulfilled').length;
  process.stdout.write(`${await countedBy()} ${got}\n`);
  // Until it is killed.
  setInterval(() => undefined, 60_000);
}
