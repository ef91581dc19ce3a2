/** What every limiter does with the limits of a user, which hold over all of their keys. */
import { expect, test } from 'bun:test';
import type { Limits } from './limiter.ts';
import { errorOf, keyWith, type SetUp, unlimited } from './testing/limited.ts';

export function describeOwnerLimits(setUp: SetUp): void {
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
    await (await limiter.admit(keyWith(unlimited, userLimits))).reserve(400);
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

  test('are told in their state, which counts all of their keys, and nobody of the same number', async () => {
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
}
