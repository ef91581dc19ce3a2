/** A bound for the bytes that the process holds of what is under way: bodies of requests, and whole answers to them. */
import { AppError } from './errors.ts';

/** Some of it is given back with every request that ends. */
const retryAfterSeconds = 1;

/** The rest is kept for answers: a provider has charged for one that finds no room. */
const shareOfRequests = 3 / 4;
/** So that no key keeps the others out: of all that it holds but one thing, which may be larger by itself. */
const shareOfKey = 1 / 4;

/** Of a budget, what the bodies of requests may hold: one that is larger is never taken. */
export const mostBytesOfRequests = (budgetBytes: number): number => Math.floor(budgetBytes * shareOfRequests);

interface KeyHolding {
  bytes: number;
  /** The one thing that does not count against the share, once what is held is more than that. */
  beside: HeldBytes | null;
}

export class ByteBudget {
  readonly maxBytes: number;
  readonly #keyShareBytes: number;
  #heldBytes = 0;
  /** By the id of the key. One that holds nothing is not there. */
  readonly #ofKeys = new Map<number, KeyHolding>();

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
    this.#keyShareBytes = maxBytes * shareOfKey;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Whether so many more keep within the part of the budget that is given. */
  hasRoom(bytes: number, mostBytes: number): boolean {
    return this.#heldBytes + bytes <= mostBytes;
  }

  /** Whether the key may hold so many more for this holder. */
  hasRoomOf(keyId: number, holder: HeldBytes, bytes: number): boolean {
    const holding = this.#ofKeys.get(keyId);
    if (holding === undefined || holding.beside === null || holding.beside === holder) return true;
    return holding.bytes - holding.beside.bytes + bytes <= this.#keyShareBytes;
  }

  add(bytes: number): void {
    if (!Number.isSafeInteger(bytes)) throw new RangeError(`${bytes} is no number of bytes`);
    this.#heldBytes += bytes;
  }

  /** After the holder has counted them. */
  addOf(keyId: number, holder: HeldBytes, bytes: number): void {
    const holding = this.#ofKeys.get(keyId) ?? { bytes: 0, beside: null };
    holding.bytes += bytes;
    if (holding.beside === holder && holder.bytes === 0) holding.beside = null;
    if (holding.beside === null && holding.bytes > this.#keyShareBytes && bytes > 0) holding.beside = holder;
    if (holding.bytes === 0) this.#ofKeys.delete(keyId);
    else this.#ofKeys.set(keyId, holding);
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

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * To be said before anything is taken. All that a key has under way holds at most its share, one body or answer aside,
   * so that the largest body is taken also where the budget is small and others of the key are under way.
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
    this.takeAnyway(bytes);
  }

  /** For what can be done without. @returns whether there was room for them. */
  tryTake(bytes: number): boolean {
    const hasRoom =
      this.#budget.hasRoom(bytes, this.#mostBytes) &&
      (this.#keyId === null || this.#budget.hasRoomOf(this.#keyId, this, bytes));
    if (hasRoom) this.takeAnyway(bytes);
    return hasRoom;
  }

  /** For what is there already, and cannot be refused. */
  takeAnyway(bytes: number): void {
    this.#budget.add(bytes);
    this.#bytes += bytes;
    if (this.#keyId !== null) this.#budget.addOf(this.#keyId, this, bytes);
  }

  /** Takes nothing. @throws AppError server_busy when there is no room for so many more now. */
  requireRoom(bytes: number): void {
    if (!Number.isSafeInteger(bytes) || bytes < 0) throw new RangeError(`${bytes} is no number of bytes`);
    if (!this.#budget.hasRoom(bytes, this.#mostBytes)) {
      throw busy('This server holds as many bytes of requests and answers as it may.');
    }
    if (this.#keyId === null) return;
    if (!this.#budget.hasRoomOf(this.#keyId, this, bytes)) {
      throw busy('The requests of this key that are under way hold as many bytes as those of one key may.');
    }
  }

  /** All of them; nothing when that was done before. */
  giveBack(): void {
    if (this.#bytes !== 0) this.takeAnyway(-this.#bytes);
  }
}

function busy(reason: string): AppError {
  return new AppError({ code: 'server_busy', public: `${reason} Try again in a moment.`, retryAfterSeconds });
}
