/** Whether a request fits into the limits of its key and its user, and what it takes of them, where this process decides. */
import type { Holder, Holders, Meters, Seat } from './holders.ts';
import {
  type ExceededLimit,
  type LimitState,
  type LimitStates,
  type Limits,
  RateLimitedError,
} from './limiter.ts';
import { settled } from './meter.ts';

/** A seat with the meters that count for it here. */
export interface CountedSeat extends Seat {
  readonly meters: Meters;
}

/** @throws RateLimitedError, and then nothing is taken. */
export function admitHere(seats: readonly CountedSeat[], holders: Holders, nowMs: number): void {
  for (const { meters, limits } of seats) settleMeters(meters, limits, nowMs);
  const exceeded = longestOf(seats.flatMap(exceededAt));
  if (exceeded !== null) throw new RateLimitedError(exceeded, statesOf(metersOf(seats)));
  for (const { holder, meters } of seats) {
    meters.requests?.take(1);
    holders.enter(holder);
  }
}

/** @throws RateLimitedError, and then the request is not there any more: its place and what it took are given back. */
export function reserveHere(
  tokens: number,
  { seats, holders, nowMs }: { seats: readonly CountedSeat[]; holders: Holders; nowMs: number },
): void {
  for (const { meters } of seats) leakMeters(meters, nowMs);
  const exceeded = longestOf(seats.flatMap((seat) => exceededBy(tokens, seat)));
  if (exceeded === null) {
    for (const { holder, limits, meters } of seats) {
      holder.reserved += amountFor(limits, tokens);
      meters.tokens?.take(amountFor(limits, tokens));
    }
    return;
  }
  for (const { holder, meters } of seats) {
    meters.requests?.take(-1);
    holders.leave(holder);
  }
  throw new RateLimitedError(exceeded, statesOf(metersOf(seats)));
}

export function settleMeters(meters: Meters, limits: Limits, nowMs: number): void {
  meters.requests = settled(meters.requests, limits.requestsPerMinute, nowMs);
  meters.tokens = settled(meters.tokens, limits.tokensPerMinute, nowMs);
}

/** By the limits that the meters have by now: those that a request came with may have been changed since. */
export function leakMeters(meters: Meters, nowMs: number): void {
  meters.requests?.leak(nowMs);
  meters.tokens?.leak(nowMs);
}

/** A place is free as soon as any other request ends, which nobody knows beforehand. */
const placeWaitMs = 1000;

function exceededAt({ holder, limits, meters }: CountedSeat): ExceededLimit[] {
  const { requestsPerMinute, tokensPerMinute, concurrentRequests } = limits;
  const { whose } = holder;
  const found: ExceededLimit[] = [];
  if (concurrentRequests !== null && holder.underWay >= concurrentRequests) {
    found.push({ whose, what: 'concurrentRequests', limit: concurrentRequests, waitMs: placeWaitMs });
  }
  if (requestsPerMinute !== null && meters.requests?.has(1) === false) {
    const waitMs = meters.requests.msUntil(1);
    found.push({ whose, what: 'requestsPerMinute', limit: requestsPerMinute, waitMs });
  }
  if (tokensPerMinute !== null && meters.tokens?.has(1) === false) {
    const waitMs = meters.tokens.msUntil(1);
    found.push({ whose, what: 'tokensPerMinute', limit: tokensPerMinute, waitMs });
  }
  return found;
}

function exceededBy(tokens: number, { holder, limits, meters }: CountedSeat): ExceededLimit[] {
  const { tokensPerMinute } = limits;
  const amount = amountFor(limits, tokens);
  // A request that runs alone can owe what it uses beyond.
  if (tokensPerMinute === null || meters.tokens === null || holder.reserved === 0) return [];
  if (meters.tokens.has(amount)) return [];
  const waitMs = meters.tokens.msUntil(amount);
  return [{ whose: holder.whose, what: 'tokensPerMinute', limit: tokensPerMinute, waitMs }];
}

/** Of several limits that have no room the one with the longest wait; null when the request fits. */
function longestOf(exceeded: readonly ExceededLimit[]): ExceededLimit | null {
  let longest: ExceededLimit | null = null;
  for (const each of exceeded) {
    if (longest === null || each.waitMs > longest.waitMs) longest = each;
  }
  return longest;
}

/** What a reservation takes of a holder: what is larger than the limit could never be served. */
export const amountFor = ({ tokensPerMinute }: Limits, tokens: number): number =>
  tokensPerMinute === null ? 0 : Math.min(tokens, tokensPerMinute);

export const countsTokens = (seats: readonly Seat[]): boolean =>
  seats.some(({ limits }) => limits.tokensPerMinute !== null);

export const metersOf = (seats: readonly CountedSeat[]): readonly Meters[] =>
  seats.map(({ meters }) => meters);

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
