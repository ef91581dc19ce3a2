/** A bound for the bytes that the process holds of what is under way: bodies of requests, and whole answers to them. */
import { AppError } from './errors.ts';

/** Some of it is given back with every request that ends. */
const retryAfterSeconds = 1;

/** The rest is kept for answers: a provider has charged for one that finds no room. */
const shareOfRequests = 3 / 4;
/** So that no key keeps the others out. */
const shareOfKey = 1 / 4;

/** Of a budget, what the bodies of requests may hold: one that is larger is never taken. */
export const mostBytesOfRequests = (budgetBytes: number): number => Math.floor(budgetBytes * shareOfRequests);

export class ByteBudget {
  readonly maxBytes: number;
  #heldBytes = 0;
  /** By the id of the key. One that holds nothing is not there. */
  readonly #ofKeys = new Map<number, number>();

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  heldBytesOf(keyId: number): number {
    return this.#ofKeys.get(keyId) ?? 0;
  }

  /** Whether so many more keep within the part of the budget that is given. */
  hasRoom(bytes: number, mostBytes: number): boolean {
    return this.#heldBytes + bytes <= mostBytes;
  }

  add(bytes: number, keyId: number | null): void {
    if (!Number.isSafeInteger(bytes)) throw new RangeError(`${bytes} is no number of bytes`);
    this.#heldBytes += bytes;
    if (keyId === null) return;
    const ofKey = this.heldBytesOf(keyId) + bytes;
    if (ofKey === 0) this.#ofKeys.delete(keyId);
    else this.#ofKeys.set(keyId, ofKey);
  }
}

/** What one request, or one call of a provider, holds of the budget. */
export class HeldBytes {
  readonly #budget: ByteBudget;
  readonly #mostBytes: number;
  #keyId: number | null = null;
  #bytes = 0;

  private constructor(budget: ByteBudget, mostBytes: number) {
    this.#budget = budget;
    this.#mostBytes = mostBytes;
  }

  /** For what a client sends, which must leave room for answers. */
  static ofRequest(budget: ByteBudget): HeldBytes {
    return new HeldBytes(budget, mostBytesOfRequests(budget.maxBytes));
  }

  static ofAnswer(budget: ByteBudget): HeldBytes {
    return new HeldBytes(budget, budget.maxBytes);
  }

  /**
   * To be said before anything is taken. All requests of a key together hold at most its share; one alone may hold more,
   * so that the largest body is taken also where the budget is small.
   */
  belongTo(keyId: number): void {
    this.#keyId = keyId;
  }

  /** Whether it could hold so many more if nobody else held any. */
  mayEverTake(bytes: number): boolean {
    return this.#bytes + bytes <= this.#mostBytes;
  }

  /** @throws AppError server_busy when there is no room for them. */
  take(bytes: number): void {
    this.requireRoom(bytes);
    this.#budget.add(bytes, this.#keyId);
    this.#bytes += bytes;
  }

  /** Takes nothing. @throws AppError server_busy when there is no room for so many more now. */
  requireRoom(bytes: number): void {
    if (!Number.isSafeInteger(bytes) || bytes < 0) throw new RangeError(`${bytes} is no number of bytes`);
    if (!this.#budget.hasRoom(bytes, this.#mostBytes)) {
      throw busy('This server holds as many bytes of requests and answers as it may.');
    }
    if (this.#keyId === null) return;
    const ofKey = this.#budget.heldBytesOf(this.#keyId);
    if (ofKey > this.#bytes && ofKey + bytes > this.#budget.maxBytes * shareOfKey) {
      throw busy('The requests of this key that are under way hold as many bytes as those of one key may.');
    }
  }

  /** All of them; nothing when that was done before. */
  giveBack(): void {
    if (this.#bytes === 0) return;
    this.#budget.add(-this.#bytes, this.#keyId);
    this.#bytes = 0;
  }
}

function busy(reason: string): AppError {
  return new AppError({ code: 'server_busy', public: `${reason} Try again in a moment.`, retryAfterSeconds });
}
