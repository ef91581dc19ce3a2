/** Who may spend: the funds of payers as this process knows them, and the leave to spend that is given on them. */
import { eq, sql } from 'drizzle-orm';
import type { Clock } from '../base/clock.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { type AgreeingParts, DatabaseClock } from '../storage/agreed-time.ts';
import { type ChangeFeed, everyKey } from '../storage/change-feed.ts';
import type { Database } from '../storage/database.ts';
import { funds, wallets } from '../storage/schema/ledger.ts';
import type { Work } from '../storage/work.ts';
import { type Admission, FundedAdmission, type PayingFunds, unchargedAdmission } from './admission.ts';
import { type Deposit, deposit, walletTopic } from './books.ts';
import { BudgetBook, type BudgetedBy, subjectsOf } from './budget-book.ts';
import { type BudgetState, listBudgets } from './budgets.ts';
import { Fund, FundsError, forgetIdle, KnownFunds } from './fund.ts';
import { LeaseDesk } from './lease-desk.ts';
import { leaseRows } from './lease-rows.ts';

/** For how long it is believed that somebody has no wallet, unless word comes that they have. */
const noWalletForMs = 2_000;
/** What is leased for the first request of a payer: the price of a usual one. */
const firstLeaseNanoUsd = 50_000_000n;
const walletName = { kind: 'wallet', title: 'wallet that pays for this key' } as const;

export interface WalletsOptions {
  readonly db: Database;
  readonly changes: ChangeFeed;
  readonly clock: Clock;
  readonly databaseMs?: AgreeingParts['databaseMs'];
  /** How many payers are remembered while nothing of theirs is pending; 10,000 when not given. */
  readonly maxPayers?: number;
  /** Called before anything is leased: as whom, first and after this process was fenced while it lived. */
  readonly onHolder?: (holderId: number) => void;
}

export interface Payer {
  readonly payerId: number;
  /** Usage is recorded at cost and charged to nobody. */
  readonly exempt: boolean;
  /** Whose budgets count what it costs. */
  readonly budgetOf: BudgetedBy;
}

export interface WalletState {
  /** Below zero for a debt. */
  readonly balanceNanoUsd: bigint;
  /** Set aside for requests of this process that are under way. */
  readonly heldNanoUsd: bigint;
  /** How far the balance may fall below zero. */
  readonly creditLimitNanoUsd: bigint;
}

const noBudgets: ReadonlyMap<number, bigint> = new Map();
const hasSome = (fund: Fund): boolean => fund.freeNanoUsd > 0n || fund.heldNanoUsd > 0n;

export class Wallets {
  readonly #db: Database;
  readonly #clock: DatabaseClock;
  readonly #desk: LeaseDesk;
  readonly #budgets: BudgetBook;
  readonly #maxPayers: number;
  readonly #unsubscribe: () => void;
  readonly #known = new KnownFunds();
  /** Of wallets, by payer; the first to be known first. */
  readonly #funds = new Map<number, Fund>();
  readonly #without = new Map<number, number>();
  readonly #loading = new Map<number, Promise<Fund | undefined>>();

  constructor({ db, changes, clock, databaseMs, maxPayers = 10_000, onHolder }: WalletsOptions) {
    this.#db = db;
    this.#clock = new DatabaseClock({ storage: { db, changes }, clock, ...(databaseMs && { databaseMs }) });
    this.#maxPayers = maxPayers;
    this.#desk = new LeaseDesk({ rows: leaseRows(db, changes), changes, clock, onHolder });
    this.#budgets = new BudgetBook({
      ...{ db, changes, clock: this.#clock },
      ...{ known: this.#known, maxSubjects: maxPayers },
    });
    this.#unsubscribe = changes.subscribe(walletTopic, (key) => this.#invalidate(key));
  }

  /** Of this process among those that lease; undefined while it never did. */
  get holderId(): number | undefined {
    return this.#desk.holderId;
  }

  /** Makes this process known before it takes anything. @returns its id. */
  register(): Promise<number> {
    return this.#desk.register();
  }

  /**
   * Synchronous while something is leased. It belongs to the windows of budgets that are open now.
   * @throws FundsError `insufficient_funds` or `budget_exceeded` when nothing can be had.
   */
  admit(payer: Payer): MaybePromise<Admission> {
    const budgets = this.#budgets.fundsOf(payer.budgetOf);
    if (budgets instanceof Promise) return budgets.then((found) => this.#admit(payer, found));
    return this.#admit(payer, budgets);
  }

  /** What the payer has, as the books say, less what this process settled and has not written; below zero for a debt. */
  async available(payerId: number): Promise<bigint> {
    const { rows } = await this.#db.execute<{ balance: string }>(sql`
      SELECT ${funds.balanceNanoUsd}::text AS balance FROM ${wallets}
      JOIN ${funds} ON ${funds.id} = ${wallets.fundId} WHERE ${wallets.userId} = ${payerId}`);
    const unwritten = this.#funds.get(payerId)?.unwrittenNanoUsd ?? 0n;
    return BigInt(rows[0]?.balance ?? 0) - unwritten;
  }

  /** Of the payer; without a wallet there is nothing in it. The balance as `available` has it. */
  async stateOf(payerId: number): Promise<WalletState> {
    const [row] = await this.#db
      .select({ balanceNanoUsd: funds.balanceNanoUsd, floorNanoUsd: funds.floorNanoUsd })
      .from(wallets)
      .innerJoin(funds, eq(funds.id, wallets.fundId))
      .where(eq(wallets.userId, payerId));
    const unwritten = this.#funds.get(payerId)?.unwrittenNanoUsd ?? 0n;
    return {
      balanceNanoUsd: (row?.balanceNanoUsd ?? 0n) - unwritten,
      heldNanoUsd: this.held(payerId),
      creditLimitNanoUsd: -(row?.floorNanoUsd ?? 0n),
    };
  }

  /** Those that hold for a caller, and how their current windows stand, as far as it is written. */
  async budgetsOf(by: BudgetedBy): Promise<readonly BudgetState[]> {
    return listBudgets(this.#db, await this.#clock.look(), subjectsOf(by));
  }

  /** Held by requests of this process that are under way. */
  held(payerId: number): bigint {
    return this.#funds.get(payerId)?.heldNanoUsd ?? 0n;
  }

  /** Charges that `settle` took are stored now, by payer; and what it took of leases of budgets, by fund. */
  written(charges: ReadonlyMap<number, bigint>, ofBudgets = noBudgets): void {
    for (const [fundId, leased] of ofBudgets) {
      this.#budgets.fund(fundId)?.written(leased);
    }
    for (const [payerId, charge] of charges) {
      this.#funds.get(payerId)?.written(charge);
    }
  }

  /** A charge that `settle` took and that will never be stored: it can be spent again. */
  writeOff(payerId: number, chargeNanoUsd: bigint, ofBudgets = noBudgets): void {
    for (const [fundId, leased] of ofBudgets) this.#budgets.fund(fundId)?.writeOff(leased);
    this.#funds.get(payerId)?.writeOff(chargeNanoUsd);
  }

  /**
   * Adds money, once for each business key; makes the wallet when there is none.
   * @returns whether it happened now.
   * @throws RangeError when the amount is not positive.
   */
  deposit(work: Work, asked: Deposit): Promise<boolean> {
    return deposit(work, asked);
  }

  /** Gives back what is leased. Call it once everything that was settled is written. */
  async close(): Promise<void> {
    this.#unsubscribe();
    this.#budgets.close();
    await this.#desk.close();
  }

  /** Ends like `close`, but what is leased stays so: it pays for what was settled and could not be written. */
  abandon(): void {
    this.#unsubscribe();
    this.#budgets.close();
    this.#desk.abandon();
  }

  #admit({ payerId, exempt }: Payer, budgets: readonly Fund[]): MaybePromise<Admission> {
    if (exempt) {
      return budgets.length === 0 ? unchargedAdmission : this.#admitFrom({ wallet: null, budgets });
    }
    const wallet = this.#funds.get(payerId);
    if (wallet === undefined) return this.#admitCold(payerId, budgets);
    return this.#admitFrom({ wallet, budgets });
  }

  #admitFrom(paying: PayingFunds): MaybePromise<Admission> {
    const { wallet, budgets } = paying;
    const isWarm = (wallet === null || hasSome(wallet)) && budgets.every(hasSome);
    const parts = { desk: this.#desk, clock: this.#clock };
    if (isWarm) return new FundedAdmission(paying, parts);
    const asking = [...(wallet === null ? [] : [wallet]), ...budgets].filter((fund) => !hasSome(fund));
    const nowMs = this.#clock.monotonicMs();
    for (const fund of asking) if (fund.isEmptyAt(nowMs)) throw this.#shortage(fund);
    // Open from here on, so that none of them is forgotten meanwhile.
    return this.#fill(asking, new FundedAdmission(paying, parts));
  }

  async #fill(asking: readonly Fund[], admission: Admission): Promise<Admission> {
    try {
      const asked = { needNanoUsd: 1n, wantNanoUsd: firstLeaseNanoUsd };
      await Promise.all(asking.map((fund) => this.#desk.take(fund, asked)));
      for (const fund of asking) if (!hasSome(fund) && !fund.othersHave) throw this.#shortage(fund);
      return admission;
    } catch (error) {
      admission.release();
      throw error;
    }
  }

  #shortage(fund: Fund): FundsError {
    return new FundsError(fund, this.#clock.nowMs());
  }

  async #admitCold(payerId: number, budgets: readonly Fund[]): Promise<Admission> {
    const withoutUntilMs = this.#without.get(payerId);
    const isKnownWithout = withoutUntilMs !== undefined && this.#clock.monotonicMs() < withoutUntilMs;
    const wallet = isKnownWithout ? undefined : await this.#load(payerId);
    if (wallet === undefined) throw this.#shortage(new Fund(-1, walletName));
    return await this.#admitFrom({ wallet, budgets });
  }

  /** One query for all who ask meanwhile. */
  #load(payerId: number): Promise<Fund | undefined> {
    const underway = this.#loading.get(payerId);
    if (underway !== undefined) return underway;
    const loading = this.#readFund(payerId).finally(() => this.#loading.delete(payerId));
    this.#loading.set(payerId, loading);
    return loading;
  }

  async #readFund(payerId: number): Promise<Fund | undefined> {
    const [row] = await this.#db
      .select({ fundId: wallets.fundId })
      .from(wallets)
      .where(eq(wallets.userId, payerId));
    if (row === undefined) {
      if (this.#without.size >= this.#maxPayers) this.#without.clear();
      this.#without.set(payerId, this.#clock.monotonicMs() + noWalletForMs);
      return undefined;
    }
    forgetIdle(this.#funds, this.#maxPayers);
    const fund = this.#known.of(row.fundId, walletName);
    this.#funds.set(payerId, fund);
    return fund;
  }

  #invalidate(key: string): void {
    if (key === everyKey) {
      this.#without.clear();
      for (const fund of this.#funds.values()) fund.invalidate();
      return;
    }
    this.#without.delete(Number(key));
    this.#funds.get(Number(key))?.invalidate();
  }
}
