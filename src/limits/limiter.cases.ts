/** What every limiter does, whatever holds its state. */
import { describe, expect, test } from 'bun:test';
import type { Clock } from '../base/clock.ts';
import { clockShowing } from '../base/testing/manual-clock.ts';
import { type KeyLimits, type Limiter, RateLimitedError } from './limiter.ts';

const unlimited: KeyLimits = { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null };

function refusalOf(limiter: Limiter, limits: KeyLimits): RateLimitedError {
  try {
    limiter.admit(1, limits);
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

    test('a key without limits is always admitted and shows none', () => {
      const { limiter } = setUp();
      for (let count = 0; count < 1000; count += 1) {
        expect(limiter.admit(1, unlimited)).toMatchObject({ requests: null, tokens: null });
      }
    });

    test('requests per minute: the limit at once, then one as each is won back', () => {
      const { advance, limiter } = setUp();
      const limits = { ...unlimited, requestsPerMinute: 6 };
      for (const remaining of [5, 4, 3, 2, 1, 0]) {
        expect(limiter.admit(1, limits).requests).toMatchObject({ limit: 6, remaining });
      }
      expect(refusalOf(limiter, limits)).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 10 });
      advance(10_000);
      limiter.admit(1, limits);
      expect(refusalOf(limiter, limits).code).toBe('rate_limited');
      advance(3_600_000);
      expect(limiter.admit(1, limits).requests?.remaining).toBe(5);
    });

    test('tokens per minute: counted when the request closes, once, and owed beyond the limit', () => {
      const { advance, limiter } = setUp();
      const limits = { ...unlimited, tokensPerMinute: 600 };
      const ticket = limiter.admit(1, limits);
      ticket.close(900);
      ticket.close(900);
      expect(refusalOf(limiter, limits).retryAfterSeconds).toBe(31);
      advance(31_000);
      expect(limiter.admit(1, limits).tokens?.limit).toBe(600);
    });

    test('concurrent requests: a closed one makes room, however often it is closed', () => {
      const { limiter } = setUp();
      const limits = { ...unlimited, concurrentRequests: 2 };
      const first = limiter.admit(1, limits);
      limiter.admit(1, limits);
      expect(refusalOf(limiter, limits).retryAfterSeconds).toBe(1);
      first.close(0);
      first.close(0);
      limiter.admit(1, limits);
      expect(refusalOf(limiter, limits).code).toBe('rate_limited');
    });

    test('a refused request takes nothing from any limit', () => {
      const { limiter } = setUp();
      const limits = { requestsPerMinute: 2, tokensPerMinute: null, concurrentRequests: 1 };
      const ticket = limiter.admit(1, limits);
      for (let count = 0; count < 5; count += 1) refusalOf(limiter, limits);
      ticket.close(0);
      expect(limiter.admit(1, limits).requests?.remaining).toBe(0);
    });

    test('a refusal shows the limits as they stand', () => {
      const { limiter } = setUp();
      const limits = { requestsPerMinute: 1, tokensPerMinute: 600, concurrentRequests: null };
      limiter.admit(1, limits).close(100);
      expect(refusalOf(limiter, limits).limits).toEqual({
        requests: { limit: 1, remaining: 0, resetMs: 60_000 },
        tokens: { limit: 600, remaining: 500, resetMs: 10_000 },
      });
      const unmetered = { ...unlimited, concurrentRequests: 1 };
      limiter.admit(2, unmetered);
      expect(() => limiter.admit(2, unmetered)).toThrow(
        expect.objectContaining({ limits: { requests: null, tokens: null } }),
      );
    });

    test('keys do not share, and a raised limit holds at once', () => {
      const { limiter } = setUp();
      const limits = { ...unlimited, requestsPerMinute: 1 };
      limiter.admit(1, limits);
      limiter.admit(2, limits);
      expect(refusalOf(limiter, limits).code).toBe('rate_limited');
      expect(limiter.admit(1, { ...limits, requestsPerMinute: 3 }).requests?.remaining).toBe(1);
    });
  });
}
