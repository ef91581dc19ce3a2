/** One server of a simulation: its wallets, the requests that they pay for, and the charges that it has not stored yet. */

import type { ManualClock } from '../../src/base/testing/manual-clock.ts';
import type { Admission, BudgetSpending } from '../../src/ledger/admission.ts';
import { FundsError } from '../../src/ledger/fund.ts';
import { endHolder, fenceHolder } from '../../src/ledger/lease-rows.ts';
import { alone } from '../../src/ledger/testing/people.ts';
import { AnswerLost, type StatementWire } from '../../src/ledger/testing/statement-wire.ts';
import { leasedOf, writeSpending } from '../../src/ledger/testing/write-charges.ts';
import { Wallets } from '../../src/ledger/wallets.ts';
import type { Database } from '../../src/storage/database.ts';
import { SimulatedFeed, wiredDatabase } from './simulated-database.ts';

export interface Payer {
  readonly id: number;
  /** Nobody takes money of it away but by spending, so that it never comes below its floor. */
  readonly isSteady: boolean;
  paidIn: bigint;
  charged: bigint;
}

export interface Charge {
  readonly payer: Payer;
  readonly amount: bigint;
  readonly spending: readonly BudgetSpending[];
  isStored: boolean;
}

export interface OpenRequest {
  readonly payer: Payer;
  readonly admission: Admission;
}

/** What all servers of a simulation have in common. */
export interface Surroundings {
  readonly db: Database;
  readonly clock: ManualClock;
  readonly wire: StatementWire;
  /** What was taken of each budget's window and is stored, by the id of its fund. */
  readonly spent: Map<number, bigint>;
  /** Of all servers that live. */
  feeds(): readonly SimulatedFeed[];
}

/** Fewer than there are, so that some are forgotten. */
const maxPayers = 2;

export class SimulatedServer {
  /** Another one after each death. */
  readonly number: number;
  readonly wallets: Wallets;
  readonly feed: SimulatedFeed;
  readonly open: OpenRequest[] = [];
  /** Not heard of as stored. */
  charges: Charge[] = [];
  readonly #around: Surroundings;
  readonly #holders = new Set<number>();
  #isWriting = false;

  constructor(number: number, around: Surroundings) {
    const { db, clock, wire } = around;
    this.number = number;
    this.#around = around;
    this.feed = new SimulatedFeed(around.feeds, (run) => wire.send(number, 'notify', run));
    this.wallets = new Wallets({
      db: wiredDatabase(db, wire, number),
      ...{ changes: this.feed, clock, databaseMs: async () => clock.nowMs(), maxPayers },
      onHolder: (id) => this.#holders.add(id),
    });
  }

  /** Opens a request that may cost from `least` to `most`, unless the payer has too little. */
  async hold(payer: Payer, { most, least }: { most: bigint; least: bigint }): Promise<void> {
    let admission: Admission | undefined;
    try {
      admission = await this.wallets.admit({
        payerId: payer.id,
        exempt: false,
        budgetOf: alone(payer.id),
      });
      await admission.hold({ mostNanoUsd: most, leastNanoUsd: least, fairNanoUsd: least });
      this.open.push({ payer, admission });
    } catch (error) {
      admission?.release();
      if (!(error instanceof FundsError)) throw error;
    }
  }

  async settle({ payer, admission }: OpenRequest, cost: bigint): Promise<void> {
    const settled = admission.settle(cost);
    const amount = settled instanceof Promise ? await settled : settled;
    if (amount > cost) throw new Error(`${amount} were charged for ${cost}`);
    payer.charged += amount;
    this.charges.push({ payer, amount, spending: admission.spentOfBudgets, isStored: false });
  }

  /** Until it is heard of, as batches are. */
  async write(): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    while (this.charges.length > 0) {
      const batch = [...this.charges];
      try {
        await this.#around.wire.send(this.number, 'batch', () => this.#store(batch, this.wallets.holderId));
      } catch (error) {
        if (error instanceof AnswerLost) continue;
        throw error;
      }
      this.charges = this.charges.filter((charge) => !batch.includes(charge));
      this.wallets.written(sumOf(batch), leasedOf(batch.flatMap(({ spending }) => spending)));
    }
    this.#isWriting = false;
  }

  /** Of one that is dead: as whoever starts next does with the spool that it finds. */
  async adopt(): Promise<void> {
    const { db, clock } = this.#around;
    const holders = [...this.#holders];
    for (const id of holders) await fenceHolder(db, id, clock.nowMs());
    await this.#store(this.charges, holders.at(-1));
    for (const id of holders) await endHolder(db, id);
  }

  /** What is stored already is left alone. */
  async #store(batch: readonly Charge[], holderId: number | undefined): Promise<void> {
    const { db, spent } = this.#around;
    const fresh = batch.filter(({ isStored }) => !isStored);
    const spending = fresh.flatMap((charge) => charge.spending);
    await writeSpending(db, { charges: sumOf(fresh), spending, holderId: holderId ?? null });
    for (const charge of fresh) charge.isStored = true;
    for (const { fundId, amountNanoUsd } of spending) {
      spent.set(fundId, (spent.get(fundId) ?? 0n) + amountNanoUsd);
    }
  }
}

function sumOf(charges: readonly Charge[]): Map<number, bigint> {
  const sums = new Map<number, bigint>();
  for (const { payer, amount } of charges) {
    if (amount > 0n) sums.set(payer.id, (sums.get(payer.id) ?? 0n) + amount);
  }
  return sums;
}
