/**
 * How many lists of one account are read at once, in a process: counting a long one keeps a connection busy, and the
 * connections are few and everybody's. Who comes later waits, as programs' first requests come together.
 */
import { AppError } from '../base/errors.ts';

const mostOfAccount = 3;
/** More than programs ask together, but those that ran away. */
const mostWaiting = 200;

export class ListPlaces {
  /** By account, while one is read: those that are read, and who waits. */
  readonly #accounts = new Map<number, { read: number; readonly waiting: (() => void)[] }>();

  /** @throws AppError `rate_limited` where very many wait already, and what `read` throws. */
  async use<Result>(userId: number, read: () => Promise<Result>): Promise<Result> {
    const account = this.#accounts.get(userId) ?? { read: 0, waiting: [] };
    this.#accounts.set(userId, account);
    if (account.read < mostOfAccount) account.read += 1;
    else if (account.waiting.length < mostWaiting) {
      // Whoever ends hands their place on.
      await new Promise<void>((resolve) => account.waiting.push(resolve));
    } else {
      throw new AppError({
        code: 'rate_limited',
        public: `More than ${mostWaiting} lists of this account are asked for at once. Try again in 1 second.`,
        retryAfterSeconds: 1,
      });
    }
    try {
      return await read();
    } finally {
      const next = account.waiting.shift();
      if (next !== undefined) next();
      else account.read -= 1;
      if (account.read === 0) this.#accounts.delete(userId);
    }
  }
}
