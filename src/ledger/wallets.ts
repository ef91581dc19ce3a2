/** Who may spend: the prepaid check of the request path, and the way charges and deposits reach the database. */
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { type ChangeFeed, everyKey } from '../storage/change-feed.ts';
import type { Database, Executor } from '../storage/database.ts';
import type { Account, Posting } from './account.ts';
import { AccountCache } from './account-cache.ts';
import { AccountReader } from './account-reader.ts';
import { type Admission, exemptAdmission, PaidAdmission, type Payer } from './admission.ts';
import { addDeposit, type Deposit, subtractCharges } from './wallet-rows.ts';

const topic = 'wallet';

export interface WalletsOptions {
  readonly db: Database;
  readonly changes: ChangeFeed;
  readonly clock: Clock;
  /** How many payers are remembered while nothing of theirs is pending; 10,000 when not given. */
  readonly maxAccounts?: number;
}

export class Wallets {
  readonly #changes: ChangeFeed;
  readonly #clock: Clock;
  readonly #accounts: AccountCache;
  readonly #reader: AccountReader;
  readonly #letGo = (account: Account) => this.#accounts.letGo(account);

  constructor({ db, changes, clock, maxAccounts = 10_000 }: WalletsOptions) {
    this.#changes = changes;
    this.#clock = clock;
    this.#accounts = new AccountCache(maxAccounts);
    this.#reader = new AccountReader(db, clock, this.#letGo);
    changes.subscribe(topic, (key) => this.#invalidate(key));
  }

  /**
   * Synchronous while the payer's account is warm, and from memory also when that is some seconds old.
   * @throws AppError `insufficient_funds` when nothing is available.
   */
  admit(payer: Payer): MaybePromise<Admission> {
    if (payer.exempt) return exemptAdmission;
    const account = this.#accounts.get(payer.payerId);
    const nowMs = this.#clock.monotonicMs();
    if (hasFunds(account)) {
      if (account.isReadingDue(nowMs)) this.#reader.readInBackground(account);
      return new PaidAdmission(account, this.#letGo);
    }
    if (account.isFresh(nowMs)) throw insufficientFunds();
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
   * Takes charges off the stored balances, in the caller's transaction. When that has committed, hand the result
   * to `posted`; when it has not, there is nothing to do.
   * @param charges nano-USD by payer.
   */
  async post(executor: Executor, charges: ReadonlyMap<number, bigint>): Promise<Posting> {
    for (const charge of charges.values()) {
      if (charge < 0n) throw new RangeError('a charge cannot be negative');
    }
    const posting: Posting = { charges: new Map(charges), transactionId: undefined };
    for (const payerId of charges.keys()) this.#accounts.get(payerId).openPosting(posting);
    try {
      posting.transactionId = await subtractCharges(executor, charges);
    } catch (error) {
      this.#close(posting, 'aborted');
      throw error;
    }
    return posting;
  }

  /**
   * The transaction of `posting` has committed.
   * @param settled which charges are thereby stored that `settle` of this process took: the posting's own, plus
   *   those that turned out to be stored before, less those that were replayed for a process that is gone.
   */
  posted(posting: Posting, settled: ReadonlyMap<number, bigint>): void {
    this.#close(posting, 'committed');
    for (const [payerId, charge] of settled) {
      const account = this.#accounts.find(payerId);
      if (account === undefined) continue;
      account.confirm(charge);
      // Perhaps stored by an earlier attempt whose end nobody told us: until that is known, so is no balance.
      if (account.hasOpenPostings) {
        account.invalidate();
        this.#reader.readInBackground(account);
      }
      this.#letGo(account);
    }
  }

  /**
   * Adds money, once for each business key; makes the wallet when there is none.
   * @returns whether it happened now.
   * @throws RangeError when the amount is not positive.
   */
  async deposit(executor: Executor, deposit: Deposit): Promise<boolean> {
    if (deposit.amountNanoUsd <= 0n) throw new RangeError('a deposit must be more than nothing');
    const isNew = await addDeposit(executor, deposit);
    if (isNew) await this.#changes.publish(executor, topic, String(deposit.userId));
    return isNew;
  }

  async #admitAfterReading(account: Account): Promise<Admission> {
    // Opened first, so that the account is not forgotten in between.
    const admission = new PaidAdmission(account, this.#letGo);
    try {
      await this.#reader.read(account);
      if (!hasFunds(account)) throw insufficientFunds();
      return admission;
    } catch (error) {
      admission.release();
      throw error;
    }
  }

  #close(posting: Posting, status: 'committed' | 'aborted'): void {
    for (const payerId of posting.charges.keys()) {
      const account = this.#accounts.find(payerId);
      if (account === undefined) continue;
      account.closePosting(posting, status);
      this.#letGo(account);
    }
  }

  #invalidate(key: string): void {
    if (key === everyKey) {
      for (const account of this.#accounts.all()) account.invalidate();
    } else {
      this.#accounts.find(Number(key))?.invalidate();
    }
  }
}

function hasFunds(account: Account): boolean {
  const available = account.availableNanoUsd;
  return available !== undefined && available > 0n;
}

function insufficientFunds(): AppError {
  return new AppError({
    code: 'insufficient_funds',
    public: 'The wallet that pays for this key has no money left. Top it up, then send the request again.',
  });
}
