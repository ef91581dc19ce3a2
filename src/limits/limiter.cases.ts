/** What every limiter does, whatever holds its state. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Clock } from '../base/clock.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { clockShowing } from '../base/testing/manual-clock.ts';
import { type LimitedCaller, type Limiter, type Limits, RateLimitedError } from './limiter.ts';

const unlimited: Limits = { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null };

/** Key 1 of user 1. */
const keyWith = (keyLimits: Limits | null, userLimits: Limits | null = null): LimitedCaller => ({
  keyId: 1,
  userId: 1,
  keyLimits,
  userLimits,
});

const refusalOf = (limiter: Limiter, limits: Limits): Promise<RateLimitedError> =>
  errorOf(async () => limiter.admit(keyWith(limits)));

async function errorOf(refused: () => Promise<unknown>): Promise<RateLimitedError> {
  try {
    await refused();
  } catch (error) {
    if (error instanceof RateLimitedError) return error;
  }
  throw new Error('it was admitted');
}

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
      for (let count = 0; count < 100; count += 1) {
        expect(await limiter.admit(keyWith(unlimited))).toMatchObject({ requests: null, tokens: null });
        expect(await limiter.admit(keyWith(null))).toMatchObject({ requests: null, tokens: null });
      }
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

    test('a request that has ended reserves nothing', async () => {
      const { limiter } = await setUp();
      const limits = { ...unlimited, tokensPerMinute: 100, concurrentRequests: 2 };
      const ticket = await limiter.admit(keyWith(limits));
      ticket.close(10);
      await ticket.reserve(50);
      expect(await limiter.stateOf(1, limits)).toMatchObject({
        tokens: { remaining: 90 },
        concurrent: { underWay: 0 },
      });
      const next = await limiter.admit(keyWith(limits));
      await next.reserve(40);
      next.close(40);
      expect(await limiter.stateOf(1, limits)).toMatchObject({ tokens: { remaining: 50 } });
    });

    test('tokens per minute: counted when the request closes, once, and owed beyond the limit', async () => {
      const { advance, limiter } = await setUp();
      const limits = { ...unlimited, tokensPerMinute: 600 };
      const ticket = await limiter.admit(keyWith(limits));
      ticket.close(900);
      ticket.close(900);
      expect((await refusalOf(limiter, limits)).retryAfterSeconds).toBe(31);
      advance(31_000);
      expect((await limiter.admit(keyWith(limits))).tokens?.limit).toBe(600);
    });

    test('what was used counts from when it is known, however long the request took', async () => {
      const { advance, limiter } = await setUp();
      const limits = { ...unlimited, tokensPerMinute: 600 };
      const ticket = await limiter.admit(keyWith(limits));
      advance(60_000);
      ticket.close(900);
      expect((await refusalOf(limiter, limits)).retryAfterSeconds).toBe(31);
    });

    describe('tokens under way', () => {
      const limits = { ...unlimited, tokensPerMinute: 600 };

      async function reserving(limiter: Limiter, tokens: number) {
        const ticket = await limiter.admit(keyWith(limits));
        await ticket.reserve(tokens);
        return ticket;
      }

      test('are reserved, so that requests at once do not pass the limit together', async () => {
        const { advance, limiter } = await setUp();
        await reserving(limiter, 250);
        expect((await reserving(limiter, 250)).tokens).toMatchObject({ limit: 600, remaining: 100 });
        const refusal = await errorOf(() => reserving(limiter, 250));
        expect(refusal).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 15 });
        expect(refusal.limits.tokens).toMatchObject({ limit: 600, remaining: 100 });
        advance(14_000);
        await errorOf(() => reserving(limiter, 250));
        advance(1000);
        await reserving(limiter, 250);
      });

      test('are given back as far as they were not used, and what was used beyond is owed', async () => {
        const { limiter } = await setUp();
        const [little, much] = [await reserving(limiter, 250), await reserving(limiter, 250)];
        little.close(50);
        expect(little.tokens?.remaining).toBe(300);
        much.close(700);
        expect((await refusalOf(limiter, limits)).retryAfterSeconds).toBe(16);
      });

      test('of a request that failed are given back whole, and never more than the limit', async () => {
        const { advance, limiter } = await setUp();
        const ticket = await reserving(limiter, 600);
        advance(30_000);
        ticket.close(0);
        ticket.close(0);
        expect(ticket.tokens?.remaining).toBe(600);
      });

      test('hold back no request that runs alone, though it reserves more than is left or than the limit', async () => {
        const { limiter } = await setUp();
        (await reserving(limiter, 32_000)).close(500);
        const alone = await reserving(limiter, 32_000);
        await errorOf(() => reserving(limiter, 1));
        alone.close(50);
        expect(alone.tokens?.remaining).toBe(50);
      });

      test('that are refused leave nothing behind: no request, no place, no reservation', async () => {
        const { limiter } = await setUp();
        const all = { requestsPerMinute: 3, tokensPerMinute: 600, concurrentRequests: 2 };
        const first = await limiter.admit(keyWith(all));
        await first.reserve(500);
        for (let count = 0; count < 5; count += 1) {
          const second = await limiter.admit(keyWith(all));
          await errorOf(async () => second.reserve(500));
          second.close(0);
        }
        expect(first.requests?.remaining).toBe(2);
        const third = await limiter.admit(keyWith(all));
        const refused = await errorOf(async () => limiter.admit(keyWith(all)));
        expect(refused.message).toContain('limited to 2 requests at once');
        third.close(0);
        first.close(0);
        expect(first.tokens?.remaining).toBe(600);
      });

      test('are nothing to a key without such a limit', async () => {
        const { limiter } = await setUp();
        for (let count = 0; count < 10; count += 1) {
          await (await limiter.admit(keyWith({ ...unlimited, concurrentRequests: 20 }))).reserve(1_000_000);
        }
      });
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

    describe('the limits of a user', () => {
      const second = (keyLimits: Limits | null, userLimits: Limits) => ({
        ...keyWith(keyLimits, userLimits),
        keyId: 2,
      });

      test('hold over all of their keys, and the refusal says whose they are', async () => {
        const { limiter } = await setUp();
        const userLimits = { ...unlimited, requestsPerMinute: 2 };
        await limiter.admit(keyWith(null, userLimits));
        await limiter.admit(second(null, userLimits));
        const refusal = await errorOf(async () => limiter.admit(keyWith(null, userLimits)));
        expect(refusal.message).toBe(
          "The keys of this key's owner are together limited to 2 requests per minute. Try again in 30 s.",
        );
        await limiter.admit({ ...keyWith(null, userLimits), userId: 2 });
      });

      test('stand beside those of the key: both are taken of, and the tighter is shown', async () => {
        const { limiter } = await setUp();
        const userLimits = { requestsPerMinute: 5, tokensPerMinute: 1000, concurrentRequests: 10 };
        const keyLimits = { requestsPerMinute: 3, tokensPerMinute: 5000, concurrentRequests: null };
        const one = await limiter.admit(keyWith(keyLimits, userLimits));
        await one.reserve(400);
        expect(one.requests).toMatchObject({ limit: 3, remaining: 2 });
        expect(one.tokens).toMatchObject({ limit: 1000, remaining: 600 });
        for (let count = 0; count < 3; count += 1) await limiter.admit(second(null, userLimits));
        const last = await limiter.admit(keyWith(keyLimits, userLimits));
        expect(last.requests).toMatchObject({ limit: 5, remaining: 0 });
        one.close(900);
        expect(last.tokens).toMatchObject({ limit: 1000, remaining: 100 });
      });

      test('that refuse leave those of the key untouched, and the other way round', async () => {
        const { limiter } = await setUp();
        const one = { ...unlimited, requestsPerMinute: 3, concurrentRequests: 3 };
        const userLimits = { ...unlimited, concurrentRequests: 1, tokensPerMinute: 100 };
        const ticket = await limiter.admit(keyWith(one, userLimits));
        await errorOf(async () => limiter.admit(keyWith(one, userLimits)));
        expect(ticket.requests?.remaining).toBe(2);
        ticket.close(0);
        const tight = { ...unlimited, requestsPerMinute: 1 };
        await limiter.admit({ ...keyWith(tight), keyId: 3 });
        await errorOf(async () => limiter.admit({ ...keyWith(tight, userLimits), keyId: 3 }));
        (await limiter.admit(keyWith(one, userLimits))).close(0);
      });

      test('bound tokens under way of several keys together', async () => {
        const { limiter } = await setUp();
        const userLimits = { ...unlimited, tokensPerMinute: 600 };
        await (await limiter.admit(keyWith(null, userLimits))).reserve(400);
        const refused = await limiter.admit(second({ ...unlimited, tokensPerMinute: 600 }, userLimits));
        await errorOf(async () => refused.reserve(400));
        const small = await limiter.admit(second({ ...unlimited, tokensPerMinute: 600 }, userLimits));
        await small.reserve(200);
        expect(small.tokens).toMatchObject({ limit: 600, remaining: 0 });
      });

      test('of several limits without room tell the longest wait', async () => {
        const { limiter } = await setUp();
        const userLimits = { ...unlimited, requestsPerMinute: 1 };
        const keyLimits = { ...unlimited, concurrentRequests: 1 };
        await limiter.admit(keyWith(keyLimits, userLimits));
        const refusal = await errorOf(async () => limiter.admit(keyWith(keyLimits, userLimits)));
        expect(refusal.retryAfterSeconds).toBe(60);
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

    test('the state of a user counts all of their keys, and nobody of the same number', async () => {
      const { limiter } = await setUp();
      const limits = { requestsPerMinute: 6, tokensPerMinute: null, concurrentRequests: 3 };
      const caller = { userId: 7, keyLimits: null, userLimits: limits };
      await limiter.admit({ ...caller, keyId: 1 });
      await limiter.admit({ ...caller, keyId: 2 });
      expect(await limiter.stateOf(7, limits, 'user')).toMatchObject({
        requests: { limit: 6, remaining: 4 },
        concurrent: { limit: 3, underWay: 2 },
      });
      expect(await limiter.stateOf(7, limits)).toMatchObject({ requests: { remaining: 6 } });
    });

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
                if (await isAdmitted(limiter, limits)) admittedAtMs.push(atMs);
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

async function isAdmitted(limiter: Limiter, limits: Limits): Promise<boolean> {
  try {
    await limiter.admit(keyWith(limits));
    return true;
  } catch (error) {
    if (error instanceof RateLimitedError) return false;
    throw error;
  }
}
