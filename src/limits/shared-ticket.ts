/** A request that is counted with others in Redis, or here while that is away; either can change while it is under way. */

import type { MaybePromise } from '../base/maybe-promise.ts';
import { amountFor, countsTokens, leakMeters, metersOf, reserveHere, statesOf } from './counting.ts';
import type { Holders, Meters, Seat } from './holders.ts';
import type { LimitState, LimitStates, Ticket } from './limiter.ts';
import type { LocalShare } from './local-share.ts';

/** Where it is counted. */
export interface SharedCounting {
  readonly holders: Holders;
  /** Null while all count together. */
  readonly localShare: LocalShare | null;
  /** For who was just told that Redis is away. */
  share(): LocalShare;
  /** Something was taken or given back here, of which the shared state does not know. */
  touch(seats: readonly Seat[]): void;
  /** One step for all of the seats, whose meters show afterwards what it answered. Null when Redis is away. */
  ask(
    step: 'reserve' | 'close',
    seats: readonly Seat[],
    args: readonly number[],
  ): Promise<readonly number[] | null>;
  /** @throws RateLimitedError where the reply is a refusal. */
  requireRoom(reply: readonly number[], seats: readonly Seat[]): void;
  /** In whole milliseconds. */
  nowMs(): number;
}

export class SharedTicket implements Ticket {
  readonly #seats: readonly Seat[];
  readonly #limiter: SharedCounting;
  /** Of each seat. */
  #reserved: readonly number[];
  #isOpen = true;
  #reserving: Promise<void> | null = null;

  constructor(seats: readonly Seat[], limiter: SharedCounting) {
    this.#seats = seats;
    this.#limiter = limiter;
    this.#reserved = seats.map(() => 0);
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

  reserve(tokens: number): MaybePromise<void> {
    if (!this.countsTokens || !this.#isOpen) return undefined;
    const share = this.#limiter.localShare;
    if (share !== null) return this.#reserveHere(tokens, share);
    this.#reserving = this.#reserveShared(tokens).finally(() => {
      this.#reserving = null;
    });
    return this.#reserving;
  }

  async #reserveShared(tokens: number): Promise<void> {
    const limiter = this.#limiter;
    const seats = this.#seatsNow();
    const reply = await limiter.ask('reserve', seats, [tokens]);
    if (reply === null) return this.#reserveHere(tokens, limiter.share());
    try {
      limiter.requireRoom(reply, seats);
    } catch (refusal) {
      this.#isOpen = false;
      for (const { holder } of this.#seats) limiter.holders.leave(holder);
      throw refusal;
    }
    this.#reserved = seats.map(({ limits }) => amountFor(limits, tokens));
    for (const [at, { holder }] of this.#seats.entries()) holder.reserved += this.#reserved[at] ?? 0;
  }

  #reserveHere(tokens: number, share: LocalShare): void {
    const { holders } = this.#limiter;
    const nowMs = this.#limiter.nowMs();
    const seats = this.#seatsNow().map((seat) => share.seatOf(seat, nowMs));
    this.#limiter.touch(this.#seats);
    // Open no more if it is refused.
    this.#isOpen = false;
    reserveHere(tokens, { seats, holders, nowMs });
    this.#isOpen = true;
    this.#reserved = seats.map(({ limits }) => amountFor(limits, tokens));
  }

  close(tokens: number): void {
    if (this.#reserving !== null) {
      void this.#reserving.then(
        () => this.close(tokens),
        () => undefined,
      );
      return;
    }
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const { holders, localShare } = this.#limiter;
    for (const [at, { holder }] of this.#seats.entries()) {
      holder.reserved -= this.#reserved[at] ?? 0;
      holders.leave(holder);
    }
    if (localShare !== null) {
      this.#settleHere(tokens, localShare);
      return;
    }
    // Told, and shown meanwhile as it will stand.
    const nowMs = this.#limiter.nowMs();
    for (const [at, { holder }] of this.#seats.entries()) {
      leakMeters(holder, nowMs);
      holder.tokens?.take(tokens - (this.#reserved[at] ?? 0));
    }
    void this.#limiter.ask('close', this.#seatsNow(), [tokens, ...this.#reserved]).then((reply) => {
      // It may have come through: what is owed counts twice rather than never, and nothing is given back twice.
      if (reply === null) this.#settleHere(Math.max(tokens, ...this.#reserved), this.#limiter.share());
    });
  }

  #settleHere(tokens: number, share: LocalShare): void {
    const nowMs = this.#limiter.nowMs();
    for (const [at, seat] of this.#seatsNow().entries()) {
      share.seatOf(seat, nowMs).meters.tokens?.take(tokens - (this.#reserved[at] ?? 0));
    }
    this.#limiter.touch(this.#seats);
  }

  /** Under the limits that hold by now: an old request must not bring back those with which it came. */
  #seatsNow(): readonly Seat[] {
    return this.#seats.map(({ holder }) => ({ holder, limits: holder.limits }));
  }

  #states(): LimitStates {
    const nowMs = this.#limiter.nowMs();
    const share = this.#limiter.localShare;
    if (share !== null) return statesOf(metersOf(this.#seatsNow().map((seat) => share.seatOf(seat, nowMs))));
    const meters: Meters[] = this.#seats.map(({ holder }) => holder);
    for (const each of meters) leakMeters(each, nowMs);
    return statesOf(meters);
  }
}
