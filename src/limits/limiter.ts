/** What a key may do a minute and at once. */

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

export interface Ticket {
  readonly requests: LimitState | null;
  readonly tokens: LimitState | null;
  /** Ends the request; `tokens` is what it used in all. Further calls do nothing. */
  close(tokens: number): void;
}

export interface Limiter {
  /** @throws AppError rate_limited with the seconds to wait. */
  admit(keyId: number, limits: KeyLimits): Ticket;
}
