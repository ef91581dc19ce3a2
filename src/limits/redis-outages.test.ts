import { describe, expect, test } from 'bun:test';
import { RedisClient } from 'bun';
import { describeOnRedis } from '../../test/support/redis.ts';
import type { Line } from '../../test/support/redis-proxy.ts';
import type { Clock } from '../base/clock.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { type Limits, RateLimitedError } from './limiter.ts';
import type { RedisLimiter } from './redis-limiter.ts';
import { scripts } from './redis-scripts.ts';
import { admitted, isAdmitted, keyWith, unlimited } from './testing/limited.ts';
import {
  away,
  countedBy,
  limitedBy,
  listening,
  newPrefix,
  patientMs,
  recordingClock,
  redisLimiters,
  until,
} from './testing/redis-limiters.ts';

describeOnRedis('Redis that goes away', (url) => {
  const { ending, open, ownRedis, proxy } = redisLimiters(url);

  const isCountedBy = (limiter: RedisLimiter, whom: 'shared' | 'share') => async () =>
    (await countedBy(limiter)) === whom;

  test('leaves each process its share, and finds what was taken meanwhile when it is back, though it forgot all', async () => {
    const redis = await ownRedis();
    const prefix = newPrefix();
    const clocks = [new ManualClock(), new ManualClock()] as const;
    const one = await open({ url: redis.url, prefix, clock: clocks[0] });
    const other = await open({ url: redis.url, prefix, clock: clocks[1] });
    const both = [one, other] as const;
    // The first hears of the second when it renews its lease.
    await clocks[0].advance(5000);
    await until(async () => one.processes === 2 && other.processes === 2);
    const limits = { requestsPerMinute: 21, tokensPerMinute: 1001, concurrentRequests: 101 };
    const caller = keyWith(limits);
    const begun = await one.admit(caller);
    await begun.reserve(600);
    for (const each of [other, one, other, one]) expect(await isAdmitted(each, caller)).toBe(true);

    await redis.kill();
    for (const each of both) await until(isCountedBy(each, 'share'));
    // Of the five requests the first has heard, of the first four the other one.
    expect(await one.stateOf(1, limits)).toMatchObject({
      requests: { limit: 10, remaining: 7 },
      tokens: { limit: 500, remaining: 200 },
      concurrent: { limit: 50, underWay: 3 },
    });
    expect(await other.stateOf(1, limits)).toMatchObject({ requests: { limit: 10, remaining: 8 } });
    begun.close(100);
    expect(await admitted(one, caller, 20)).toBe(7);
    expect(await admitted(other, caller, 20)).toBe(8);

    await redis.start();
    for (const [at, clock] of clocks.entries()) {
      await clock.advance(100);
      await until(isCountedBy(at === 0 ? one : other, 'shared'));
    }
    // What was in use counts once, though both have told of it.
    expect(await one.stateOf(1, limits)).toMatchObject({
      requests: { limit: 21, remaining: 1 },
      concurrent: { underWay: 19 },
    });
    expect(await admitted(other, caller, 2)).toBe(1);
  });

  test('is told once of what it has kept, when a connection alone ended', async () => {
    const redis = await ownRedis();
    const { said, log } = listening();
    const limiter = await open({ url: redis.url, log });
    const caller = limitedBy({ requestsPerMinute: 10, tokensPerMinute: 1000, concurrentRequests: 5 });
    for (let count = 0; count < 3; count += 1) await (await limiter.admit(caller)).reserve(100);
    const other = new RedisClient(redis.url);
    ending.push(async () => other.close());
    await other.send('CLIENT', ['KILL', 'TYPE', 'normal', 'SKIPME', 'yes']);
    await until(async () => said.includes(away));
    await until(isCountedBy(limiter, 'shared'));
    expect(await limiter.stateOf(1, caller.keyLimits ?? unlimited)).toMatchObject({
      requests: { remaining: 7 },
      tokens: { remaining: 700 },
      concurrent: { underWay: 3 },
    });
  });

  test('is told of very many keys when it is back, and of those that ask meanwhile', async () => {
    const line = await proxy();
    const prefix = newPrefix();
    const limiter = await open({ url: line.url, prefix });
    line.down();
    await until(isCountedBy(limiter, 'share'));
    const caller = limitedBy({ requestsPerMinute: 10 });
    for (let keyId = 1; keyId <= 1050; keyId += 1) {
      const ticket = await limiter.admit({ ...caller, keyId });
      if (keyId > 50) ticket.close(0);
    }
    // One of which it is being told, and a new one.
    const { promise: counting, resolve } = Promise.withResolvers<string>();
    line.meet(scripts.restore.sha, () => {
      for (const keyId of [1, 1051]) void limiter.admit({ ...caller, keyId });
      resolve(countedBy(limiter));
    });
    line.up();
    // Until it has been told of all, they are decided here.
    expect(await counting).toBe('share');
    await until(isCountedBy(limiter, 'shared'));
    const other = await open({ prefix });
    for (let keyId = 1; keyId <= 1051; keyId += 1) {
      const limits = { ...unlimited, requestsPerMinute: 10, concurrentRequests: 5 };
      expect(await other.stateOf(keyId, limits)).toMatchObject({
        requests: { remaining: keyId === 1 ? 8 : 9 },
        concurrent: { underWay: keyId === 1 ? 2 : keyId <= 50 || keyId === 1051 ? 1 : 0 },
      });
    }
  });

  test('takes no request with it: they settle when it is back', async () => {
    const redis = await ownRedis();
    const limiter = await open({ url: redis.url });
    const caller = limitedBy({ tokensPerMinute: 1000, concurrentRequests: 3 });
    const tickets = [await limiter.admit(caller), await limiter.admit(caller)];
    // One of a key that nobody else asks with meanwhile.
    const quiet = { ...caller, keyId: 2 };
    await limiter.admit(quiet);
    for (const ticket of tickets) await ticket.reserve(300);
    await redis.kill();
    await until(isCountedBy(limiter, 'share'));
    const third = await limiter.admit(caller);
    expect(() => third.reserve(500)).toThrow(RateLimitedError);
    // It is over, and does not end twice.
    third.close(900);
    tickets[0]?.close(50);
    // Of the two that reserved 300 each.
    expect(await limiter.stateOf(1, caller.keyLimits ?? unlimited)).toMatchObject({
      tokens: { remaining: 650 },
      countedBy: 'share',
    });
    await redis.start();
    await until(isCountedBy(limiter, 'shared'));
    tickets[1]?.close(250);
    expect(await limiter.stateOf(1, caller.keyLimits ?? unlimited)).toMatchObject({
      tokens: { remaining: 700 },
      concurrent: { underWay: 0 },
    });
    expect(await limiter.stateOf(2, quiet.keyLimits ?? unlimited)).toMatchObject({
      concurrent: { underWay: 1 },
    });
  });

  test('has given back what was taken there by requests that end, or are refused their tokens, here', async () => {
    const line = await proxy();
    const { clock, manual } = recordingClock();
    const { said, log } = listening();
    const limiter = await open({ url: line.url, clock, log });
    const userLimits = { ...unlimited, tokensPerMinute: 600 };
    const keyLimits = { ...unlimited, requestsPerMinute: 10 };
    await (await limiter.admit(keyWith(null, userLimits))).reserve(400);
    const refused = await limiter.admit({ ...keyWith(keyLimits, userLimits), keyId: 2 });
    const tokenLimits = { ...unlimited, tokensPerMinute: 1000 };
    const unused = await limiter.admit({ ...keyWith(tokenLimits), keyId: 3 });
    await unused.reserve(100);
    line.down();
    await until(async () => said.includes(away));
    unused.close(40);
    expect(() => refused.reserve(400)).toThrow(RateLimitedError);
    line.up();
    await manual.advance(100);
    await until(isCountedBy(limiter, 'shared'));
    expect(await limiter.stateOf(2, keyLimits)).toMatchObject({ requests: { remaining: 10 } });
    expect(await limiter.stateOf(3, tokenLimits)).toMatchObject({ tokens: { remaining: 960 } });
  });

  // What may have come through counts twice rather than never, for as long as it takes to be won back.
  test.each([
    ['before it has heard', (line: Line) => line.endBefore(), { requests: 6, tokens: 725, fresh: 9 }],
    ['when it has heard', (line: Line) => line.endBehind(), { requests: 5, tokens: 675, fresh: 8 }],
  ])('is told what was taken though it goes away again %s', async (_, end, remaining) => {
    const line = await proxy();
    const { clock, manual, delaysMs } = recordingClock();
    const limiter = await open({ url: line.url, clock });
    const limits = { requestsPerMinute: 10, tokensPerMinute: 1000, concurrentRequests: 5 };
    const take = async (tokens: number) => await (await limiter.admit(keyWith(limits))).reserve(tokens);
    for (let count = 0; count < 2; count += 1) await take(100);
    line.down();
    await until(isCountedBy(limiter, 'share'));
    await take(50);
    // Of this key Redis has not heard before.
    const fresh = { ...limitedBy({ requestsPerMinute: 10 }), keyId: 2 };
    (await limiter.admit(fresh)).close(0);
    line.up();
    line.meet(scripts.restore.sha, end);
    await manual.advance(100);
    await until(async () => delaysMs.includes(200));
    expect(await countedBy(limiter)).toBe('share');
    await take(25);
    await manual.advance(200);
    await until(isCountedBy(limiter, 'shared'));
    expect(await limiter.stateOf(1, limits)).toMatchObject({
      requests: { remaining: remaining.requests },
      tokens: { remaining: remaining.tokens },
      concurrent: { underWay: 4 },
    });
    const { requests } = await limiter.stateOf(2, fresh.keyLimits ?? unlimited);
    expect(requests?.remaining).toBe(remaining.fresh);
  });

  test('while a request ends leaves that counted with at least what it used', async () => {
    const line = await proxy();
    const limiter = await open({ url: line.url, clock: new ManualClock() });
    const limits = { ...unlimited, tokensPerMinute: 1000 };
    const [much, little] = [
      await limiter.admit(keyWith(limits)),
      await limiter.admit({ ...keyWith(limits), keyId: 2 }),
    ];
    for (const ticket of [much, little]) await ticket.reserve(300);
    line.meet(scripts.close.sha, (call) => call.endBefore());
    much.close(900);
    little.close(100);
    await until(isCountedBy(limiter, 'share'));
    expect((await limiter.stateOf(1, limits)).tokens?.remaining).toBeLessThanOrEqual(100);
    expect((await limiter.stateOf(2, limits)).tokens?.remaining).toBeWithin(0, 901);
  });

  describe('does not change when a limit is whole again', () => {
    const limits = { ...unlimited, requestsPerMinute: 6, tokensPerMinute: 60 };

    async function begin() {
      const line = await proxy();
      const prefix = newPrefix();
      const clock = new ManualClock();
      /** It connects and tells what it holds: that takes real time, in which the clock stands still. */
      let isComing = false;
      const watched: Clock = {
        nowMs: () => clock.nowMs(),
        monotonicMs: () => clock.monotonicMs(),
        sleep: (ms, signal) => clock.sleep(ms, signal),
        after(delayMs, run) {
          // The bound of an attempt; what is shorter than a call's is the pause behind it, or the renewal.
          if (delayMs === 1000) isComing = true;
          else if (delayMs < patientMs) isComing = false;
          return clock.after(delayMs, run);
        },
      };
      const { said, log } = listening();
      const readMs = () => clock.monotonicMs();
      const limiter = await open({ url: line.url, prefix, clock: watched, readMs, log });
      /** A request takes ten seconds of its limit, and a token one. */
      const take = async (tokens: number, keyId = 1) =>
        await (await limiter.admit({ ...keyWith(limits), keyId })).reserve(tokens);
      const wholeAtMs = async (of: Limits = limits) => {
        const { requests, tokens } = await limiter.stateOf(1, of);
        const atMs = clock.monotonicMs();
        return [atMs + (requests?.resetMs ?? 0), atMs + (tokens?.resetMs ?? 0)];
      };
      const goAway = async () => {
        said.length = 0;
        line.down();
        await until(async () => said.includes(away));
      };
      const comeBack = async () => {
        line.up();
        await until(async () => {
          if (!isComing) await clock.advance(100);
          return await isCountedBy(limiter, 'shared')();
        });
      };
      return { prefix, clock, limiter, take, wholeAtMs, goAway, comeBack };
    }

    test.each([
      ['has kept all', false],
      ['has forgotten all', true],
    ])('though it is away for long and %s', async (_, isForgotten) => {
      const { prefix, clock, limiter, take, wholeAtMs, goAway, comeBack } = await begin();
      for (const tokens of [10, 10, 10]) await take(tokens);
      await goAway();
      if (isForgotten) {
        const redis = new RedisClient(url);
        await redis.send('DEL', [`${prefix}key:1`]);
        redis.close();
      }
      await clock.advance(10_000);
      expect(await wholeAtMs()).toEqual([30_000, 30_000]);
      for (const tokens of [5, 5]) await take(tokens);
      await take(5, 2);
      expect(await wholeAtMs()).toEqual([50_000, 40_000]);
      await clock.advance(12_000);
      await comeBack();
      expect(await wholeAtMs()).toEqual([50_000, 40_000]);
      // What was taken and has been won back meanwhile is not told.
      const { requests, tokens } = await limiter.stateOf(2, limits);
      expect([requests, tokens]).toEqual([
        { limit: 6, remaining: 6, resetMs: 0 },
        { limit: 60, remaining: 60, resetMs: 0 },
      ]);
    });

    test('though it is away again after a time', async () => {
      const { clock, take, wholeAtMs, goAway, comeBack } = await begin();
      for (const tokens of [10, 10]) await take(tokens);
      await goAway();
      await comeBack();
      await clock.advance(15_000);
      for (const tokens of [10, 10, 10]) await take(tokens);
      expect(await wholeAtMs()).toEqual([50_000, 50_000]);
      await goAway();
      await comeBack();
      expect(await wholeAtMs()).toEqual([50_000, 50_000]);
    });
  });
});
