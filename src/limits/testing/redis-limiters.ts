/** Limiters on Redis for tests, the servers that those do what they like with, and what is asked of them. */
import { afterEach } from 'bun:test';
import { type OwnRedis, startOwnRedis } from '../../../test/support/redis.ts';
import { type RedisProxy, startRedisProxy } from '../../../test/support/redis-proxy.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { ManualClock } from '../../base/testing/manual-clock.ts';
import { silentLog } from '../../base/testing/silent-log.ts';
import type { LimitedCaller, Limits } from '../limiter.ts';
import { RedisLimiter, type RedisLimiterOptions } from '../redis-limiter.ts';
import { keyWith, unlimited } from './limited.ts';

/** A busy machine is not what most of these are about: how long a call may take, and all that a test waits for. */
export const patientMs = 15_000;
/** Its timers are real, but nothing is won back while a test takes its time. */
export const stillClock: Clock = {
  ...systemClock,
  monotonicMs: () => 1_000_000,
  // To connect it has as long as a call.
  after: (delayMs, run) => systemClock.after(delayMs === 1000 ? patientMs : delayMs, run),
};

/** Key 1 of user 1, with these limits and no others. */
export const limitedBy = (limits: Partial<Limits>): LimitedCaller => keyWith({ ...unlimited, ...limits });

export const newPrefix = () => `sluice-test:${crypto.randomUUID()}:`;

export const countedBy = async (limiter: RedisLimiter) => (await limiter.stateOf(1, unlimited)).countedBy;

const aMoment = () => new Promise((resolve) => setTimeout(resolve, 5));

export async function until(isSo: () => Promise<boolean>): Promise<void> {
  const latestMs = performance.now() + patientMs;
  while (!(await isSo())) {
    if (performance.now() > latestMs) throw new Error(`it has not come about within ${patientMs} ms`);
    await aMoment();
  }
}

/** What the log says of Redis. */
export const away = 'Redis is away, limits are counted by each process';
export const together = 'limits are counted in Redis, together with the other processes';

/** A clock on which nothing is won back, its timers, which fire when they are told, and the delays that those were given. */
export function recordingClock() {
  const manual = new ManualClock();
  const delaysMs: number[] = [];
  const after: Clock['after'] = (delayMs, run) => {
    delaysMs.push(delayMs);
    return manual.after(delayMs, run);
  };
  return { manual, delaysMs, clock: { ...stillClock, after } satisfies Clock };
}

/** A log, and what it was told. */
export function listening(): { readonly said: string[]; readonly log: Log } {
  const said: string[] = [];
  const hear = (text: string) => void said.push(text);
  return { said, log: { ...silentLog, warn: hear, info: hear } };
}

/** For a suite: whatever is begun with these ends with its test. */
export function redisLimiters(url: string) {
  const ending: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ending.splice(0).reverse()) await end();
  });
  return {
    ending,
    /** On the server of all tests and a clock that stands still, where nothing else is asked for. */
    async open(options: Partial<RedisLimiterOptions> = {}): Promise<RedisLimiter> {
      const usual = { url, clock: stillClock, log: silentLog, prefix: newPrefix(), timeoutMs: patientMs };
      const limiter = await RedisLimiter.open({ ...usual, readMs: () => 1_000_000, ...options });
      ending.push(() => limiter.close());
      return limiter;
    },
    async ownRedis(): Promise<OwnRedis> {
      const redis = await startOwnRedis();
      ending.push(redis.kill);
      return redis;
    },
    /** In front of the server of all tests. */
    async proxy(): Promise<RedisProxy> {
      const proxy = await startRedisProxy(url);
      ending.push(proxy.close);
      return proxy;
    },
  };
}
