/** What every limiter does with tokens a minute: those under way are reserved, and what was used counts. */
import { describe, expect, test } from 'bun:test';
import type { Limiter } from './limiter.ts';
import { errorOf, keyWith, refusalOf, type SetUp, unlimited } from './testing/limited.ts';

export function describeTokenLimits(setUp: SetUp): void {
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

  test('a request that ends while its tokens are being reserved has those back that it did not use', async () => {
    const { limiter } = await setUp();
    const limits = { ...unlimited, tokensPerMinute: 1000, concurrentRequests: 2 };
    const ticket = await limiter.admit(keyWith(limits));
    const reserving = ticket.reserve(300);
    ticket.close(100);
    await reserving;
    expect(await limiter.stateOf(1, limits)).toMatchObject({
      tokens: { remaining: 900 },
      concurrent: { underWay: 0 },
    });
    // Nothing is reserved any more: who is alone may owe.
    await (await limiter.admit(keyWith(limits))).reserve(1000);
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

  test('the time to wait is never told too short', async () => {
    const { advance, limiter } = await setUp();
    const limits = { ...unlimited, tokensPerMinute: 5999 };
    (await limiter.admit(keyWith(limits))).close(5999 + 99);
    // A hundred tokens are won back in 1000.17 ms.
    expect((await refusalOf(limiter, limits)).retryAfterSeconds).toBe(2);
    advance(1000);
    expect((await refusalOf(limiter, limits)).retryAfterSeconds).toBe(1);
    advance(1);
    await limiter.admit(keyWith(limits));
  });

  test('what was used counts from when it is known, however long the request took', async () => {
    const { advance, limiter } = await setUp();
    const limits = { ...unlimited, tokensPerMinute: 600 };
    const ticket = await limiter.admit(keyWith(limits));
    advance(60_000);
    ticket.close(900);
    expect(ticket.tokens).toMatchObject({ remaining: 0, resetMs: 90_000 });
    expect((await refusalOf(limiter, limits)).retryAfterSeconds).toBe(31);
  });

  test('a limit that is taken away meanwhile holds back no request that came under it', async () => {
    const { limiter } = await setUp();
    const limits = { requestsPerMinute: 10, tokensPerMinute: 600, concurrentRequests: null };
    const [first, second] = [await limiter.admit(keyWith(limits)), await limiter.admit(keyWith(limits))];
    await first.reserve(500);
    await limiter.admit(keyWith({ ...limits, tokensPerMinute: null }));
    await second.reserve(500);
    expect(second.tokens).toBeNull();
    for (const ticket of [first, second]) ticket.close(900);
    expect(await limiter.stateOf(1, limits)).toMatchObject({ tokens: { remaining: 600 } });
  });

  test('a limit that is set meanwhile counts what was used by a request that came before', async () => {
    const { limiter } = await setUp();
    const limits = { ...unlimited, requestsPerMinute: 10 };
    const before = await limiter.admit(keyWith(limits));
    const tighter = { ...limits, tokensPerMinute: 600 };
    await (await limiter.admit(keyWith(tighter))).reserve(200);
    await before.reserve(500);
    before.close(100);
    expect(await limiter.stateOf(1, tighter)).toMatchObject({ tokens: { remaining: 300 } });
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

    test('fit by what has been won back since the request came', async () => {
      const { advance, limiter } = await setUp();
      await reserving(limiter, 400);
      const later = await limiter.admit(keyWith(limits));
      advance(20_000);
      await later.reserve(400);
      expect(later.tokens).toMatchObject({ limit: 600, remaining: 0 });
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
        const ticket = await limiter.admit(keyWith({ ...unlimited, concurrentRequests: 20 }));
        expect(ticket.countsTokens).toBe(false);
        await ticket.reserve(1_000_000);
      }
    });
  });
}
