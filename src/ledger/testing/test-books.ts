/** Books in a database that one suite has for itself: opened before its tests, and found right after each of them. */
import { afterAll, afterEach, beforeAll, expect } from 'bun:test';
import { type Clock, systemClock } from '../../base/clock.ts';
import { systemIds } from '../../base/ids.ts';
import type { ChangeFeed } from '../../storage/change-feed.ts';
import type { Database } from '../../storage/database.ts';
import type { Storage } from '../../storage/storage.ts';
import { transact, type Work } from '../../storage/work.ts';
import { deposit } from '../books.ts';
import type { BudgetedBy } from '../budget-book.ts';
import { checkBooks } from '../check.ts';
import { type Payer, Wallets } from '../wallets.ts';
import { alone, newPerson } from './people.ts';
import { readMoney } from './read-money.ts';

export interface TestBooks {
  /** From the first test on. */
  readonly storage: Storage;
  readonly db: Database;
  /** In a transaction of its own, by the suite's clock. */
  write<Result>(run: (work: Work) => Promise<Result>): Promise<Result>;
  /** @returns the id of somebody who has no wallet yet. */
  newPerson(): Promise<number>;
  /** A new person who has paid in so much; without a wallet where that is nothing. */
  payerWith(amountNanoUsd: bigint, more?: Partial<BudgetedBy>): Promise<Payer>;
  balanceOf(userId: number): Promise<bigint>;
  /** As one process has them, until the test ends. */
  openWallets(clock?: Clock, changes?: ChangeFeed, maxPayers?: number): Wallets;
}

export interface TestBooksOptions {
  /** Asked at each use, for suites whose tests each have their own. */
  readonly clock?: () => Clock;
  /** The suite writes rows past the books, which are then not right. */
  readonly writesRows?: boolean;
}

/** To be called where the suite is described. */
export function openTestBooks(
  openDatabase: () => Promise<Storage>,
  { clock = () => systemClock, writesRows = false }: TestBooksOptions = {},
): TestBooks {
  let storage: Storage | undefined;
  let opened: Wallets[] = [];
  const there = (): Storage => {
    if (storage === undefined)
      throw new Error('the database is opened before the first test, and not sooner');
    return storage;
  };
  beforeAll(async () => {
    storage = await openDatabase();
  });
  afterAll(() => storage?.close());
  afterEach(async () => {
    for (const wallets of opened) await wallets.close();
    opened = [];
    if (!writesRows) expect(await checkBooks(books.db)).toEqual([]);
  });

  const books: TestBooks = {
    get storage() {
      return there();
    },
    get db() {
      return there().db;
    },
    write: (run) => transact({ storage: there(), clock: clock(), ids: systemIds }, run),
    newPerson: () => newPerson(books.db),
    async payerWith(amountNanoUsd, more = {}) {
      const payerId = await books.newPerson();
      const asked = { userId: payerId, amountNanoUsd, businessKey: `first of ${payerId}` };
      if (amountNanoUsd > 0n) await books.write((work) => deposit(work, asked));
      return { payerId, exempt: false, budgetOf: { ...alone(payerId), ...more } };
    },
    balanceOf: async (userId) => (await readMoney(books.db, userId)).balanceNanoUsd,
    openWallets(own = clock(), changes = there().changes, maxPayers = 1_000) {
      const databaseMs = async () => own.nowMs();
      const wallets = new Wallets({ db: books.db, changes, clock: own, databaseMs, maxPayers });
      opened.push(wallets);
      return wallets;
    },
  };
  return books;
}
