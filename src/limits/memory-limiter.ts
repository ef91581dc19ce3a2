/** The limiter of one process that counts alone. */
import type { Clock } from '../base/clock.ts';
import {
  admitHere,
  amountFor,
  type CountedSeat,
  concurrentOf,
  countsTokens,
  leakMeters,
  metersOf,
  reserveHere,
  settleMeters,
  statesOf,
} from './counting.ts';
import { Holders } from './holders.ts';
import {
  type LimitedCaller,
  type Limiter,
  type LimitHolderKind,
  type LimitReport,
  type LimitState,
  type LimitStates,
  type Limits,
  type Ticket,
  unlimitedTicket,
} from './limiter.ts';
import { copyOf } from './meter.ts';

export class MemoryLimiter implements Limiter {
  readonly #clock: Clock;
  readonly #holders = new Holders();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  admit(caller: LimitedCaller): Ticket {
    if (caller.keyLimits === null && caller.userLimits === null) return unlimitedTicket;
    const seats = this.#holders.seatsOf(caller).map((seat) => ({ ...seat, meters: seat.holder }));
    admitHere(seats, this.#holders, this.#nowMs());
    return new MemoryTicket(seats, this.#holders, () => this.#nowMs());
  }

  stateOf(id: number, limits: Limits, whose: LimitHolderKind = 'key'): LimitReport {
    const holder = this.#holders.peek(whose, id);
    const meters = { requests: copyOf(holder?.requests), tokens: copyOf(holder?.tokens) };
    settleMeters(meters, limits, this.#nowMs());
    const concurrent = concurrentOf(limits, holder?.underWay ?? 0);
    return { ...statesOf([meters]), concurrent, countedBy: 'process' };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #nowMs(): number {
    return Math.floor(this.#clock.monotonicMs());
  }
}

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
    return countsTokens(this.#seats);
  }

  get requests(): LimitState | null {
    return this.#states().requests;
  }

  get tokens(): LimitState | null {
    return this.#states().tokens;
  }

  reserve(tokens: number): void {
    if (!this.countsTokens || !this.#isOpen) return;
    // Open no more if it is refused.
    this.#isOpen = false;
    reserveHere(tokens, { seats: this.#seats, holders: this.#holders, nowMs: this.#readMs() });
    this.#isOpen = true;
    this.#reserved = tokens;
  }

  close(tokens: number): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const nowMs = this.#readMs();
    for (const { holder, limits, meters } of this.#seats) {
      const reserved = amountFor(limits, this.#reserved);
      leakMeters(meters, nowMs);
      meters.tokens?.take(tokens - reserved);
      holder.reserved -= reserved;
      this.#holders.leave(holder);
    }
  }

  #states(): LimitStates {
    const nowMs = this.#readMs();
    for (const { meters } of this.#seats) leakMeters(meters, nowMs);
    return statesOf(metersOf(this.#seats));
  }
}
