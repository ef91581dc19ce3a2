import { afterEach, describe, expect, test } from 'bun:test';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { RedisClient } from 'bun';
import type { LimiterJob } from '../../test/support/limiter-process/main.ts';
import { describeOnRedis, type OwnRedis, startOwnRedis } from '../../test/support/redis.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { clockShowing } from '../base/testing/manual-clock.ts';
import { silentLog } from '../base/testing/silent-log.ts';
import { describeLimiter } from './limiter.cases.ts';
import { type LimitedCaller, type Limits, RateLimitedError } from './limiter.ts';
import { RedisLimiter, type RedisLimiterOptions } from './redis-limiter.ts';

/** A busy machine is not what most of these are about. */
const patientMs = 20_000;
const unlimited: Limits = { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null };
/** Its timers are real, but nothing is won back while a test takes its time. */
const stillClock: Clock = { ...systemClock, monotonicMs: () => 1_000_000 };

const keyWith = (limits: Partial<Limits>): LimitedCaller => ({
  ...{ keyId: 1, userId: 1 },
  ...{ keyLimits: { ...unlimited, ...limits }, userLimits: null },
});

const newPrefix = () => `sluice-test:${crypto.randomUUID()}:`;
const aMoment = () => new Promise((resolve) => setTimeout(resolve, 5));

describeOnRedis('on Redis', (url) => {
  const ending: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ending.splice(0).reverse()) await end();
  });

  async function open(options: Partial<RedisLimiterOptions> = {}): Promise<RedisLimiter> {
    const usual = { url, clock: stillClock, log: silentLog, prefix: newPrefix(), timeoutMs: patientMs };
    const limiter = await RedisLimiter.open({ ...usual, readMs: () => 1_000_000, ...options });
    ending.push(() => limiter.close());
    return limiter;
  }

  const countedBy = async (limiter: RedisLimiter) => (await limiter.stateOf(1, unlimited)).countedBy;

  async function until(isSo: () => Promise<boolean>): Promise<void> {
    while (!(await isSo())) await aMoment();
  }

  /** How many of so many that are asked one after the other. */
  async function admitted(limiter: RedisLimiter, caller: LimitedCaller, count: number): Promise<number> {
    let got = 0;
    for (let at = 0; at < count; at += 1) if (await isAdmitted(limiter, caller)) got += 1;
    return got;
  }

  async function isAdmitted(limiter: RedisLimiter, caller: LimitedCaller): Promise<boolean> {
    try {
      await limiter.admit(caller);
      return true;
    } catch (error) {
      if (error instanceof RateLimitedError) return false;
      throw error;
    }
  }

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
      const caller = keyWith(limits);
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
      const caller = keyWith({ concurrentRequests: 3 });
      const prefix = newPrefix();
      const leaseMs = 5000;
      const { child, go } = await start({ prefix, leaseMs, caller, requests: 2, tokens: 0 });
      expect(await go()).toBe(2);
      const living = await open({ prefix, leaseMs });
      expect(await admitted(living, caller, 2)).toBe(1);
      child.kill('SIGKILL');
      await until(() => isAdmitted(living, caller));
      expect(await admitted(living, caller, 5)).toBe(1);
    });
  });

  test('nothing stays for ever, and a key without limits leaves nothing at all', async () => {
    const prefix = newPrefix();
    const limiter = await open({ prefix });
    const limits = { requestsPerMinute: 5, tokensPerMinute: 100, concurrentRequests: 2 };
    await (await limiter.admit(keyWith(limits))).reserve(10);
    (await limiter.admit({ ...keyWith(limits), keyId: 2 })).close(80);
    const unmetered = await limiter.admit({ ...keyWith({}), keyId: 3, keyLimits: null });
    await unmetered.reserve(10);
    await limiter.stateOf(4, keyWith(limits).keyLimits ?? unlimited);
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
      // A day, while a request is under way.
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
    await limiter.admit(keyWith({ requestsPerMinute: 5 }));
    const afterMs = await serverMs();
    expect(Number(await redis.hget(`${prefix}key:1`, 'at'))).toBeWithin(beforeMs, afterMs + 1);
    const [, untilMs] = (await redis.send('ZRANGE', [`${prefix}processes`, '0', '-1', 'WITHSCORES'])).flat();
    expect(Number(untilMs)).toBeWithin(beforeMs + 15_000, afterMs + 15_001);
  });

  test('what is refused its tokens has its place no more here either, for when Redis goes away', async () => {
    const limiter = await open();
    const caller = keyWith({ tokensPerMinute: 100, concurrentRequests: 5 });
    const first = await limiter.admit(caller);
    await first.reserve(80);
    const refused = await limiter.admit(caller);
    await expect((async () => refused.reserve(50))()).rejects.toThrow(RateLimitedError);
    expect(limiter.holders.peek('key', 1)).toMatchObject({ underWay: 1, reserved: 80 });
    first.close(10);
    expect(limiter.holders.peek('key', 1)).toMatchObject({ underWay: 0, reserved: 0 });
  });

  test('a process whose lease is over takes nothing in Redis', async () => {
    const prefix = newPrefix();
    const caller = keyWith({ requestsPerMinute: 1_000_000 });
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

  describe('that goes away', () => {
    async function ownRedis(): Promise<OwnRedis> {
      const redis = await startOwnRedis();
      ending.push(redis.kill);
      return redis;
    }

    test('leaves each process its share, and finds what was taken meanwhile when it is back, though it forgot all', async () => {
      const redis = await ownRedis();
      const prefix = newPrefix();
      const one = await open({ url: redis.url, prefix, leaseMs: 6000 });
      const other = await open({ url: redis.url, prefix, leaseMs: 6000 });
      const both = [one, other] as const;
      const caller = keyWith({ requestsPerMinute: 10, tokensPerMinute: 1000, concurrentRequests: 100 });
      await until(async () => one.processes === 2 && other.processes === 2);
      const begun = await one.admit(caller);
      await begun.reserve(600);
      for (const each of [other, one, other, one]) expect(await isAdmitted(each, caller)).toBe(true);

      await redis.kill();
      for (const each of both) await until(async () => (await countedBy(each)) === 'share');
      expect(await one.stateOf(1, caller.keyLimits ?? unlimited)).toMatchObject({
        requests: { limit: 5, remaining: 2 },
        concurrent: { limit: 50, underWay: 3 },
      });
      begun.close(100);
      expect(await admitted(one, caller, 20)).toBe(2);
      expect(await admitted(other, caller, 20)).toBe(3);

      await redis.start();
      for (const each of both) await until(async () => (await countedBy(each)) === 'shared');
      expect(await one.stateOf(1, caller.keyLimits ?? unlimited)).toMatchObject({
        requests: { limit: 10, remaining: 0 },
        concurrent: { underWay: 9 },
      });
      for (const each of both) expect(await isAdmitted(each, caller)).toBe(false);
    });

    test('is not come back to by who is closed meanwhile', async () => {
      const redis = await ownRedis();
      let lastTimer = () => {};
      const clock: Clock = {
        ...stillClock,
        after(_ms, run) {
          lastTimer = run;
          return { cancel: () => undefined };
        },
      };
      const said: string[] = [];
      const log: Log = { ...silentLog, warn: (text) => said.push(text) };
      const limiter = await open({ url: redis.url, clock, log });
      await redis.kill();
      // It hears of that though nothing is asked.
      await until(async () => said.length > 0);
      await redis.start();
      // It connects anew, and is closed before it has.
      lastTimer();
      await limiter.close();
      const other = new RedisClient(redis.url);
      ending.push(async () => other.close());
      const told = async (...command: readonly [string, string]) =>
        String(await other.send(command[0], [command[1]]));
      await until(async () => /total_connections_received:(?:[2-9]|\d\d)/.test(await told('INFO', 'stats')));
      await until(async () => (await told('CLIENT', 'LIST')).trim().split('\n').length === 1);
    });

    test('is told once of what it has kept, when a connection alone ended', async () => {
      const redis = await ownRedis();
      const said: string[] = [];
      const log: Log = { ...silentLog, warn: (text) => said.push(text) };
      const limiter = await open({ url: redis.url, log });
      const caller = keyWith({ requestsPerMinute: 10, tokensPerMinute: 1000, concurrentRequests: 5 });
      for (let count = 0; count < 3; count += 1) await (await limiter.admit(caller)).reserve(100);
      const other = new RedisClient(redis.url);
      ending.push(async () => other.close());
      await other.send('CLIENT', ['KILL', 'TYPE', 'normal', 'SKIPME', 'yes']);
      await until(async () => said.length > 0);
      await until(async () => (await countedBy(limiter)) === 'shared');
      expect(await limiter.stateOf(1, caller.keyLimits ?? unlimited)).toMatchObject({
        requests: { remaining: 7 },
        tokens: { remaining: 700 },
        concurrent: { underWay: 3 },
      });
    });

    test('is told of very many keys when it is back', async () => {
      const redis = await ownRedis();
      const prefix = newPrefix();
      const limiter = await open({ url: redis.url, prefix });
      await redis.kill();
      await until(async () => (await countedBy(limiter)) === 'share');
      const caller = keyWith({ requestsPerMinute: 10 });
      for (let keyId = 1; keyId <= 1050; keyId += 1) {
        const ticket = await limiter.admit({ ...caller, keyId });
        if (keyId > 50) ticket.close(0);
      }
      await redis.start();
      await until(async () => (await countedBy(limiter)) === 'shared');
      const other = await open({ url: redis.url, prefix });
      for (let keyId = 1; keyId <= 1050; keyId += 1) {
        const limits = { ...unlimited, requestsPerMinute: 10, concurrentRequests: 5 };
        expect(await other.stateOf(keyId, limits)).toMatchObject({
          requests: { remaining: 9 },
          concurrent: { underWay: keyId > 50 ? 0 : 1 },
        });
      }
    });

    test('is waited for once: a call that is not answered falls to the share, and those after it ask nobody', async () => {
      const redis = await ownRedis();
      const said: string[] = [];
      const log: Log = { ...silentLog, warn: (text) => said.push(text) };
      let looks = 0;
      const clock: Clock = {
        ...systemClock,
        after: (ms, run) =>
          systemClock.after(ms, () => {
            run();
            if (ms <= 200) looks += 1;
          }),
      };
      const limiter = await open({ url: redis.url, clock, timeoutMs: 200, log });
      const caller = keyWith({ concurrentRequests: 4 });
      await until(async () => (await countedBy(limiter)) === 'shared');
      await limiter.admit(caller);
      // All was answered when it was looked at, and what is asked next is looked after again.
      const before = looks;
      await until(async () => looks > before);
      redis.pause();
      const waiting = [limiter.admit(caller), limiter.admit(caller)];
      await Promise.all(waiting);
      const next = limiter.admit(caller);
      expect(next).not.toBeInstanceOf(Promise);
      expect(await isAdmitted(limiter, caller)).toBe(false);
      expect(said[0]).toContain('limits are counted by each process');
      redis.resume();
      await until(async () => (await countedBy(limiter)) === 'shared');
      // What the paused server found on the old connection has taken no place.
      const { concurrent } = await limiter.stateOf(1, caller.keyLimits ?? unlimited);
      expect(concurrent).toEqual({ limit: 4, underWay: 4 });
      (await next).close(0);
      expect(await isAdmitted(limiter, caller)).toBe(true);
    });

    test('is waited for as long by a call that comes later as by the one before it', async () => {
      const redis = await ownRedis();
      let nowMs = 1_000_000;
      let watching: { ms: number; run: () => void }[] = [];
      const clock: Clock = {
        ...systemClock,
        monotonicMs: () => nowMs,
        after(ms, run) {
          if (ms <= 200) watching.push({ ms, run });
          return { cancel: () => undefined };
        },
      };
      const pass = (ms: number) => {
        nowMs += ms;
        const due = watching;
        watching = [];
        for (const { run } of due) run();
        return watching.map((next) => next.ms);
      };
      const limiter = await open({ url: redis.url, clock, timeoutMs: 200 });
      const caller = keyWith({ concurrentRequests: 4 });
      await limiter.admit(caller);
      pass(200);
      await limiter.admit(caller);
      nowMs += 150;
      redis.pause();
      const waiting = limiter.admit(caller);
      // Of the call before it, which was answered; then its own time, and its grace.
      expect(pass(50)).toEqual([150]);
      expect(pass(150)).toEqual([5]);
      // Then it is tried anew.
      expect(pass(5)).toEqual([100]);
      await waiting;
      expect(await countedBy(limiter)).toBe('share');
      redis.resume();
    });

    test('keeps no process from starting, which says so without the password', async () => {
      const said: string[] = [];
      const log: Log = { ...silentLog, warn: (...told) => said.push(JSON.stringify(told)) };
      const limiter = await open({ url: 'redis://:s3cret-word@127.0.0.1:1', log });
      expect(await admitted(limiter, keyWith({ requestsPerMinute: 3 }), 5)).toBe(3);
      expect(said).toHaveLength(1);
      expect(said[0]).not.toContain('s3cret-word');
    });

    test('is said once, however often it is tried', async () => {
      let tries = 0;
      const server = createServer((socket) => {
        tries += 1;
        socket.destroy();
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : undefined;
      const said: string[] = [];
      const log: Log = { ...silentLog, warn: (text) => said.push(text) };
      const pausesMs: number[] = [];
      const clock: Clock = {
        ...stillClock,
        after(ms, run) {
          const isBound = ms === 1000;
          if (!isBound) pausesMs.push(ms);
          return systemClock.after(isBound ? ms : 1, run);
        },
      };
      await open({ url: `redis://127.0.0.1:${port}`, log, clock });
      await until(async () => tries >= 8);
      server.close();
      expect(said).toEqual(['Redis is away, limits are counted by each process']);
      expect(pausesMs.slice(0, 7)).toEqual([100, 200, 400, 800, 1600, 3000, 3000]);
    });

    test('takes no request with it: they settle when it is back', async () => {
      const redis = await ownRedis();
      const limiter = await open({ url: redis.url });
      const caller = keyWith({ tokensPerMinute: 1000, concurrentRequests: 3 });
      const tickets = [await limiter.admit(caller), await limiter.admit(caller)];
      // One of a key that nobody else asks with meanwhile.
      const quiet = { ...caller, keyId: 2 };
      await limiter.admit(quiet);
      for (const ticket of tickets) await ticket.reserve(300);
      await redis.kill();
      await until(async () => (await countedBy(limiter)) === 'share');
      const third = await limiter.admit(caller);
      expect(() => third.reserve(500)).toThrow(RateLimitedError);
      tickets[0]?.close(50);
      // Of the two that reserved 300 each.
      expect(await limiter.stateOf(1, caller.keyLimits ?? unlimited)).toMatchObject({
        tokens: { remaining: 650 },
        countedBy: 'share',
      });
      await redis.start();
      await until(async () => (await countedBy(limiter)) === 'shared');
      tickets[1]?.close(250);
      expect(await limiter.stateOf(1, caller.keyLimits ?? unlimited)).toMatchObject({
        tokens: { remaining: 700 },
        concurrent: { underWay: 0 },
      });
      expect(await limiter.stateOf(2, quiet.keyLimits ?? unlimited)).toMatchObject({
        concurrent: { underWay: 1 },
      });
    });
  });
});
