/**
 * Servers that share a database, as the ledger sees them, for as many random steps as wanted: one statement at a time,
 * in an order that the seed chooses, with lost answers, deaths and stops. What is promised is checked along the way.
 */

import { AppError } from '../../src/base/errors.ts';
import { systemIds } from '../../src/base/ids.ts';
import { ManualClock } from '../../src/base/testing/manual-clock.ts';
import { deposit, postJournal, setCreditLimit } from '../../src/ledger/books.ts';
import { removeBudget, setBudget } from '../../src/ledger/budgets.ts';
import { checkBooks } from '../../src/ledger/check.ts';
import { listHolders } from '../../src/ledger/lease-rows.ts';
import { endPromotions, grantPromotion } from '../../src/ledger/promotions.ts';
import { newPerson } from '../../src/ledger/testing/people.ts';
import { readMoney } from '../../src/ledger/testing/read-money.ts';
import { AnswerLost, letGoOn, StatementWire } from '../../src/ledger/testing/statement-wire.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { transact, type Work } from '../../src/storage/work.ts';
import { Random } from '../fuzz/random.ts';
import { SimulatedFeed } from './simulated-database.ts';
import { type Payer, SimulatedServer } from './simulated-server.ts';

const serverCount = 3;
const payerCount = 5;
const mostWaiting = 30;

export class Simulation {
  readonly #storage: Storage;
  readonly #random: Random;
  readonly #clock = new ManualClock();
  readonly #wire = new StatementWire();
  readonly #payers: Payer[] = [];
  #servers: SimulatedServer[] = [];
  /** Dead, and found by nobody yet. */
  #dead: SimulatedServer[] = [];
  /** What was taken of each window and is stored. */
  readonly #spent = new Map<number, bigint>();
  #failure: unknown;
  #count = 0;
  /** How often each thing happened. */
  readonly counts: Record<string, number> = {};

  private constructor(storage: Storage, seed: number) {
    this.#storage = storage;
    this.#random = new Random(seed);
  }

  static async open(storage: Storage, seed: number): Promise<Simulation> {
    const simulation = new Simulation(storage, seed);
    for (let at = 0; at < payerCount; at += 1) {
      const payer = { id: await newPerson(storage.db), isSteady: at < 3, paidIn: 0n, charged: 0n };
      simulation.#payers.push(payer);
      await simulation.#deposit(payer, 300n);
    }
    for (let at = 0; at < serverCount; at += 1) simulation.#start();
    return simulation;
  }

  /** @throws what is wrong. */
  async run(steps: number, booksEvery = 250): Promise<void> {
    for (let step = 1; step <= steps; step += 1) {
      await this.#step();
      await letGoOn();
      if (this.#failure !== undefined) throw this.#failure;
      if (step % booksEvery === 0) await this.#check();
    }
  }

  /** All that is open ends, all is written, and all stop: nothing may be leased then. */
  async close(): Promise<void> {
    while (this.#dead.length > 0) await this.#adopt();
    for (let round = 0; round < 6; round += 1) {
      for (const server of this.#servers) {
        for (const { admission } of server.open.splice(0)) admission.release();
        await this.#wire.drain(server.write());
      }
      // Those that wait for money of others have it then, or are refused, or are charged what there is.
      await this.#clock.advance(3_000);
      await this.#wire.drain(Promise.resolve());
    }
    await this.#check();
    const { leasedNanoUsd } = await this.#money();
    if (leasedNanoUsd !== 0n) throw new Error(`${leasedNanoUsd} stay leased`);
    for (const server of this.#servers) await this.#wire.drain(server.wallets.close());
    await this.#check();
    for (const { id, leasedNanoUsd: left } of await listHolders(this.#storage.db)) {
      if (left > 0n) throw new Error(`holder ${id} still has ${left}`);
    }
  }

  async #step(): Promise<void> {
    const random = this.#random;
    const { waiting } = this.#wire;
    if (waiting.length > 0 && (waiting.length >= mostWaiting || !random.oneIn(4))) return await this.#goOn();
    const [act, name] = random.weighted(this.#acts);
    this.counts[name] = (this.counts[name] ?? 0) + 1;
    await act();
  }

  async #goOn(): Promise<void> {
    const random = this.#random;
    const { waiting } = this.#wire;
    // Mostly the oldest, as it is.
    const chosen = random.oneIn(3) ? random.pick(waiting) : waiting[0];
    if (chosen === undefined) return;
    const isLost = chosen.isHeard && random.oneIn(50);
    if (isLost) {
      this.counts['answer lost'] = (this.counts['answer lost'] ?? 0) + 1;
      this.#wire.lose(chosen);
    } else if (chosen.state === 'done') this.#wire.answer(chosen);
    else if (chosen.isHeard || random.oneIn(2)) await this.#wire.carryOut(chosen);
    else this.#wire.drop();
  }

  readonly #acts: readonly (readonly [number, readonly [() => unknown, string]])[] = [
    [30, [() => this.#begin(), 'begin']],
    [25, [() => this.#end(), 'end']],
    [10, [() => void this.#inBackground(this.#someServer().write()), 'write']],
    [6, [() => this.#clock.advance(this.#random.below(1_500)), 'time passes']],
    [4, [() => this.#depositSome(), 'deposit']],
    [2, [() => this.#withdraw(), 'refund or transfer']],
    [1, [() => this.#changeCredit(), 'credit limit']],
    [2, [() => this.#grant(), 'promotion']],
    [1, [() => this.#work((work) => endPromotions(work)), 'promotions end']],
    [2, [() => this.#changeBudget(), 'budget']],
    [1, [() => this.#kill(), 'death']],
    [2, [() => this.#adopt(), 'adoption']],
    [1, [() => this.#someServer().feed.resume(), 'feed was away']],
  ];

  #someServer(): SimulatedServer {
    return this.#random.pick(this.#servers);
  }

  #start(): void {
    this.#count += 1;
    const around = {
      ...{ db: this.#storage.db, clock: this.#clock, wire: this.#wire, spent: this.#spent },
      feeds: () => this.#servers.map((server) => server.feed),
    };
    this.#servers.push(new SimulatedServer(this.#count, around));
  }

  #begin(): void {
    const random = this.#random;
    const server = this.#someServer();
    const payer = random.pick(this.#payers);
    const least = BigInt(1 + random.below(30));
    const most = least + BigInt(random.below(60));
    this.#inBackground(server.hold(payer, { most, least }));
  }

  #end(): void {
    const random = this.#random;
    const server = this.#someServer();
    const [ended] = server.open.splice(random.below(Math.max(1, server.open.length)), 1);
    if (ended === undefined) return;
    if (random.oneIn(5)) ended.admission.release();
    else this.#inBackground(server.settle(ended, BigInt(random.below(70))));
  }

  #kill(): void {
    const server = this.#someServer();
    this.#servers = this.#servers.filter((each) => each !== server);
    this.#wire.kill(server.number);
    this.#dead.push(server);
    this.#start();
  }

  async #adopt(): Promise<void> {
    await this.#dead.shift()?.adopt();
  }

  async #work(run: (work: Work) => Promise<unknown>): Promise<void> {
    const changes = new SimulatedFeed(
      () => this.#servers.map((server) => server.feed),
      async (tell) => tell(),
    );
    await transact({ storage: { db: this.#storage.db, changes }, clock: this.#clock, ids: systemIds }, run);
  }

  #depositSome(): Promise<void> {
    return this.#deposit(this.#random.pick(this.#payers), BigInt(1 + this.#random.below(120)));
  }

  async #deposit(payer: Payer, amountNanoUsd: bigint): Promise<void> {
    await this.#work((work) => deposit(work, { userId: payer.id, amountNanoUsd, businessKey: this.#key() }));
    payer.paidIn += amountNanoUsd;
  }

  async #withdraw(): Promise<void> {
    const from = this.#random.pick(this.#payers.filter(({ isSteady }) => !isSteady));
    const to = this.#random.oneIn(2) ? this.#random.pick(this.#payers) : null;
    if (to === from) return;
    const amount = BigInt(1 + this.#random.below(60));
    const there = to === null ? 'payments' : ({ userId: to.id, part: 'paid' } as const);
    await this.#work((work) =>
      postJournal(work, {
        kind: to === null ? 'refund' : 'transfer',
        businessKey: this.#key(),
        entries: [
          { account: { userId: from.id, part: 'paid' }, amountNanoUsd: -amount },
          { account: there, amountNanoUsd: amount },
        ],
      }),
    );
    from.paidIn -= amount;
    if (to !== null) to.paidIn += amount;
  }

  async #changeCredit(): Promise<void> {
    const payer = this.#random.pick(this.#payers.filter(({ isSteady }) => !isSteady));
    await this.#work((work) => setCreditLimit(work, payer.id, BigInt(this.#random.below(80))));
  }

  async #grant(): Promise<void> {
    const payer = this.#random.pick(this.#payers);
    // What ends is taken away, so that it is only for those who may come below their floor.
    const expiresAt = payer.isSteady ? null : new Date(this.#clock.nowMs() + 1 + this.#random.below(20_000));
    const amountNanoUsd = BigInt(1 + this.#random.below(60));
    await this.#work((work) =>
      grantPromotion(work, {
        userId: payer.id,
        ...{ name: 'simulated', amountNanoUsd, expiresAt, businessKey: this.#key() },
      }),
    );
    payer.paidIn += amountNanoUsd;
  }

  async #changeBudget(): Promise<void> {
    const random = this.#random;
    const payer = random.pick(this.#payers);
    const period = random.pick(['total', 'daily'] as const);
    const subject = { kind: random.pick(['user', 'key'] as const), id: payer.id };
    if (random.oneIn(4)) await this.#work((work) => removeBudget(work, { subject, period }));
    else {
      const limitNanoUsd = BigInt(random.below(3_000));
      await this.#work((work) => setBudget(work, { subject, period, limitNanoUsd, managedBy: null }));
    }
  }

  #key(): string {
    this.#count += 1;
    return `simulated ${this.#payers[0]?.id} ${this.#count}`;
  }

  /** What goes wrong in it ends the run, but for what a client would hear of a lost answer. */
  #inBackground(work: Promise<unknown>): void {
    work.catch((error) => {
      if (!(error instanceof AnswerLost) && !(error instanceof AppError)) this.#failure ??= error;
    });
  }

  #money() {
    return readMoney(this.#storage.db);
  }

  async #check(): Promise<void> {
    const { db } = this.#storage;
    const breaches = await checkBooks(db);
    if (breaches.length > 0) throw new Error(JSON.stringify(breaches));
    for (const payer of this.#payers) await this.#checkPayer(payer);
    const { rows } = await db.execute<{ fund: string; spent: string }>(`
      SELECT fund_id::text AS fund, (limit_nano_usd - balance_nano_usd)::text AS spent
      FROM budget_windows JOIN funds ON funds.id = fund_id`);
    for (const { fund, spent } of rows) {
      const expected = this.#spent.get(Number(fund)) ?? 0n;
      if (BigInt(spent) !== expected) throw new Error(`of fund ${fund} ${spent} are spent, not ${expected}`);
    }
  }

  async #checkPayer({ id, isSteady, paidIn, charged }: Payer): Promise<void> {
    const { db } = this.#storage;
    const { balanceNanoUsd, leasedNanoUsd } = await readMoney(db, id);
    const waiting = [...this.#servers, ...this.#dead].flatMap((server) => server.charges);
    const unstored = waiting
      .filter((charge) => charge.payer.id === id && !charge.isStored)
      .reduce((sum, charge) => sum + charge.amount, 0n);
    if (!isSteady) return;
    const expected = paidIn - charged + unstored;
    if (balanceNanoUsd !== expected) throw new Error(`payer ${id} has ${balanceNanoUsd}, not ${expected}`);
    if (balanceNanoUsd < leasedNanoUsd) throw new Error(`of payer ${id} more is leased than is there`);
    const held = this.#servers.reduce((sum, { wallets }) => sum + wallets.held(id), 0n);
    if (balanceNanoUsd - unstored - held < 0n) throw new Error(`payer ${id} was promised more than is there`);
  }
}
