/** Brings accounts up to date from the database, one reading of each at a time. */
import type { Clock } from '../base/clock.ts';
import type { Database } from '../storage/database.ts';
import type { Account } from './account.ts';
import { readWallet } from './wallet-rows.ts';

const maxAttempts = 5;

export class AccountReader {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #onEnd: (account: Account) => void;

  constructor(db: Database, clock: Clock, onEnd: (account: Account) => void) {
    this.#db = db;
    this.#clock = clock;
    this.#onEnd = onEnd;
  }

  /** Joins the reading under way when there is one: it starts over by itself when something changes meanwhile. */
  read(account: Account): Promise<void> {
    account.reading ??= this.#readUntilSure(account).finally(() => {
      account.reading = undefined;
      this.#onEnd(account);
    });
    return account.reading;
  }

  /** A failure leaves what is known as it is. */
  readInBackground(account: Account): void {
    this.read(account).catch(() => account.postponeReading(this.#clock.monotonicMs()));
  }

  async #readUntilSure(account: Account): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const start = account.startReading();
      const reading = await readWallet(this.#db, account.payerId, start.postings);
      if (account.finishReading(start, reading, this.#clock.monotonicMs())) return;
      if (attempt === maxAttempts) return account.adoptUnsure(reading, this.#clock.monotonicMs());
    }
  }
}
