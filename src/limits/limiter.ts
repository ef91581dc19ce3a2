/** What a key may do a minute and at once. README.md says by which rules. */
import { AppError } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';

export interface KeyLimits {
  /** Null is unlimited. */
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly concurrentRequests: number | null;
}

/** One limit as answer headers show it. */
export interface LimitState {
  readonly limit: number;
  readonly remaining: number;
  /** Until it is whole again. */
  readonly resetMs: number;
}

/** Null where the key has no such limit. */
export interface LimitStates {
  readonly requests: LimitState | null;
  readonly tokens: LimitState | null;
}

/** A request under way. Its limits are told as they stand when they are looked at, as far as this process knows. */
export interface Ticket extends LimitStates {
  /**
   * Takes the tokens that the request may come to use, as soon as that can be told; at most once.
   * @throws RateLimitedError with the seconds to wait, when they do not fit beside what others have reserved. The request
   *   is closed then, and counts for nothing.
   */
  reserve(tokens: number): MaybePromise<void>;
  /** Ends the request; `tokens` is what it used in all, in place of what it reserved. Further calls do nothing. */
  close(tokens: number): void;
}

export interface Limiter {
  /** Counts a request, before its body is read. @throws RateLimitedError with the seconds to wait. */
  admit(keyId: number, limits: KeyLimits): MaybePromise<Ticket>;
}

/** A refusal that shows the key's limits as an admission does. */
export class RateLimitedError extends AppError {
  readonly limits: LimitStates;

  /** @param exceeded as in `6 requests per minute`. */
  constructor(exceeded: string, waitMs: number, limits: LimitStates) {
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    super({
      code: 'rate_limited',
      public: `This key is limited to ${exceeded}. Try again in ${retryAfterSeconds} s.`,
      retryAfterSeconds,
    });
    this.limits = limits;
  }
}
