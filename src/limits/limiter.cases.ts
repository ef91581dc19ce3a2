/** What every limiter does, whatever holds its state. */
import { describe, expect, test } from 'bun:test';
import type { Clock } from '../base/clock.ts';
import { clockShowing } from '../base/testing/manual-clock.ts';
import { type KeyLimits, type Limiter, RateLimitedError } from './limiter.ts';

const unlimited: KeyLimits = { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null };

const refusalOf = (limiter: Limiter, limits: KeyLimits): Promise<RateLimitedError> =>
  errorOf(async () => limiter.admit(1, limits));

async function errorOf(refused: () => Promise<unknown>): Promise<RateLimitedError> {
  try {
    await refused();
  } catch (error) {
    if (error instanceof RateLimitedError) return error;
  }
  throw new Error('it was admitted');
}

export function describeLimiter(name: string, create: (clock: Clock) => Limiter): void {
  describe(name, () => {
    const setUp = () => {
      let atMs = 1_000_000;
      const clock = clockShowing(() => atMs);
      return { advance: (ms: number) => (atMs += ms), limiter: create(clock) };
    };

    test('a key without limits is always admitted and shows none', async () => {
      const { limiter } = setUp();
      for (let count = 0; count < 1000; count += 1) {
        expect(await limiter.admit(1, unlimited)).toMatchObject({ requests: null, tokens: null });
      }
    });

    test('requests per minute: the limit at once, then one as each is won back', async () => {
      const { advance, limiter } = setUp();
      const limits = { ...unlimited, requestsPerMinute: 6 };
      for (const remaining of [5, 4, 3, 2, 1, 0]) {
        expect((await limiter.admit(1, limits)).requests).toMatchObject({ limit: 6, remaining });
      }
      expect(await refusalOf(limiter, limits)).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 10 });
      advance(10_000);
      await limiter.admit(1, limits);
      expect((await refusalOf(limiter, limits)).code).toBe('rate_limited');
      advance(3_600_000);
      expect((await limiter.admit(1, limits)).requests?.remaining).toBe(5);
    });

    test('tokens per minute: counted when the request closes, once, and owed beyond the limit', async () => {
      const { advance, limiter } = setUp();
      const limits = { ...unlimited, tokensPerMinute: 600 };
      const ticket = await limiter.admit(1, limits);
      ticket.close(900);
      ticket.close(900);
      expect((await refusalOf(limiter, limits)).retryAfterSeconds).toBe(31);
      advance(31_000);
      expect((await limiter.admit(1, limits)).tokens?.limit).toBe(600);
    });

    describe('tokens under way', () => {
      const limits = { ...unlimited, tokensPerMinute: 600 };

      async function reserving(limiter: Limiter, tokens: number) {
        const ticket = await limiter.admit(1, limits);
        await ticket.reserve(tokens);
        return ticket;
      }

      test('are reserved, so that requests at once do not pass the limit together', async () => {
        const { advance, limiter } = setUp();
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
        const { limiter } = setUp();
        const [little, much] = [await reserving(limiter, 250), await reserving(limiter, 250)];
        little.close(50);
        expect(little.tokens?.remaining).toBe(300);
        much.close(700);
        expect((await refusalOf(limiter, limits)).retryAfterSeconds).toBe(16);
      });

      test('of a request that failed are given back whole, and never more than the limit', async () => {
        const { advance, limiter } = setUp();
        const ticket = await reserving(limiter, 600);
        advance(30_000);
        ticket.close(0);
        ticket.close(0);
        expect(ticket.tokens?.remaining).toBe(600);
      });

      test('hold back no request that runs alone, though it reserves more than is left or than the limit', async () => {
        const { limiter } = setUp();
        (await reserving(limiter, 32_000)).close(500);
        const alone = await reserving(limiter, 32_000);
        await errorOf(() => reserving(limiter, 1));
        alone.close(50);
        expect(alone.tokens?.remaining).toBe(50);
      });

      test('that are refused leave nothing behind: no request, no place, no reservation', async () => {
        const { limiter } = setUp();
        const all = { requestsPerMinute: 3, tokensPerMinute: 600, concurrentRequests: 2 };
        const first = await limiter.admit(1, all);
        await first.reserve(500);
        for (let count = 0; count < 5; count += 1) {
          const second = await limiter.admit(1, all);
          await errorOf(async () => second.reserve(500));
          second.close(0);
        }
        expect(first.requests?.remaining).toBe(2);
        first.close(0);
        expect(first.tokens?.remaining).toBe(600);
      });

      test('are nothing to a key without such a limit', async () => {
        const { limiter } = setUp();
        for (let count = 0; count < 10; count += 1) {
          await (await limiter.admit(1, { ...unlimited, concurrentRequests: 20 })).reserve(1_000_000);
        }
      });
    });

    test('concurrent requests: a closed one makes room, however often it is closed', async () => {
      const { limiter } = setUp();
      const limits = { ...unlimited, concurrentRequests: 2 };
      const first = await limiter.admit(1, limits);
      await limiter.admit(1, limits);
      expect((await refusalOf(limiter, limits)).retryAfterSeconds).toBe(1);
      first.close(0);
      first.close(0);
      await limiter.admit(1, limits);
      expect((await refusalOf(limiter, limits)).code).toBe('rate_limited');
    });

    test('a refused request takes nothing from any limit', async () => {
      const { limiter } = setUp();
      const limits = { requestsPerMinute: 2, tokensPerMinute: null, concurrentRequests: 1 };
      const ticket = await limiter.admit(1, limits);
      for (let count = 0; count < 5; count += 1) await refusalOf(limiter, limits);
      ticket.close(0);
      expect((await limiter.admit(1, limits)).requests?.remaining).toBe(0);
    });

    test('a refusal shows the limits as they stand', async () => {
      const { limiter } = setUp();
      const limits = { requestsPerMinute: 1, tokensPerMinute: 600, concurrentRequests: null };
      (await limiter.admit(1, limits)).close(100);
      expect((await refusalOf(limiter, limits)).limits).toEqual({
        requests: { limit: 1, remaining: 0, resetMs: 60_000 },
        tokens: { limit: 600, remaining: 500, resetMs: 10_000 },
      });
      const unmetered = { ...unlimited, concurrentRequests: 1 };
      await limiter.admit(2, unmetered);
      expect((await errorOf(async () => limiter.admit(2, unmetered))).limits).toEqual({
        requests: null,
        tokens: null,
      });
    });

    test('keys do not share, and a raised limit holds at once', async () => {
      const { limiter } = setUp();
      const limits = { ...unlimited, requestsPerMinute: 1 };
      await limiter.admit(1, limits);
      await limiter.admit(2, limits);
      expect((await refusalOf(limiter, limits)).code).toBe('rate_limited');
      expect((await limiter.admit(1, { ...limits, requestsPerMinute: 3 })).requests?.remaining).toBe(1);
    });
  });
}
