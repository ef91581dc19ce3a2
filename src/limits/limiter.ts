/** What a key may do a minute and at once. */
import { AppError } from '../base/errors.ts';

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

export interface Ticket extends LimitStates {
  /** Ends the request; `tokens` is what it used in all. Further calls do nothing. */
  close(tokens: number): void;
}

export interface Limiter {
  /** @throws RateLimitedError with the seconds to wait. */
  admit(keyId: number, limits: KeyLimits): Ticket;
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
