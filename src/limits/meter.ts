/**
 * One limit a minute, by the generic cell rate algorithm in its form as a leaking bucket: what was used leaks evenly.
 * `redis-scripts.ts` says the same in Lua.
 */
import type { LimitState } from './limiter.ts';

/**
 * Use is counted in parts, of which a request or a token has as many as a minute has milliseconds. So a limit of n a
 * minute wins back n parts in a millisecond, and every sum is of whole numbers, without an error that could grow.
 */
export const partsOfOne = 60_000;

export class Meter {
  /** Parts in use; above the whole limit where a cost was known only afterwards. */
  used = 0;
  #limit: number;
  #atMs: number;

  /** @param nowMs whole milliseconds, as everywhere here. */
  constructor(limit: number, nowMs: number) {
    this.#limit = limit;
    this.#atMs = nowMs;
  }

  copy(): Meter {
    const copy = new Meter(this.#limit, this.#atMs);
    copy.used = this.used;
    return copy;
  }

  /** Wins back what has been won back since the last time, which is never later than now. */
  leak(nowMs: number): void {
    this.used = Math.max(0, this.used - (nowMs - this.#atMs) * this.#limit);
    this.#atMs = nowMs;
  }

  /** The same, with the limit that is in force now, which may be another one. */
  settle(limit: number, nowMs: number): void {
    this.leak(nowMs);
    // What is left stays left, as far as the new limit has room for it: a lowered limit blocks nobody for hours.
    const lowered = Math.max(0, this.#limit - limit);
    this.used = Math.max(0, this.used - lowered * partsOfOne);
    this.#limit = limit;
  }

  /** @param amount below zero gives back; there is never more than the limit. */
  take(amount: number): void {
    this.used = Math.max(0, this.used + amount * partsOfOne);
  }

  has(amount: number): boolean {
    return this.used + amount * partsOfOne <= this.#limit * partsOfOne;
  }

  /** For an amount that it does not have. */
  msUntil(amount: number): number {
    return Math.ceil((this.used + (amount - this.#limit) * partsOfOne) / this.#limit);
  }

  state(): LimitState {
    return {
      limit: this.#limit,
      remaining: Math.max(0, Math.floor(this.#limit - this.used / partsOfOne)),
      resetMs: Math.ceil(this.used / this.#limit),
    };
  }
}

/** The meter of a limit as it stands now; null where there is no limit. */
export function settled(meter: Meter | null, limit: number | null, nowMs: number): Meter | null {
  if (limit === null) return null;
  if (meter === null) return new Meter(limit, nowMs);
  meter.settle(limit, nowMs);
  return meter;
}

export const copyOf = (meter: Meter | null | undefined): Meter | null => meter?.copy() ?? null;
