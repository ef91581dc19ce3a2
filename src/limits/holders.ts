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

const maxIdle = 50_000;

export class Holders {
  /** Apart, so that as many others as there may be push none of them out. */
  readonly #open = new Map<string, Holder>();
  readonly #idle = new LRUCache<string, Holder>({ max: maxIdle });

  /** Those whose limits a request has to keep: the key first, then its user. */
  seatsOf({ keyId, userId, keyLimits, userLimits }: LimitedCaller): readonly Seat[] {
    const seats: Seat[] = [];
    if (keyLimits !== null) seats.push({ holder: this.find('key', keyId), limits: keyLimits });
    if (userLimits !== null) seats.push({ holder: this.find('user', userId), limits: userLimits });
    return seats;
  }

  find(whose: LimitHolderKind, id: number): Holder {
    const name = nameOf({ whose, id });
    const known = this.peek(whose, id);
    if (known !== undefined) return known;
    const holder: Holder = { whose, id, requests: null, tokens: null, underWay: 0, reserved: 0 };
    this.#idle.set(name, holder);
    return holder;
  }

  /** Without making one. */
  peek(whose: LimitHolderKind, id: number): Holder | undefined {
    const name = nameOf({ whose, id });
    return this.#open.get(name) ?? this.#idle.get(name);
  }

  /** A request begins. */
  enter(holder: Holder): void {
    if (holder.underWay === 0) {
      this.#idle.delete(nameOf(holder));
      this.#open.set(nameOf(holder), holder);
    }
    holder.underWay += 1;
  }

  /** A request has ended. */
  leave(holder: Holder): void {
    holder.underWay -= 1;
    if (holder.underWay > 0) return;
    this.#open.delete(nameOf(holder));
    this.#idle.set(nameOf(holder), holder);
  }

  /** Those with requests under way. */
  open(): Iterable<Holder> {
    return this.#open.values();
  }
}

/** As in `key:12`. */
const nameOf = ({ whose, id }: Pick<Holder, 'whose' | 'id'>): string => `${whose}:${id}`;
