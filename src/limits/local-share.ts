/**
 * What one process may let through while the shared state is away: of each limit the share that comes to it, begun with
 * the same share of what was in use when all were last told.
 */
import { LRUCache } from 'lru-cache';
import { type CountedSeat, leakMeters, settleMeters } from './counting.ts';
import type { Holder, Meters, Seat } from './holders.ts';
import type { Limits } from './limiter.ts';
import { copyOf, type Meter } from './meter.ts';

const maxShares = 50_000;

interface Share {
  readonly meters: Meters;
  /** As they were when the shared state last knew all of it; what is used beyond is to be told. */
  told: Meters;
}

export class LocalShare {
  readonly #processes: number;
  readonly #shares = new LRUCache<Holder, Share>({ max: maxShares });

  /** @param processes how many there were, this one among them, when that was last known: one at least. */
  constructor(processes: number) {
    this.#processes = processes;
  }

  /** The seat as it stands here; its meters are settled. */
  seatOf({ holder, limits }: Seat, nowMs: number): CountedSeat {
    const own = this.#limitsOf(limits);
    const share = this.#shares.get(holder) ?? this.#begin(holder, limits, nowMs);
    settleMeters(share.meters, own, nowMs);
    return { holder, limits: own, meters: share.meters };
  }

  /** For who only looks. */
  look({ holder, limits }: Seat, nowMs: number): { readonly limits: Limits; readonly meters: Meters } {
    const own = this.#limitsOf(limits);
    const { meters } = this.#shares.get(holder) ?? this.#shareOf(holder, limits, nowMs);
    const copy = copyMeters(meters);
    settleMeters(copy, own, nowMs);
    return { limits: own, meters: copy };
  }

  /** The parts that were taken of a holder and nobody has been told; from now on they are. */
  tell(holder: Holder, nowMs: number): { readonly requests: number; readonly tokens: number } {
    const share = this.#shares.get(holder);
    if (share === undefined) return { requests: 0, tokens: 0 };
    const { meters, told } = share;
    leakMeters(meters, nowMs);
    leakMeters(told, nowMs);
    share.told = copyMeters(meters);
    return {
      requests: partsOf(meters.requests) - partsOf(told.requests),
      tokens: partsOf(meters.tokens) - partsOf(told.tokens),
    };
  }

  #begin(holder: Holder, limits: Limits, nowMs: number): Share {
    const share = this.#shareOf(holder, limits, nowMs);
    this.#shares.set(holder, share);
    return share;
  }

  #shareOf(holder: Holder, limits: Limits, nowMs: number): Share {
    const known = copyMeters(holder);
    settleMeters(known, limits, nowMs);
    const meters: Meters = { requests: null, tokens: null };
    settleMeters(meters, this.#limitsOf(limits), nowMs);
    if (meters.requests !== null) meters.requests.used = this.#partsOfShare(known.requests);
    if (meters.tokens !== null) meters.tokens.used = this.#partsOfShare(known.tokens);
    return { meters, told: copyMeters(meters) };
  }

  #partsOfShare(meter: Meter | null): number {
    return Math.floor(partsOf(meter) / this.#processes);
  }

  #limitsOf({ requestsPerMinute, tokensPerMinute, concurrentRequests }: Limits): Limits {
    return {
      requestsPerMinute: this.#share(requestsPerMinute),
      tokensPerMinute: this.#share(tokensPerMinute),
      concurrentRequests: this.#share(concurrentRequests),
    };
  }

  /** At least one: a limit that is smaller than the number of processes closes none of them. */
  #share(limit: number | null): number | null {
    return limit === null ? null : Math.max(1, Math.floor(limit / this.#processes));
  }
}

const partsOf = (meter: Meter | null): number => meter?.used ?? 0;

const copyMeters = ({ requests, tokens }: Meters): Meters => ({
  requests: copyOf(requests),
  tokens: copyOf(tokens),
});
