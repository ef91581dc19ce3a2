import { describe, expect, test } from 'bun:test';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { RedisClient } from 'bun';
import type { LimiterJob } from '../../test/support/limiter-process/main.ts';
import { describeOnRedis } from '../../test/support/redis.ts';
import type { Log } from '../base/log.ts';
import { clockShowing } from '../base/testing/manual-clock.ts';
import { silentLog } from '../base/testing/silent-log.ts';
import { describeLimiter } from './limiter.cases.ts';
import { RateLimitedError } from './limiter.ts';
import { RedisLimiter } from './redis-limiter.ts';
import { scripts } from './redis-scripts.ts';
import { admitted, unlimited } from './testing/limited.ts';
import {
  countedBy,
  limitedBy,
  newPrefix,
  patientMs,
  redisLimiters,
  stillClock,
} from './testing/redis-limiters.ts';

describeOnRedis('on Redis', (url) => {
  const { ending, open, proxy } = redisLimiters(url);

  describeLimiter(
    'RedisLimiter',
    async (clock) => {
      const limiter = await open({ clock, readMs: clock.monotonicMs });
      expect(await countedBy(limiter)).toBe('shared');
      return limiter;
    },
    { numRuns: 20 },
  );

  describeLimiter(
    'RedisLimiter that is alone without Redis',
    (clock) => open({ url: 'redis://127.0.0.1:1', clock }),
    { numRuns: 20 },
  );

  describe('three processes', () => {
    const program = join(import.meta.dirname, '../../test/support/limiter-process/main.ts');

    interface Started {
      readonly child: ChildProcess;
      /** Lets it ask; resolves to how many it got. */
      go(): Promise<number>;
    }

    async function start(job: Omit<LimiterJob, 'url'>): Promise<Started> {
      const child = spawn(process.execPath, [program, JSON.stringify({ ...job, url })], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      child.stdout.setEncoding('utf8');
      const says = async () => String((await once(child.stdout, 'data'))[0]).trim();
      const ended = once(child, 'close');
      ending.push(async () => {
        child.kill('SIGKILL');
        await ended;
      });
      expect(await says()).toBe('ready');
      return {
        child,
        async go() {
          const said = says();
          child.stdin.write('go\n');
          const [countedBy, got] = (await said).split(' ');
          expect(countedBy).toBe('shared');
          return Number(got);
        },
      };
    }

    async function gotBy(jobs: readonly Omit<LimiterJob, 'url'>[]): Promise<readonly number[]> {
      const started = await Promise.all(jobs.map(start));
      return await Promise.all(started.map(({ go }) => go()));
    }

    test.each([
      [{ requestsPerMinute: 20 }, 20],
      [{ concurrentRequests: 20 }, 20],
      [{ tokensPerMinute: 2000 }, 20],
    ])('with %o let together as many of 150 at once through as it says', async (limits, most) => {
      const caller = limitedBy(limits);
      const job = { prefix: newPrefix(), leaseMs: 60_000, caller, requests: 50, tokens: 100 };
      const all = await gotBy([job, job, job]);
      expect(all.reduce((sum, got) => sum + got, 0)).toBe(most);
    });

    test('let as many through as a user may, on keys of their own', async () => {
      const userLimits = { ...unlimited, requestsPerMinute: 15 };
      const prefix = newPrefix();
      const all = await gotBy(
        [1, 2, 3].map((keyId) => {
          const caller = { keyId, userId: 7, keyLimits: { ...unlimited, requestsPerMinute: 10 }, userLimits };
          return { prefix, leaseMs: 60_000, caller, requests: 50, tokens: 0 };
        }),
      );
      expect(all.reduce((sum, got) => sum + got, 0)).toBe(15);
      expect(Math.max(...all)).toBeLessThanOrEqual(10);
    });

    test('of which one is killed: its places are free once its lease is over, those of the living are not', async () => {
      const caller = limitedBy({ concurrentRequests: 3 });
      const prefix = newPrefix();
      const { child, go } = await start({ prefix, leaseMs: 60_000, caller, requests: 2, tokens: 0 });
      expect(await go()).toBe(2);
      const redis = new RedisClient(url);
      ending.push(async () => redis.close());
      const [killed] = (await redis.send('ZRANGE', [`${prefix}processes`, '0', '-1'])) as string[];
      const living = await open({ prefix });
      expect(await admitted(living, caller, 2)).toBe(1);
      child.kill('SIGKILL');
      expect(await admitted(living, caller, 5)).toBe(0);
      // Its minute is over.
      await redis.send('ZADD', [`${prefix}processes`, 'XX', '1', String(killed)]);
      expect(await admitted(living, caller, 5)).toBe(2);
    });
  });

  test('nothing stays for ever, and a key without limits leaves nothing at all', async () => {
    const prefix = newPrefix();
    const [limiter, other] = [await open({ prefix }), await open({ prefix })];
    const limits = { requestsPerMinute: 5, tokensPerMinute: 100, concurrentRequests: 2 };
    await other.admit(limitedBy(limits));
    await (await limiter.admit(limitedBy(limits))).reserve(10);
    (await limiter.admit({ ...limitedBy(limits), keyId: 2 })).close(80);
    const unmetered = await limiter.admit({ ...limitedBy({}), keyId: 3, keyLimits: null });
    await unmetered.reserve(10);
    await limiter.stateOf(4, limitedBy(limits).keyLimits ?? unlimited);
    const redis = new RedisClient(url);
    try {
      const names: unknown = await redis.send('KEYS', [`${prefix}*`]);
      if (!Array.isArray(names)) throw new Error('no list');
      expect(names.map((name) => String(name).slice(prefix.length)).toSorted()).toEqual([
        'key:1',
        'key:2',
        'processes',
      ]);
      const leftMs = async (name: string) => Number(await redis.send('PTTL', [`${prefix}${name}`]));
      // Twice the lease.
      expect(await leftMs('processes')).toBeWithin(20_000, 30_001);
      // A day, while requests are under way, of whichever process.
      expect(await leftMs('key:1')).toBeWithin(86_000_000, 86_400_001);
      // One of five requests is won back in 12 seconds, and 80 of a hundred tokens in 48: what takes longer counts.
      expect(await leftMs('key:2')).toBeWithin(39_000, 49_001);
      const fields = await redis.hgetall(`${prefix}key:2`);
      expect(Object.keys(fields).toSorted()).toEqual(['at', 'r', 'rl', 't', 'tl']);
    } finally {
      redis.close();
    }
  });

  test('time is that of Redis, for what is won back and for how long a process is known', async () => {
    const prefix = newPrefix();
    const redis = new RedisClient(url);
    ending.push(async () => redis.close());
    const serverMs = async () => {
      const [seconds, microseconds] = await redis.send('TIME', []);
      return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
    };
    const beforeMs = await serverMs();
    const usual = { url, clock: stillClock, log: silentLog, prefix, timeoutMs: patientMs };
    const limiter = await RedisLimiter.open(usual);
    ending.push(() => limiter.close());
    await limiter.admit(limitedBy({ requestsPerMinute: 5 }));
    const afterMs = await serverMs();
    expect(Number(await redis.hget(`${prefix}key:1`, 'at'))).toBeWithin(beforeMs, afterMs + 1);
    const [, untilMs] = (await redis.send('ZRANGE', [`${prefix}processes`, '0', '-1', 'WITHSCORES'])).flat();
    expect(Number(untilMs)).toBeWithin(beforeMs + 15_000, afterMs + 15_001);
  });

  test('what is refused its tokens has its place no more here either, for when Redis goes away', async () => {
    const limiter = await open();
    const caller = limitedBy({ tokensPerMinute: 100, concurrentRequests: 5 });
    const first = await limiter.admit(caller);
    await first.reserve(80);
    const refused = await limiter.admit(caller);
    await expect((async () => refused.reserve(50))()).rejects.toThrow(RateLimitedError);
    expect(limiter.holders.peek('key', 1)).toMatchObject({ underWay: 1, reserved: 80 });
    first.close(10);
    expect(limiter.holders.peek('key', 1)).toMatchObject({ underWay: 0, reserved: 0 });
  });

  test('tokens that are being reserved as Redis goes away are reserved here', async () => {
    const line = await proxy();
    const limiter = await open({ url: line.url, clock: clockShowing(() => 1_000_000) });
    const caller = limitedBy({ tokensPerMinute: 1000 });
    const first = await limiter.admit(caller);
    line.meet(scripts.reserve.sha, (call) => call.endBefore());
    await first.reserve(600);
    expect(await countedBy(limiter)).toBe('share');
    expect(first.tokens).toMatchObject({ limit: 1000, remaining: 400 });
    const second = await limiter.admit(caller);
    await expect((async () => second.reserve(600))()).rejects.toThrow(RateLimitedError);
    first.close(50);
    expect(first.tokens).toMatchObject({ remaining: 950 });
  });

  test('a process whose lease is over takes nothing in Redis', async () => {
    const prefix = newPrefix();
    const caller = limitedBy({ requestsPerMinute: 1_000_000 });
    // No timer ever fires: it renews nothing, and does not come back.
    const stopped = await open({ prefix, leaseMs: 300, clock: clockShowing(() => 1_000_000) });
    let shared = 0;
    for (let wasShared = true; wasShared; shared += wasShared ? 1 : 0) {
      await stopped.admit(caller);
      wasShared = (await countedBy(stopped)) === 'shared';
    }
    const living = await open({ prefix });
    expect(await living.stateOf(1, caller.keyLimits ?? unlimited)).toMatchObject({
      requests: { remaining: 1_000_000 - shared },
      concurrent: null,
    });
    expect(await living.stateOf(1, { ...unlimited, concurrentRequests: 5 })).toMatchObject({
      concurrent: { underWay: 0 },
    });
  });

  test('a Redis that nobody reaches keeps no process from starting, which says so without the password', async () => {
    const said: string[] = [];
    const log: Log = { ...silentLog, warn: (...told) => said.push(JSON.stringify(told)) };
    const limiter = await open({ url: 'redis://:s3cret-word@127.0.0.1:1', log });
    expect(await admitted(limiter, limitedBy({ requestsPerMinute: 3 }), 5)).toBe(3);
    expect(said).toHaveLength(1);
    expect(said[0]).not.toContain('s3cret-word');
  });

  test('a limiter that is closed decides by itself, for what is still under way', async () => {
    const limiter = await open();
    await limiter.close();
    expect(await admitted(limiter, limitedBy({ requestsPerMinute: 3 }), 5)).toBe(3);
    expect(await countedBy(limiter)).toBe('share');
  });
});
