/**
 * Where this process takes and returns leases: one statement at a time, for all who ask meanwhile. So it always knows
 * which statement an answer was lost of, and can ask again before it goes on.
 */
import { hostname } from 'node:os';
import type { Clock, Timer } from '../base/clock.ts';
import { AppError, asAppError } from '../base/errors.ts';
import { type ChangeFeed, everyKey } from '../storage/change-feed.ts';
import { unavailableError } from '../storage/storage-error.ts';
import type { Fund } from './fund.ts';
import { type Holder, type Lease, type LeaseAsk, type LeaseRows, recallTopic } from './lease-rows.ts';

const roundMs = 1_000;
/** A lease of which nothing was held for so long is given back. */
const idleMs = 2_000;
const aliveEveryMs = 30_000;
const noLease: Lease = { grantedNanoUsd: 0n, settledNanoUsd: 0n };

export interface LeaseDeskOptions {
  readonly rows: LeaseRows;
  readonly changes: ChangeFeed;
  readonly clock: Clock;
  /** Called before anything is leased as this holder, also when it is another one after this process was fenced; what it throws, those who ask are told. */
  readonly onHolder?: ((holderId: number) => void) | undefined;
}

interface Asked {
  needNanoUsd: bigint;
  wantNanoUsd: bigint;
  readonly told: PromiseWithResolvers<void>;
}

export class LeaseDesk {
  readonly #rows: LeaseRows;
  readonly #clock: Clock;
  readonly #onHolder: LeaseDeskOptions['onHolder'];
  readonly #unsubscribe: () => void;
  /** Those of which something may be leased. */
  readonly #funds = new Map<number, Fund>();
  #asks = new Map<Fund, Asked>();
  /** Of which the others are being asked. */
  readonly #recalls = new Map<Fund, Promise<void>>();
  #returns = new Set<Fund>();
  #working: Promise<void> | undefined;
  #holder: Holder | undefined;
  #registering: Promise<number> | undefined;
  /** An answer was lost: what the leases are has to be read first. */
  #isUnsure = false;
  /** The same, and nobody may ask for anything soon. */
  #isReadingDue = false;
  #round: Timer | undefined;
  #aliveDueMs = 0;
  #isClosed = false;

  constructor({ rows, changes, clock, onHolder }: LeaseDeskOptions) {
    this.#rows = rows;
    this.#onHolder = onHolder;
    this.#clock = clock;
    this.#unsubscribe = changes.subscribe(recallTopic, (key) => this.#onRecall(key));
  }

  /** Of this process; undefined while it never had a lease. */
  get holderId(): number | undefined {
    return this.#holder?.id;
  }

  /** Makes this process known, so that what it leaves behind can be told from what others do. @throws AppError shutting_down */
  async register(): Promise<number> {
    if (this.#holder !== undefined) return this.#holder.id;
    // Nobody would end a holder that is made now.
    if (this.#isClosed && this.#registering === undefined) throw closedError();
    // One for all who ask meanwhile.
    this.#registering ??= this.#registerAnew().finally(() => {
      this.#registering = undefined;
    });
    return await this.#registering;
  }

  async #registerAnew(): Promise<number> {
    const holder = await this.#rows.register(hostname());
    this.#onHolder?.(holder.id);
    this.#holder = holder;
    this.#plan();
    return holder.id;
  }

  /** Resolves when the fund knows what it was granted, which may be nothing. @throws what the database throws. */
  take(fund: Fund, { needNanoUsd, wantNanoUsd }: Omit<LeaseAsk, 'fundId'>): Promise<void> {
    const asked = this.#asks.get(fund);
    if (asked !== undefined) {
      asked.needNanoUsd += needNanoUsd;
      asked.wantNanoUsd += wantNanoUsd;
      return asked.told.promise;
    }
    const told = Promise.withResolvers<void>();
    this.#asks.set(fund, { needNanoUsd, wantNanoUsd, told });
    this.#work();
    return told.promise;
  }

  /** True while an ask for the fund waits to be sent. */
  isAsking(fund: Fund): boolean {
    return this.#asks.has(fund);
  }

  /** Asks the other processes for what they have free of it; once, whoever asks for it meanwhile. */
  recall(fund: Fund): Promise<void> {
    const recalling = this.#recalls.get(fund) ?? this.#recall(fund).finally(() => this.#recalls.delete(fund));
    this.#recalls.set(fund, recalling);
    return recalling;
  }

  async #recall(fund: Fund): Promise<void> {
    const holder = await this.register();
    await this.#rows.recall(fund.id, holder);
  }

  /** Gives everything back, and with it the place among those who hold. What is not written yet stays leased. */
  async close(): Promise<void> {
    this.abandon();
    await this.#working;
    // Also where nothing was asked for yet: what is made meanwhile ends here too. Whoever asked is told when it fails.
    await this.#registering?.catch(() => undefined);
    if (this.#holder === undefined) return;
    await this.#rows.end(this.#holder.id);
  }

  /** Does nothing any more, and gives nothing back: what is leased is needed for what could not be written. */
  abandon(): void {
    this.#isClosed = true;
    this.#unsubscribe();
    this.#round?.cancel();
  }

  #work(): void {
    this.#working ??= this.#workAll().finally(() => {
      this.#working = undefined;
      // Asked between the last look and this moment.
      if (this.#hasWork) this.#work();
    });
  }

  get #hasWork(): boolean {
    return this.#asks.size > 0 || this.#returns.size > 0 || this.#isReadingDue;
  }

  async #workAll(): Promise<void> {
    // What is asked in this turn goes out in one statement.
    await Promise.resolve();
    while (this.#hasWork) {
      const asks = this.#asks;
      const returns = this.#returns;
      this.#asks = new Map();
      this.#returns = new Set();
      await this.#carryOut(asks, returns);
    }
  }

  async #carryOut(asks: ReadonlyMap<Fund, Asked>, returns: ReadonlySet<Fund>): Promise<void> {
    if (this.#isReadingDue) this.#isUnsure = true;
    this.#isReadingDue = false;
    try {
      if (this.#isClosed) throw closedError();
      if (this.#isUnsure) await this.#makeSure();
      await this.#giveBack(returns);
      if (asks.size > 0) await this.#ask(asks);
      for (const { told } of asks.values()) told.resolve();
    } catch (error) {
      this.#isUnsure = this.#holder !== undefined;
      // Whatever it was, nothing is wrong with the request that asked: it may come again.
      const unavailable = asAppError(error).code === 'internal_error' ? unavailableError(error) : error;
      for (const { told } of asks.values()) told.reject(unavailable);
    }
  }

  async #ask(asks: ReadonlyMap<Fund, Asked>): Promise<void> {
    const list = [...asks].map(([fund, { needNanoUsd, wantNanoUsd }]) => ({
      fundId: fund.id,
      needNanoUsd,
      wantNanoUsd,
    }));
    let answers = await this.#rows.take(await this.#current(), list);
    if (answers.length === 0) {
      // Fenced, perhaps: then this process goes on as another holder.
      await this.#makeSure();
      answers = await this.#rows.take(await this.#current(), list);
    }
    const nowMs = this.#clock.monotonicMs();
    const told = new Map(answers.map((answer) => [answer.fundId, answer]));
    for (const fund of asks.keys()) {
      const answer = told.get(fund.id);
      if (answer === undefined) continue;
      this.#funds.set(fund.id, fund);
      fund.learn(answer, nowMs);
    }
  }

  async #current(): Promise<Holder> {
    await this.register();
    if (this.#holder === undefined) throw new Error('the holder that was just made is not there');
    return this.#holder;
  }

  async #giveBack(funds: ReadonlySet<Fund>): Promise<void> {
    const amounts = new Map<number, bigint>();
    for (const fund of funds) {
      const free = fund.giveUpFree();
      if (free > 0n) amounts.set(fund.id, free);
    }
    if (amounts.size === 0) return;
    const given = await this.#rows.giveBack(await this.#current(), amounts);
    this.#isUnsure = given.length < amounts.size;
  }

  /** Nothing else is on its way: what the database says now is so. */
  async #makeSure(): Promise<void> {
    if (this.#holder === undefined) return;
    const holder = await this.#rows.raiseEpoch(this.#holder);
    if (holder === null) {
      this.#holder = undefined;
      for (const fund of this.#funds.values()) fund.lose();
      this.#funds.clear();
    } else {
      this.#holder = holder;
      const leases = await this.#rows.read(holder);
      for (const fund of this.#funds.values()) fund.correct(leases.get(fund.id) ?? noLease);
      await this.#giveBackUnknown(holder, leases);
    }
    this.#isUnsure = false;
  }

  /** What was leased by statements whose answers were lost, and of which nothing is used here. */
  async #giveBackUnknown(holder: Holder, leases: ReadonlyMap<number, Lease>): Promise<void> {
    const amounts = new Map<number, bigint>();
    for (const [fundId, { grantedNanoUsd, settledNanoUsd }] of leases) {
      const left = grantedNanoUsd - settledNanoUsd;
      if (left > 0n && !this.#funds.has(fundId)) amounts.set(fundId, left);
    }
    if (amounts.size > 0) await this.#rows.giveBack(holder, amounts);
  }

  #onRecall(key: string): void {
    if (key === everyKey) {
      // The database was away: it may be another one now, which has not all that the first one confirmed.
      this.#isReadingDue = this.#holder !== undefined;
      this.#work();
      return;
    }
    const [fundId = Number.NaN, asker] = key.split(':').map(Number);
    const fund = this.#funds.get(fundId);
    if (fund === undefined || asker === this.#holder?.id) return;
    this.#returns.add(fund);
    this.#work();
  }

  #plan(): void {
    if (this.#isClosed) return;
    this.#round ??= this.#clock.after(roundMs, () => {
      this.#round = undefined;
      this.#goRound();
    });
  }

  /** Gives back what nobody uses, and lets it be seen that this process is alive. */
  #goRound(): void {
    const nowMs = this.#clock.monotonicMs();
    if (this.#isUnsure) this.#isReadingDue = true;
    for (const fund of this.#funds.values()) {
      if (fund.isIdle) {
        if (fund.isDoubtful) this.#isReadingDue = true;
        // Its sums are the database's alone from here on: another holder may begin with none.
        fund.lose();
        this.#funds.delete(fund.id);
      } else if (fund.users === 0 && nowMs - fund.usedAtMs >= idleMs) {
        this.#returns.add(fund);
      }
    }
    this.#work();
    if (this.#holder !== undefined && nowMs >= this.#aliveDueMs) {
      this.#aliveDueMs = nowMs + aliveEveryMs;
      this.#rows.noteAlive(this.#holder).catch(() => undefined);
    }
    if (this.#holder !== undefined) this.#plan();
  }
}

/** What was leased now would be nobody's. */
const closedError = (): AppError =>
  new AppError({
    code: 'shutting_down',
    public: 'The server is stopping. Send the request again.',
    retryAfterSeconds: 1,
  });
