/** Who holds limits, keys and users, with what this process knows of each. Nobody with an open request is forgotten. */
import { LRUCache } from 'lru-cache';
import type { LimitedCaller, LimitHolderKind, Limits } from './limiter.ts';
import type { Meter } from './meter.ts';

/** The limits a minute of one holder. */
export interface Meters {
  requests: Meter | null;
  tokens: Meter | null;
}

export interface Holder extends Meters {
  readonly whose: LimitHolderKind;
  readonly id: number;
  /** As last told. */
  limits: Limits;
  /** Requests of this process. */
  underWay: number;
  /** Tokens that those may come to use. */
  reserved: number;
}

/** A holder under the limits that it has at the moment. */
export interface Seat {
  readonly holder: Holder;
  readonly limits: Limits;
}

const maxRecent = 50_000;

export class Holders {
  /** Apart, so that as many others as there may be push none of them out. */
  readonly #open = new Map<string, Holder>();
  readonly #recent = new LRUCache<string, Holder>({ max: maxRecent });

  /** Those whose limits a request has to keep: the key first, then its user. */
  seatsOf({ keyId, userId, keyLimits, userLimits }: LimitedCaller): readonly Seat[] {
    const seats: Seat[] = [];
    if (keyLimits !== null) seats.push(this.#seat('key', keyId, keyLimits));
    if (userLimits !== null) seats.push(this.#seat('user', userId, userLimits));
    return seats;
  }

  #seat(whose: LimitHolderKind, id: number, limits: Limits): Seat {
    const known = this.peek(whose, id);
    if (known !== undefined) {
      known.limits = limits;
      return { holder: known, limits };
    }
    const holder: Holder = { whose, id, limits, requests: null, tokens: null, underWay: 0, reserved: 0 };
    this.#recent.set(nameOf(holder), holder);
    return { holder, limits };
  }

  peek(whose: LimitHolderKind, id: number): Holder | undefined {
    const name = nameOf({ whose, id });
    return this.#open.get(name) ?? this.#recent.get(name);
  }

  /** A request begins. */
  enter(holder: Holder): void {
    if (holder.underWay === 0) this.#open.set(nameOf(holder), holder);
    holder.underWay += 1;
  }

  /** A request has ended. */
  leave(holder: Holder): void {
    holder.underWay -= 1;
    if (holder.underWay > 0) return;
    const name = nameOf(holder);
    this.#open.delete(name);
    // Meanwhile others may have pushed it out.
    if (!this.#recent.has(name)) this.#recent.set(name, holder);
  }

  /** Those with requests under way. */
  open(): Iterable<Holder> {
    return this.#open.values();
  }
}

/** As in `key:12`. */
export const nameOf = ({ whose, id }: Pick<Holder, 'whose' | 'id'>): string => `${whose}:${id}`;
