/** The limiter of one process: token buckets that refill steadily, and a count of what is under way. */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../base/clock.ts';
import {
  type KeyLimits,
  type Limiter,
  type LimitState,
  type LimitStates,
  RateLimitedError,
  type Ticket,
} from './limiter.ts';

const minuteMs = 60_000;
const maxKeys = 50_000;

const unlimited: Ticket = {
  requests: null,
  tokens: null,
  reserve: () => undefined,
  close: () => undefined,
};

/** Holds one minute's allowance and refills evenly; may go below zero when a cost is known only afterwards. */
class Bucket {
  #level: number;
  #filledAtMs: number;
  #limit: number;

  constructor(limit: number, nowMs: number) {
    this.#limit = limit;
    this.#level = limit;
    this.#filledAtMs = nowMs;
  }

  /** @param limit the limit in force now; it may have been changed since the last call. */
  refill(limit: number, nowMs: number): void {
    const gained = ((nowMs - this.#filledAtMs) / minuteMs) * limit;
    this.#level = Math.min(limit, this.#level + gained + Math.max(0, limit - this.#limit));
    this.#limit = limit;
    this.#filledAtMs = nowMs;
  }

  /** @param amount below zero to give back; there is never more than the limit. */
  take(amount: number): void {
    this.#level = Math.min(this.#limit, this.#level - amount);
  }

  has(amount: number): boolean {
    return this.#level >= amount;
  }

  msUntil(amount: number): number {
    return Math.max(0, ((amount - this.#level) / this.#limit) * minuteMs);
  }

  state(): LimitState {
    return {
      limit: this.#limit,
      remaining: Math.max(0, Math.floor(this.#level)),
      resetMs: this.msUntil(this.#limit),
    };
  }
}

interface KeyState {
  requests: Bucket | null;
  tokens: Bucket | null;
  underWay: number;
  /** Tokens that requests under way may come to use. */
  reserved: number;
}

export class MemoryLimiter implements Limiter {
  readonly #clock: Clock;
  readonly #keys = new LRUCache<number, KeyState>({ max: maxKeys });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  admit(keyId: number, limits: KeyLimits): Ticket {
    const { requestsPerMinute, tokensPerMinute, concurrentRequests } = limits;
    if (requestsPerMinute === null && tokensPerMinute === null && concurrentRequests === null)
      return unlimited;
    const state = this.#stateOf(keyId, limits);
    if (concurrentRequests !== null && state.underWay >= concurrentRequests) {
      throw new RateLimitedError(`${concurrentRequests} requests at once`, 1000, statesOf(state));
    }
    if (state.requests !== null && !state.requests.has(1)) {
      const waitMs = state.requests.msUntil(1);
      throw new RateLimitedError(`${requestsPerMinute} requests per minute`, waitMs, statesOf(state));
    }
    if (state.tokens !== null && !state.tokens.has(1)) {
      const waitMs = state.tokens.msUntil(1);
      throw new RateLimitedError(`${tokensPerMinute} tokens per minute`, waitMs, statesOf(state));
    }
    state.requests?.take(1);
    state.underWay += 1;
    return new OpenTicket(state, limits, () => this.#stateOf(keyId, limits));
  }

  #stateOf(keyId: number, limits: KeyLimits): KeyState {
    const nowMs = this.#clock.monotonicMs();
    const state = this.#keys.get(keyId) ?? { requests: null, tokens: null, underWay: 0, reserved: 0 };
    state.requests = refilled(state.requests, limits.requestsPerMinute, nowMs);
    state.tokens = refilled(state.tokens, limits.tokensPerMinute, nowMs);
    this.#keys.set(keyId, state);
    return state;
  }
}

function refilled(bucket: Bucket | null, limit: number | null, nowMs: number): Bucket | null {
  if (limit === null) return null;
  if (bucket === null) return new Bucket(limit, nowMs);
  bucket.refill(limit, nowMs);
  return bucket;
}

class OpenTicket implements Ticket {
  readonly #state: KeyState;
  readonly #limits: KeyLimits;
  readonly #refill: () => void;
  #reserved = 0;
  #isOpen = true;

  constructor(state: KeyState, limits: KeyLimits, refill: () => void) {
    this.#state = state;
    this.#limits = limits;
    this.#refill = refill;
  }

  get requests(): LimitState | null {
    return this.#state.requests?.state() ?? null;
  }

  get tokens(): LimitState | null {
    return this.#state.tokens?.state() ?? null;
  }

  reserve(tokens: number): void {
    const { tokensPerMinute } = this.#limits;
    const bucket = this.#state.tokens;
    if (tokensPerMinute === null || bucket === null) return;
    this.#refill();
    // What is larger than the limit could never be served, and a request that runs alone can owe what it uses beyond.
    const amount = Math.min(tokens, tokensPerMinute);
    if (this.#state.reserved > 0 && !bucket.has(amount)) {
      const waitMs = bucket.msUntil(amount);
      this.#state.requests?.take(-1);
      this.close(0);
      throw new RateLimitedError(`${tokensPerMinute} tokens per minute`, waitMs, statesOf(this.#state));
    }
    this.#reserved = amount;
    this.#state.reserved += amount;
    bucket.take(amount);
  }

  close(tokens: number): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#state.underWay -= 1;
    this.#state.reserved -= this.#reserved;
    this.#state.tokens?.take(tokens - this.#reserved);
  }
}

function statesOf({ requests, tokens }: KeyState): LimitStates {
  return { requests: requests?.state() ?? null, tokens: tokens?.state() ?? null };
}
