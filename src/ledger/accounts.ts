/** The accounts of the payers seen last, and how they are brought up to date from the database. */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../base/clock.ts';
import type { Database } from '../storage/database.ts';
import { Account } from './account.ts';
import { readWallet } from './wallet-rows.ts';

export class AccountCache {
  readonly #recent: LRUCache<number, Account>;
  /** Fell out of the cache while busy. */
  readonly #kept = new Map<number, Account>();

  constructor(maxAccounts: number) {
    this.#recent = new LRUCache({
      max: maxAccounts,
      dispose: (account, payerId, reason) => {
        if (reason === 'evict' && account.isBusy) this.#kept.set(payerId, account);
      },
    });
  }

  /** Counts as a use; makes the account when there is none. */
  get(payerId: number): Account {
    const recent = this.#recent.get(payerId);
    if (recent !== undefined) return recent;
    const account = this.#kept.get(payerId) ?? new Account(payerId);
    this.#kept.delete(payerId);
    this.#recent.set(payerId, account);
    return account;
  }

  /** Does not count as a use. */
  find(payerId: number): Account | undefined {
    return this.#recent.peek(payerId) ?? this.#kept.get(payerId);
  }

  *all(): Iterable<Account> {
    yield* this.#recent.values();
    yield* this.#kept.values();
  }

  /** Call when an account may have become idle. */
  letGo(account: Account): void {
    if (this.#kept.size > 0 && !account.isBusy) this.#kept.delete(account.payerId);
  }

  get size(): number {
    return this.#recent.size + this.#kept.size;
  }
}

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
