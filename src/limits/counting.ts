/** Whether a request fits into the limits of its key and its user, and what it takes of them, where this process decides. */
import type { Holder, Meters, Seat } from './holders.ts';
import type { ExceededLimit, LimitState, LimitStates, Limits } from './limiter.ts';
import { settled } from './meter.ts';

/** A seat with the meters that count for it here. They must be settled before they are looked at. */
export interface CountedSeat extends Seat {
  readonly meters: Meters;
}

export function settleMeters(meters: Meters, limits: Limits, nowMs: number): void {
  meters.requests = settled(meters.requests, limits.requestsPerMinute, nowMs);
  meters.tokens = settled(meters.tokens, limits.tokensPerMinute, nowMs);
}

/** A place is free as soon as any other request ends, which nobody knows beforehand. */
const placeWaitMs = 1000;

/** Of several limits that have no room the one with the longest wait; null when the request fits. */
export function findExceeded(seats: readonly CountedSeat[]): ExceededLimit | null {
  let longest: ExceededLimit | null = null;
  for (const seat of seats) {
    for (const found of exceededAt(seat)) {
      if (longest === null || found.waitMs > longest.waitMs) longest = found;
    }
  }
  return longest;
}

function* exceededAt({ holder, limits, meters }: CountedSeat): Generator<ExceededLimit> {
  const { requestsPerMinute, tokensPerMinute, concurrentRequests } = limits;
  const { whose } = holder;
  if (concurrentRequests !== null && holder.underWay >= concurrentRequests) {
    yield { whose, what: 'concurrentRequests', limit: concurrentRequests, waitMs: placeWaitMs };
  }
  if (requestsPerMinute !== null && meters.requests?.has(1) === false) {
    const waitMs = meters.requests.msUntil(1);
    yield { whose, what: 'requestsPerMinute', limit: requestsPerMinute, waitMs };
  }
  if (tokensPerMinute !== null && meters.tokens?.has(1) === false) {
    yield { whose, what: 'tokensPerMinute', limit: tokensPerMinute, waitMs: meters.tokens.msUntil(1) };
  }
}

/** What a reservation takes of a holder: what is larger than the limit could never be served. */
export const amountFor = ({ tokensPerMinute }: Limits, tokens: number): number =>
  tokensPerMinute === null ? 0 : Math.min(tokens, tokensPerMinute);

/** As `findExceeded`, for the tokens that a request may come to use. */
export function findExceededBy(tokens: number, seats: readonly CountedSeat[]): ExceededLimit | null {
  let longest: ExceededLimit | null = null;
  for (const { holder, limits, meters } of seats) {
    const { tokensPerMinute } = limits;
    const amount = amountFor(limits, tokens);
    // A request that runs alone can owe what it uses beyond.
    if (tokensPerMinute === null || meters.tokens === null || holder.reserved === 0) continue;
    if (meters.tokens.has(amount)) continue;
    const waitMs = meters.tokens.msUntil(amount);
    if (longest !== null && longest.waitMs >= waitMs) continue;
    longest = { whose: holder.whose, what: 'tokensPerMinute', limit: tokensPerMinute, waitMs };
  }
  return longest;
}

/** As answer headers show them: of a key's and its user's limit the one with less left. */
export function statesOf(all: readonly Meters[]): LimitStates {
  let requests: LimitState | null = null;
  let tokens: LimitState | null = null;
  for (const meters of all) {
    requests = tighter(requests, meters.requests?.state() ?? null);
    tokens = tighter(tokens, meters.tokens?.state() ?? null);
  }
  return { requests, tokens };
}

function tighter(one: LimitState | null, other: LimitState | null): LimitState | null {
  if (one === null || other === null) return one ?? other;
  if (one.remaining !== other.remaining) return one.remaining < other.remaining ? one : other;
  return one.limit <= other.limit ? one : other;
}

export const concurrentOf = (
  { concurrentRequests }: Limits,
  underWay: Holder['underWay'],
): { limit: number; underWay: number } | null =>
  concurrentRequests === null ? null : { limit: concurrentRequests, underWay };
