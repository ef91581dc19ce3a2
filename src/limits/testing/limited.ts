/** Callers with limits, and what they are told where they are refused. */
import { type LimitedCaller, type Limiter, type Limits, RateLimitedError } from '../limiter.ts';

/** A fresh limiter, and the clock that it goes by. */
export type SetUp = () => Promise<{ readonly limiter: Limiter; advance(ms: number): void }>;

export const unlimited: Limits = { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null };

/** Key 1 of user 1. */
export const keyWith = (keyLimits: Limits | null, userLimits: Limits | null = null): LimitedCaller => ({
  keyId: 1,
  userId: 1,
  keyLimits,
  userLimits,
});

export const refusalOf = (limiter: Limiter, limits: Limits): Promise<RateLimitedError> =>
  errorOf(async () => limiter.admit(keyWith(limits)));

export async function errorOf(refused: () => Promise<unknown>): Promise<RateLimitedError> {
  try {
    await refused();
  } catch (error) {
    if (error instanceof RateLimitedError) return error;
  }
  throw new Error('it was admitted');
}

export async function isAdmitted(limiter: Limiter, caller: LimitedCaller): Promise<boolean> {
  try {
    await limiter.admit(caller);
    return true;
  } catch (error) {
    if (error instanceof RateLimitedError) return false;
    throw error;
  }
}

/** How many of so many that are asked one after the other. */
export async function admitted(limiter: Limiter, caller: LimitedCaller, count: number): Promise<number> {
  let got = 0;
  for (let at = 0; at < count; at += 1) if (await isAdmitted(limiter, caller)) got += 1;
  return got;
}
