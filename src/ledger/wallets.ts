/** Who may spend: the prepaid check of the request path, and the way charges and deposits reach the database. */
import type { SQL } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../base/clock.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { type ChangeFeed, everyKey } from '../storage/change-feed.ts';
import type { Database } from '../storage/database.ts';
import { databaseErrorCode } from '../storage/storage-error.ts';
import type { Work } from '../storage/work.ts';
import {
  Account,
  type Admission,
  exemptAdmission,
  PaidAdmission,
  type Payer,
  type Posting,
  walletIsShort,
} from './account.ts';
import { addDeposit, type Deposit, readWallet } from './wallet-rows.ts';

const topic = 'wallet';
/** A balance that changes while it is read is read this often at most. */
const maxAttempts = 5;

export interface WalletsOptions {
  readonly db: Database;
  readonly changes: ChangeFeed;
  readonly clock: Clock;
  /** How many payers are remembered while nothing of theirs is pending; 10,000 when not given. */
  readonly maxAccounts?: number;
}

/** Charges on their way to the database. */
interface Charging {
  /** Everyone who may be charged. */
  readonly payerIds: Iterable<number>;
  /**
   * Which charges are stored when it is done that `settle` of this process took, in nano-USD by payer: those that the
   * statement takes, plus those that turn out to be stored before, less those replayed for a process that is gone.
   */
  readonly settled: ReadonlyMap<number, bigint>;
  /** SQL for what is true once the statement is carried out, and never before. */
  readonly proof: SQL<boolean>;
  /** Resolves, once it is committed, to what each payer was charged in nano-USD. */
  write(): Promise<ReadonlyMap<number, bigint>>;
}

export class Wallets {
  readonly #clock: Clock;
  readonly #accounts: AccountCache;
  readonly #reader: AccountReader;
  readonly #letGo = (account: Account) => this.#accounts.letGo(account);
  readonly #keeper = {
    letGo: this.#letGo,
    readAgain: (account: Account) =>
      account.isFresh(this.#clock.monotonicMs()) ? undefined : this.#reader.read(account),
  };

  constructor({ db, changes, clock, maxAccounts = 10_000 }: WalletsOptions) {
    this.#clock = clock;
    this.#accounts = new AccountCache(maxAccounts);
    this.#reader = new AccountReader(db, clock, this.#letGo);
    changes.subscribe(topic, (key) => this.#invalidate(key));
  }

  /**
   * Synchronous while the payer's account is warm, and from memory also when that is some seconds old.
   * @throws FundsError when nothing is available.
   */
  admit(payer: Payer): MaybePromise<Admission> {
    if (payer.exempt) return exemptAdmission;
    const account = this.#accounts.get(payer.payerId);
    const nowMs = this.#clock.monotonicMs();
    if (hasFunds(account)) {
      if (account.isReadingDue(nowMs)) this.#reader.readInBackground(account);
      return new PaidAdmission(account, this.#keeper);
    }
    if (account.isFresh(nowMs)) throw walletIsShort(account);
    return this.#admitAfterReading(account);
  }

  /** What the payer could spend now; asks the database when what is known is not fresh. May be below zero. */
  available(payerId: number): MaybePromise<bigint> {
    const account = this.#accounts.get(payerId);
    const known = account.availableNanoUsd;
    if (known !== undefined && account.isFresh(this.#clock.monotonicMs())) return known;
    return this.#reader.read(account).then(() => account.availableNanoUsd ?? 0n);
  }

  /**
   * Takes charges off the stored balances by a statement that does so among other things. As long as its end is not
   * known, a reading asks the database for it.
   * @throws what `write` throws. When that was no refusal by the database, the charges may have been taken all the
   *   same: let the same charges be written again, by a statement that takes none of them twice.
   */
  async charge({ payerIds, settled, proof, write }: Charging): Promise<void> {
    for (const charge of settled.values()) {
      if (charge < 0n) throw new RangeError('a charge cannot be negative');
    }
    const posting: Posting = { proof, isLost: false };
    for (const payerId of payerIds) this.#accounts.get(payerId).openPosting(posting);
    try {
      const taken = await write();
      this.#close(posting, payerIds, taken);
    } catch (error) {
      if (isRefusedByDatabase(error)) this.#close(posting, payerIds, new Map());
      else posting.isLost = true;
      throw error;
    }
    for (const [payerId, charge] of settled) this.#confirm(payerId, charge);
  }

  /** A charge that `settle` took and that will never be stored: it no longer stands against what can be spent. */
  writeOff(payerId: number, chargeNanoUsd: bigint): void {
    const account = this.#accounts.find(payerId);
    if (account === undefined) return;
    account.confirm(chargeNanoUsd);
    this.#letGo(account);
  }

  /**
   * Adds money, once for each business key; makes the wallet when there is none.
   * @returns whether it happened now.
   * @throws RangeError when the amount is not positive.
   */
  async deposit(work: Work, deposit: Deposit): Promise<boolean> {
    if (deposit.amountNanoUsd <= 0n) throw new RangeError('a deposit must be more than nothing');
    const isNew = await addDeposit(work, deposit);
    if (isNew) work.announce(topic, String(deposit.userId));
    return isNew;
  }

  async #admitAfterReading(account: Account): Promise<Admission> {
    // Opened first, so that the account is not forgotten in between.
    const admission = new PaidAdmission(account, this.#keeper);
    try {
      await this.#reader.read(account);
      if (!hasFunds(account)) throw walletIsShort(account);
      return admission;
    } catch (error) {
      admission.release();
      throw error;
    }
  }

  #close(posting: Posting, payerIds: Iterable<number>, taken: ReadonlyMap<number, bigint>): void {
    for (const payerId of payerIds) {
      const account = this.#accounts.find(payerId);
      if (account === undefined) continue;
      account.closePosting(posting, taken.get(payerId) ?? 0n);
      this.#letGo(account);
    }
  }

  #confirm(payerId: number, charge: bigint): void {
    const account = this.#accounts.find(payerId);
    if (account === undefined) return;
    account.confirm(charge);
    // Perhaps stored by an earlier attempt whose end nobody told us: until that is known, so is no balance.
    if (account.forgetLostPostings()) {
      account.invalidate();
      this.#reader.readInBackground(account);
    }
    this.#letGo(account);
  }

  #invalidate(key: string): void {
    if (key === everyKey) {
      for (const account of this.#accounts.all()) account.invalidate();
    } else {
      this.#accounts.find(Number(key))?.invalidate();
    }
  }
}

/**
 * The database has answered that it did not do it. A class of its codes says that the connection or the server is going
 * down, which tells nothing of what was done before.
 */
function isRefusedByDatabase(thrown: unknown): boolean {
  return /^(?!08|57)(\d[0-9A-Z]|F0|HV|P0|XX)[0-9A-Z]{3}$/.test(databaseErrorCode(thrown) ?? '');
}

function hasFunds(account: Account): boolean {
  const available = account.availableNanoUsd;
  return available !== undefined && available > 0n;
}

/** The accounts of the payers seen last. */
class AccountCache {
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

/** Brings accounts up to date from the database. */
class AccountReader {
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
