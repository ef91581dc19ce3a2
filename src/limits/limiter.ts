/** What a key and its user may do a minute and at once. README.md says by which rules. */
import { AppError } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';

export interface Limits {
  /** Null is unlimited. */
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly concurrentRequests: number | null;
}

/** Who asks. Both limits hold: those of the key, and those of its owner over all of their keys. */
export interface LimitedCaller {
  readonly keyId: number;
  readonly userId: number;
  /** Null where nothing is limited. */
  readonly keyLimits: Limits | null;
  readonly userLimits: Limits | null;
}

/** One limit as answer headers show it. */
export interface LimitState {
  readonly limit: number;
  readonly remaining: number;
  /** Until it is whole again. */
  readonly resetMs: number;
}

/** Null where there is no such limit. Of a key's and its user's the one with less left. */
export interface LimitStates {
  readonly requests: LimitState | null;
  readonly tokens: LimitState | null;
}

/** All that is known of one key, or of one user, for who looks at it. */
export interface LimitReport extends LimitStates {
  /** Null where there is no such limit. */
  readonly concurrent: { readonly limit: number; readonly underWay: number } | null;
  /**
   * `process` where this process counts alone, `shared` where all count together, `share` where the shared state is
   * away: then limits and counts are this process's share of them.
   */
  readonly countedBy: 'process' | 'shared' | 'share';
}

/** How callers read a report, at `GET /v1/key` and in the dashboard alike. */
export function describeLimits({ requests, tokens, concurrent, countedBy }: LimitReport) {
  return {
    requests: requests && describeLimit(requests),
    tokens: tokens && describeLimit(tokens),
    concurrent: concurrent && {
      limit: concurrent.limit,
      // Where a limit was lowered under requests that go on, more of them can be under way than it allows.
      remaining: Math.max(0, concurrent.limit - concurrent.underWay),
    },
    counted_by: countedBy,
  };
}

const describeLimit = ({ limit, remaining, resetMs }: LimitState) => ({
  limit,
  remaining,
  reset_seconds: Math.ceil(resetMs / 100) / 10,
});

/** A request under way. Its limits are told as they stand when they are looked at, as far as this process knows. */
export interface Ticket extends LimitStates {
  /** Whether a reservation means anything: without a limit of tokens none need be reckoned. */
  readonly countsTokens: boolean;
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
  admit(caller: LimitedCaller): MaybePromise<Ticket>;
  /** How a key stands against the limits, of which it is told, or another holder; changes nothing. */
  stateOf(id: number, limits: Limits, whose?: LimitHolderKind): MaybePromise<LimitReport>;
  /** Lets go of what it holds outside of this process, which then counts for nobody. */
  close(): Promise<void>;
}

export const unlimitedTicket: Ticket = {
  requests: null,
  tokens: null,
  countsTokens: false,
  reserve: () => undefined,
  close: () => undefined,
};

/** Whose limit it is. */
export type LimitHolderKind = 'key' | 'user';

/** The limit that a request did not fit into. */
export interface ExceededLimit {
  readonly whose: LimitHolderKind;
  readonly what: keyof Limits;
  readonly limit: number;
  readonly waitMs: number;
}

const nouns: Record<keyof Limits, string> = {
  requestsPerMinute: 'requests per minute',
  tokensPerMinute: 'tokens per minute',
  concurrentRequests: 'requests at once',
};

const subjects: Record<LimitHolderKind, string> = {
  key: 'This key is limited to',
  user: "The keys of this key's owner are together limited to",
};

/** A refusal that shows the limits as an admission does. */
export class RateLimitedError extends AppError {
  readonly limits: LimitStates;

  constructor({ whose, what, limit, waitMs }: ExceededLimit, limits: LimitStates) {
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    super({
      code: 'rate_limited',
      public: `${subjects[whose]} ${limit} ${nouns[what]}. Try again in ${retryAfterSeconds} s.`,
      retryAfterSeconds,
    });
    this.limits = limits;
  }
}
