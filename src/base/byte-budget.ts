/** A bound for the bytes that the process holds of what is under way: bodies of requests, and whole answers to them. */
import { AppError } from './errors.ts';

/** Some of it is given back with every request that ends. */
const retryAfterSeconds = 1;

export class ByteBudget {
  readonly maxBytes: number;
  #heldBytes = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** @throws AppError server_busy when there is no room for them. */
  take(bytes: number): void {
    if (!Number.isSafeInteger(bytes) || bytes < 0) throw new RangeError(`${bytes} is no number of bytes`);
    if (this.#heldBytes + bytes > this.maxBytes) {
      throw new AppError({
        code: 'server_busy',
        public: 'This server holds as many bytes of requests and answers as it may. Try again in a moment.',
        retryAfterSeconds,
      });
    }
    this.#heldBytes += bytes;
  }

  give(bytes: number): void {
    this.#heldBytes -= bytes;
  }
}

/** What one request, or one call of a provider, holds of the budget. */
export class HeldBytes {
  readonly #budget: ByteBudget;
  #bytes = 0;

  constructor(budget: ByteBudget) {
    this.#budget = budget;
  }

  /** @throws AppError server_busy when there is no room for them. */
  take(bytes: number): void {
    this.#budget.take(bytes);
    this.#bytes += bytes;
  }

  /** All of them; nothing when that was done before. */
  giveBack(): void {
    this.#budget.give(this.#bytes);
    this.#bytes = 0;
  }
}
