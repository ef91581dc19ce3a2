/** The limiter of one process that counts alone. */
import type { Clock } from '../base/clock.ts';
import {
  amountFor,
  type CountedSeat,
  concurrentOf,
  findExceeded,
  findExceededBy,
  settleMeters,
  statesOf,
} from './counting.ts';
import { type Holder, Holders, type Seat } from './holders.ts';
import {
  type KeyLimitReport,
  type LimitedCaller,
  type Limiter,
  type LimitState,
  type LimitStates,
  type Limits,
  RateLimitedError,
  type Ticket,
  unlimitedTicket,
} from './limiter.ts';

export class MemoryLimiter implements Limiter {
  readonly #clock: Clock;
  readonly #holders = new Holders();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  admit(caller: LimitedCaller): Ticket {
    if (caller.keyLimits === null && caller.userLimits === null) return unlimitedTicket;
    const seats = this.#holders.seatsOf(caller).map(counted);
    const nowMs = this.#nowMs();
    for (const { meters, limits } of seats) settleMeters(meters, limits, nowMs);
    const exceeded = findExceeded(seats);
    if (exceeded !== null) throw new RateLimitedError(exceeded, statesOf(metersOf(seats)));
    for (const { holder } of seats) {
      holder.requests?.take(1);
      this.#holders.enter(holder);
    }
    return new MemoryTicket(seats, this.#holders, () => this.#nowMs());
  }

  stateOf(keyId: number, limits: Limits): KeyLimitReport {
    const holder = this.#holders.peek('key', keyId) ?? unseen;
    const meters = { requests: holder.requests?.copy() ?? null, tokens: holder.tokens?.copy() ?? null };
    settleMeters(meters, limits, this.#nowMs());
    const concurrent = concurrentOf(limits, holder.underWay);
    return { ...statesOf([meters]), concurrent, countedBy: 'process' };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #nowMs(): number {
    return Math.floor(this.#clock.monotonicMs());
  }
}

const counted = (seat: Seat): CountedSeat => ({ ...seat, meters: seat.holder });
const metersOf = (seats: readonly CountedSeat[]) => seats.map(({ meters }) => meters);
const unseen: Readonly<Pick<Holder, 'requests' | 'tokens' | 'underWay'>> = {
  requests: null,
  tokens: null,
  underWay: 0,
};

class MemoryTicket implements Ticket {
  readonly #seats: readonly CountedSeat[];
  readonly #holders: Holders;
  readonly #readMs: () => number;
  #reserved = 0;
  #isOpen = true;

  constructor(seats: readonly CountedSeat[], holders: Holders, readMs: () => number) {
    this.#seats = seats;
    this.#holders = holders;
    this.#readMs = readMs;
  }

  get countsTokens(): boolean {
    return this.#seats.some(({ limits }) => limits.tokensPerMinute !== null);
  }

  get requests(): LimitState | null {
    return this.#states().requests;
  }

  get tokens(): LimitState | null {
    return this.#states().tokens;
  }

  reserve(tokens: number): void {
    if (!this.countsTokens || !this.#isOpen) return;
    this.#leak();
    const exceeded = findExceededBy(tokens, this.#seats);
    if (exceeded !== null) {
      for (const { meters } of this.#seats) meters.requests?.take(-1);
      this.close(0);
      throw new RateLimitedError(exceeded, this.#states());
    }
    this.#reserved = tokens;
    for (const { holder, limits, meters } of this.#seats) {
      holder.reserved += amountFor(limits, tokens);
      meters.tokens?.take(amountFor(limits, tokens));
    }
  }

  close(tokens: number): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#leak();
    for (const { holder, limits, meters } of this.#seats) {
      const reserved = amountFor(limits, this.#reserved);
      holder.reserved -= reserved;
      meters.tokens?.take(tokens - reserved);
      this.#holders.leave(holder);
    }
  }

  #states(): LimitStates {
    this.#leak();
    return statesOf(metersOf(this.#seats));
  }

  /** By the limits that the meters have by now: those of this request may have been changed since it came. */
  #leak(): void {
    const nowMs = this.#readMs();
    for (const { meters } of this.#seats) {
      meters.requests?.leak(nowMs);
      meters.tokens?.leak(nowMs);
    }
  }
}
