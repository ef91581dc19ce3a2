/** What every limiter does, whatever holds its state. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Clock } from '../base/clock.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { clockShowing } from '../base/testing/manual-clock.ts';
import type { Limiter } from './limiter.ts';
import { describeOwnerLimits } from './owner-limits.cases.ts';
import { errorOf, isAdmitted, keyWith, refusalOf, unlimited } from './testing/limited.ts';
import { describeTokenLimits } from './token-limits.cases.ts';

export function describeLimiter(
  name: string,
  create: (clock: Clock) => MaybePromise<Limiter>,
  { numRuns = 200 } = {},
): void {
  describe(name, () => {
    const setUp = async () => {
      let atMs = 1_000_000;
      const clock = clockShowing(() => atMs);
      return { advance: (ms: number) => (atMs += ms), limiter: await create(clock) };
    };

    test('a key without limits is always admitted and shows none', async () => {
      const { limiter } = await setUp();
      const none = { requests: null, tokens: null, countsTokens: false };
      for (let count = 0; count < 100; count += 1) {
        expect(await limiter.admit(keyWith(unlimited))).toMatchObject(none);
        expect(await limiter.admit(keyWith(null))).toMatchObject(none);
      }
      // Nothing is made for a request of which nothing is counted.
      expect(await limiter.admit(keyWith(null))).toBe(await limiter.admit(keyWith(null)));
    });

    test('requests per minute: the limit at once, then one as each is won back', async () => {
      const { advance, limiter } = await setUp();
      const limits = { ...unlimited, requestsPerMinute: 6 };
      for (const remaining of [5, 4, 3, 2, 1, 0]) {
        expect((await limiter.admit(keyWith(limits))).requests).toMatchObject({ limit: 6, remaining });
      }
      expect(await refusalOf(limiter, limits)).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 10 });
      advance(10_000);
      await limiter.admit(keyWith(limits));
      expect((await refusalOf(limiter, limits)).code).toBe('rate_limited');
      advance(3_600_000);
      expect((await limiter.admit(keyWith(limits))).requests?.remaining).toBe(5);
    });

    test('what is left is told in whole requests, and the time until it is whole to the millisecond', async () => {
      const { advance, limiter } = await setUp();
      const { requests } = await limiter.admit(keyWith({ ...unlimited, requestsPerMinute: 7 }));
      expect(requests).toEqual({ limit: 7, remaining: 6, resetMs: 8572 });
      const told = async (limit: number) => limiter.stateOf(1, { ...unlimited, requestsPerMinute: limit });
      advance(8571);
      expect((await told(7)).requests).toEqual({ limit: 7, remaining: 6, resetMs: 1 });
      advance(1);
      expect((await told(7)).requests).toEqual({ limit: 7, remaining: 7, resetMs: 0 });
    });

    test('a request under way tells its limits as they stand when it is asked', async () => {
      const { advance, limiter } = await setUp();
      const limits = { ...unlimited, requestsPerMinute: 6, tokensPerMinute: 60 };
      const ticket = await limiter.admit(keyWith(limits));
      await ticket.reserve(30);
      expect(ticket).toMatchObject({ requests: { remaining: 5 }, tokens: { remaining: 30 } });
      advance(10_000);
      expect(ticket).toMatchObject({ requests: { remaining: 6, resetMs: 0 }, tokens: { remaining: 40 } });
    });

    test('of two that have no room the one with the longer wait is named', async () => {
      const { limiter } = await setUp();
      const userLimits = { ...unlimited, requestsPerMinute: 2 };
      const caller = keyWith({ ...unlimited, requestsPerMinute: 1 }, userLimits);
      await limiter.admit(caller);
      await limiter.admit({ ...keyWith(null, userLimits), keyId: 2 });
      const refusal = await errorOf(async () => limiter.admit(caller));
      expect(refusal).toMatchObject({ retryAfterSeconds: 60, message: expect.stringContaining('This key') });
    });

    test('of two whose wait is as long that of the key is named', async () => {
      const { limiter } = await setUp();
      const limits = { ...unlimited, tokensPerMinute: 600, concurrentRequests: 2 };
      const caller = keyWith(limits, limits);
      await (await limiter.admit(caller)).reserve(400);
      const second = await limiter.admit(caller);
      expect(await errorOf(async () => limiter.admit(caller))).toMatchObject({
        message: expect.stringMatching(/^This key .*requests at once/),
      });
      expect(await errorOf(async () => second.reserve(400))).toMatchObject({
        message: expect.stringMatching(/^This key .*tokens per minute/),
      });
    });

    test('of two with as much left the smaller limit is shown', async () => {
      const { limiter } = await setUp();
      const [three, five] = [3, 5].map((requestsPerMinute) => ({ ...unlimited, requestsPerMinute }));
      if (three === undefined || five === undefined) throw new Error('there are two');
      // Two of the larger are used where the smaller does not hold: of a key without an owner's, and of an owner's other key.
      for (const caller of [keyWith(five), { ...keyWith(null, five), keyId: 2, userId: 2 }]) {
        for (let count = 0; count < 2; count += 1) await limiter.admit(caller);
      }
      for (const caller of [keyWith(five, three), { ...keyWith(three, five), keyId: 3, userId: 2 }]) {
        expect((await limiter.admit(caller)).requests).toMatchObject({ limit: 3, remaining: 2 });
      }
    });

    test('concurrent requests: a closed one makes room, however often it is closed', async () => {
      const { limiter } = await setUp();
      const limits = { ...unlimited, concurrentRequests: 2 };
      const first = await limiter.admit(keyWith(limits));
      await limiter.admit(keyWith(limits));
      expect((await refusalOf(limiter, limits)).retryAfterSeconds).toBe(1);
      first.close(0);
      first.close(0);
      await limiter.admit(keyWith(limits));
      expect((await refusalOf(limiter, limits)).code).toBe('rate_limited');
    });

    test('a refused request takes nothing from any limit', async () => {
      const { limiter } = await setUp();
      const limits = { requestsPerMinute: 2, tokensPerMinute: null, concurrentRequests: 1 };
      const ticket = await limiter.admit(keyWith(limits));
      for (let count = 0; count < 5; count += 1) await refusalOf(limiter, limits);
      ticket.close(0);
      expect((await limiter.admit(keyWith(limits))).requests?.remaining).toBe(0);
    });

    test('a refusal shows the limits as they stand', async () => {
      const { limiter } = await setUp();
      const limits = { requestsPerMinute: 1, tokensPerMinute: 600, concurrentRequests: null };
      (await limiter.admit(keyWith(limits))).close(100);
      expect((await refusalOf(limiter, limits)).limits).toEqual({
        requests: { limit: 1, remaining: 0, resetMs: 60_000 },
        tokens: { limit: 600, remaining: 500, resetMs: 10_000 },
      });
      const unmetered = { ...unlimited, concurrentRequests: 1 };
      await limiter.admit({ ...keyWith(unmetered), keyId: 2 });
      expect((await errorOf(async () => limiter.admit({ ...keyWith(unmetered), keyId: 2 }))).limits).toEqual({
        requests: null,
        tokens: null,
      });
    });

    test('keys do not share, and a raised limit holds at once', async () => {
      const { limiter } = await setUp();
      const limits = { ...unlimited, requestsPerMinute: 1 };
      await limiter.admit(keyWith(limits));
      await limiter.admit({ ...keyWith(limits), keyId: 2 });
      expect((await refusalOf(limiter, limits)).code).toBe('rate_limited');
      expect((await limiter.admit(keyWith({ ...limits, requestsPerMinute: 3 }))).requests?.remaining).toBe(1);
    });

    test('a lowered limit leaves what is left, and blocks nobody for hours', async () => {
      const { limiter } = await setUp();
      const limits = { ...unlimited, requestsPerMinute: 100 };
      for (let count = 0; count < 98; count += 1) await limiter.admit(keyWith(limits));
      const lowered = { ...unlimited, requestsPerMinute: 6 };
      expect((await limiter.admit(keyWith(lowered))).requests?.remaining).toBe(1);
      await limiter.admit(keyWith(lowered));
      expect(await refusalOf(limiter, lowered)).toMatchObject({ retryAfterSeconds: 10 });
    });

    test('what was won back before a limit was raised was won back under the one before', async () => {
      const { advance, limiter } = await setUp();
      const limits = { ...unlimited, requestsPerMinute: 6 };
      for (let count = 0; count < 6; count += 1) await limiter.admit(keyWith(limits));
      advance(10_000);
      const raised = { ...unlimited, requestsPerMinute: 600 };
      expect((await limiter.admit(keyWith(raised))).requests?.remaining).toBe(594);
    });

    test('a request that came under other limits does not bring them back', async () => {
      const { limiter } = await setUp();
      const before = { ...unlimited, requestsPerMinute: 100, tokensPerMinute: 60_000 };
      const old = await limiter.admit(keyWith(before));
      const lowered = { ...unlimited, requestsPerMinute: 3, tokensPerMinute: 600 };
      for (const remaining of [2, 1, 0]) {
        expect((await limiter.admit(keyWith(lowered))).requests?.remaining).toBe(remaining);
      }
      await old.reserve(30_000);
      old.close(400);
      const refusal = await refusalOf(limiter, lowered);
      expect(refusal.limits).toMatchObject({
        requests: { remaining: 0 },
        tokens: { limit: 600, remaining: 200 },
      });
    });

    describe('the state of a key', () => {
      test('is told without changing anything, also of one that never asked', async () => {
        const { advance, limiter } = await setUp();
        const limits = { requestsPerMinute: 6, tokensPerMinute: 600, concurrentRequests: 2 };
        const whole = {
          requests: { limit: 6, remaining: 6, resetMs: 0 },
          concurrent: { limit: 2, underWay: 0 },
        };
        expect(await limiter.stateOf(1, limits)).toMatchObject(whole);
        const ticket = await limiter.admit(keyWith(limits));
        await ticket.reserve(100);
        const used = {
          requests: { limit: 6, remaining: 5, resetMs: 10_000 },
          tokens: { limit: 600, remaining: 500, resetMs: 10_000 },
          concurrent: { limit: 2, underWay: 1 },
        };
        for (let count = 0; count < 10; count += 1)
          expect(await limiter.stateOf(1, limits)).toMatchObject(used);
        expect(await limiter.stateOf(1, unlimited)).toMatchObject({
          ...{ requests: null, tokens: null, concurrent: null },
        });
        expect(await limiter.stateOf(1, limits)).toMatchObject(used);
        ticket.close(0);
        advance(60_000);
        expect(await limiter.stateOf(1, limits)).toMatchObject(whole);
      });
    });

    describe('tokens a minute', () => describeTokenLimits(setUp));
    describe('the limits of a user', () => describeOwnerLimits(setUp));

    test('never admits more in any time than the limit at once and what is won back in it', async () => {
      const step = fc.record({
        waitMs: fc.nat({ max: 20_000 }),
        asks: fc.integer({ min: 1, max: 8 }),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 20 }),
          fc.array(step, { minLength: 1, maxLength: 30 }),
          async (requestsPerMinute, steps) => {
            const { advance, limiter } = await setUp();
            const limits = { ...unlimited, requestsPerMinute };
            const admittedAtMs: number[] = [];
            let atMs = 0;
            for (const { waitMs, asks } of steps) {
              advance(waitMs);
              atMs += waitMs;
              for (let count = 0; count < asks; count += 1) {
                if (await isAdmitted(limiter, keyWith(limits))) admittedAtMs.push(atMs);
              }
            }
            for (const [first, fromMs] of admittedAtMs.entries()) {
              for (const [last, untilMs] of admittedAtMs.entries()) {
                if (last < first) continue;
                const wonBack = ((untilMs - fromMs) * requestsPerMinute) / 60_000;
                expect(last - first + 1).toBeLessThanOrEqual(requestsPerMinute + wonBack + 1e-6);
              }
            }
          },
        ),
        { numRuns },
      );
    });
  });
}
