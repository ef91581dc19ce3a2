/** A few processes with the real funds, desks and admissions, on books in memory, and what must hold of them at every moment. */
import { everyKey } from '../../storage/change-feed.ts';
import type { Admission } from '../admission.ts';
import { recallOf } from '../lease-rows.ts';
import type { Action, Explored } from './explore.ts';
import { MemoryBooks } from './memory-books.ts';
import { budgetId, ModelProcess, sharesOf, walletId } from './model-process.ts';
import { ModelWords } from './model-words.ts';
import { letGoOn, outside, StatementWire, type Waiting } from './statement-wire.ts';

export interface WorldOptions {
  /** Of the wallet. */
  readonly balance: bigint;
  readonly floor?: bigint;
  /** Null for none. */
  readonly budget?: bigint | null;
  readonly processes: number;
  /** How many answers may be lost in one run. */
  readonly losses?: number;
  /** Those of which one may be killed in a run, at any moment. */
  readonly mortal?: readonly number[];
  /** Word of changes comes when it comes, and so many times twice; at once when not given. */
  readonly repeats?: number;
  readonly threads: readonly Thread[];
}

/** What is done one after the other; each step takes its turn like everything else. */
export interface Thread {
  /** With which it dies; `outside` for none. */
  readonly process: number;
  run(world: LeaseWorld): Promise<void>;
}

export class LeaseWorld implements Explored {
  readonly books = new MemoryBooks();
  readonly wire = new StatementWire();
  readonly #processes: ModelProcess[] = [];
  readonly #fundIds: readonly number[];
  readonly #charged = new Map<number, bigint>();
  readonly #paidIn = new Map<number, bigint>();
  /** What somebody took away meanwhile: so far below the floor it may go. */
  readonly #forgiven = new Map<number, bigint>();
  #losses: number;
  #mortal: readonly number[];
  #error: unknown;
  #words: ModelWords;
  readonly #threads = new Set<Thread>();

  constructor(options: WorldOptions) {
    const { balance, floor = 0n, budget = null, losses = 0, mortal = [] } = options;
    this.#losses = losses;
    this.#mortal = mortal;
    this.#words = new ModelWords(options.repeats ?? null);
    this.books.funds.set(walletId, { balance, floor, leased: 0n });
    if (budget !== null) this.books.funds.set(budgetId, { balance: budget, floor: 0n, leased: 0n });
    this.#fundIds = [...this.books.funds.keys()];
    for (const [id, fund] of this.books.funds) this.#paidIn.set(id, fund.balance);
  }

  /** All processes are known from their start, as servers are. */
  static async open(options: WorldOptions): Promise<LeaseWorld> {
    const world = new LeaseWorld(options);
    for (let number = 0; number < options.processes; number += 1) await world.#startProcess(number);
    for (const thread of options.threads) world.#run(thread);
    await letGoOn();
    return world;
  }

  #run(thread: Thread): void {
    this.#threads.add(thread);
    thread
      .run(this)
      .catch((error) => {
        this.#error ??= error;
      })
      .finally(() => this.#threads.delete(thread));
  }

  actions(): readonly Action[] {
    const usual: Action[] = [];
    const losses: Action[] = [];
    const late: Action[] = [];
    for (const waiting of this.wire.waiting) {
      const { name, process, state, isHeard, isTurn } = waiting;
      const title = () => `${process}: ${name}`;
      if (state === 'done') {
        usual.push({ name: () => `${title()} is answered`, perform: () => this.wire.answer(waiting) });
      } else {
        const action = { name: title, perform: () => this.wire.carryOut(waiting) };
        if (isHeard) usual.push(action);
        else late.push(action);
      }
      if (this.#losses > 0 && isHeard && process !== outside && !isTurn) {
        losses.push({ name: () => `${title()}: its answer is lost`, perform: () => this.#lose(waiting) });
      }
    }
    usual.push(...this.#words.arriving);
    // Only what nobody waits for is left: it is never carried out, or was before.
    if (usual.length === 0) return [];
    const deaths = this.#mortal.map((number) => ({
      name: () => `${number} is killed`,
      perform: () => this.#kill(number),
    }));
    return [...usual, ...late, ...this.#words.again, ...losses, ...deaths];
  }

  check(): void {
    if (this.#error !== undefined) throw this.#error;
    for (const id of this.#fundIds) this.#checkFund(id);
  }

  /** All is written, and time passes: nothing may stay leased, nor be missing. */
  async finish(): Promise<void> {
    if (this.#threads.size > 0) throw new Error('a thread waits for ever');
    this.#losses = 0;
    this.#words = new ModelWords(null);
    this.wire.drop();
    for (const { number, isClosed } of this.#alive()) {
      if (!isClosed) await this.wire.drain(this.write(number));
    }
    // What is idle comes back in the first; the long one shows whether any of it is taken again.
    for (const ms of [3_000, 3_000, 15_000]) {
      for (const { number } of this.#alive()) await this.wire.drain(this.passTime(number, ms));
    }
    for (const id of this.#fundIds) {
      const row = this.#row(id);
      demand(row.leased === 0n, () => `of fund ${id} ${row.leased} stays leased`);
      const expected = (this.#paidIn.get(id) ?? 0n) - (this.#charged.get(id) ?? 0n);
      demand(row.balance === expected, () => `fund ${id} has ${row.balance}, not ${expected}`);
    }
    for (const { number } of this.#alive()) await this.wire.drain(this.#takeAll(number));
    for (const { number } of this.#alive()) await this.wire.drain(this.close(number));
    for (const id of this.#fundIds)
      demand(this.#row(id).leased === 0n, () => 'something is leased by nobody');
  }

  turn(process: number, name: string): Promise<void> {
    return this.wire.turn(process, name);
  }

  /** @returns undefined when it was refused. */
  async hold(process: number, most: bigint, least = most): Promise<Admission | undefined> {
    await this.turn(process, `holds ${most}`);
    return await this.#process(process).hold(most, least);
  }

  /** What it took is in the spool when this is over, and counts whatever becomes of the process. */
  async settle(process: number, admission: Admission | undefined, cost: bigint): Promise<void> {
    if (admission === undefined) return;
    await this.turn(process, `settles ${cost}`);
    const charged = await admission.settle(cost);
    const shares = sharesOf(charged, admission);
    for (const [id, { amount, leased }] of shares) add(this.#forgiven, id, amount - leased);
    for (const [id, { amount }] of shares) add(this.#charged, id, amount);
    this.#process(process).charges.push({ shares, isStored: false });
  }

  /** As the batches of usage: tried again until it is heard of. */
  async write(process: number): Promise<void> {
    await this.#process(process).write();
  }

  async passTime(process: number, ms: number): Promise<void> {
    await this.turn(process, `${ms} ms pass`);
    this.#process(process).clock.pass(ms);
  }

  async close(process: number): Promise<void> {
    await this.turn(process, 'closes');
    const its = this.#process(process);
    if (its.isClosed) return;
    its.isClosed = true;
    await its.desk.close();
  }

  /** Whoever is asked for it changes what there is: `less` may leave processes with more than there is. */
  async change(name: string, fundId: number, change: { balance?: bigint; floor?: bigint }): Promise<void> {
    await this.turn(outside, name);
    const { balance = 0n, floor = 0n } = change;
    const row = this.#row(fundId);
    row.balance += balance;
    row.floor += floor;
    add(this.#paidIn, fundId, balance);
    const lost = floor - balance;
    if (lost <= 0n) {
      for (const { number, funds } of this.#alive()) {
        this.#words.send(number, name, () => funds.get(fundId)?.invalidate());
      }
      return;
    }
    add(this.#forgiven, fundId, lost);
    for (const its of this.#alive()) this.#tell(its, recallOf(fundId));
  }

  /** As an operator does with a process that lives. */
  async takeAway(process: number): Promise<void> {
    await this.turn(outside, `fences ${process}`);
    const { holders } = this.#process(process);
    for (const id of holders) this.books.fence(id);
    await this.turn(outside, `ends ${process}`);
    for (const holder of holders) {
      for (const id of this.#fundIds) add(this.#forgiven, id, this.books.leftOf(holder, id));
      this.books.end(holder);
    }
  }

  async missChanges(process: number): Promise<void> {
    await this.turn(process, 'hears that it may have missed something');
    this.#process(process).tell(everyKey);
  }

  async #startProcess(number: number): Promise<void> {
    const { wire, books } = this;
    const recall = (fundId: number, holderId: number) => {
      for (const other of this.#alive()) {
        if (other.number !== number) this.#tell(other, recallOf(fundId, holderId));
      }
    };
    const its = new ModelProcess(number, { wire, books, recall, fundIds: this.#fundIds });
    this.#processes[number] = its;
    await this.wire.drain(its.desk.register());
  }

  #tell(its: ModelProcess, key: string): void {
    this.#words.send(its.number, `recall ${key}`, () => its.tell(key));
  }

  #lose(waiting: Waiting): void {
    this.#losses -= 1;
    this.wire.lose(waiting);
  }

  #kill(number: number): void {
    this.#mortal = [];
    const its = this.#process(number);
    its.isAlive = false;
    its.clock.stop();
    this.wire.kill(number);
    for (const thread of this.#threads) if (thread.process === number) this.#threads.delete(thread);
    this.#run({ process: outside, run: () => its.inherit() });
  }

  /** What is there can be had, by one after the other. */
  async #takeAll(number: number): Promise<void> {
    const its = this.#process(number);
    if (its.isClosed) return;
    const all = this.#fundIds.map((id) => this.#row(id).balance - this.#row(id).floor);
    const [least = 0n] = all.toSorted((a, b) => (a < b ? -1 : 1));
    if (least <= 0n) return;
    const admission = await this.hold(number, least);
    demand(admission !== undefined, () => `${number} cannot have the ${least} that are there`);
    admission?.release();
    for (let round = 0; round < 2; round += 1) await this.passTime(number, 3_000);
  }

  #checkFund(id: number): void {
    const row = this.#row(id);
    let left = 0n;
    for (const leases of this.books.leases.values()) {
      const lease = leases.get(id);
      if (lease === undefined) continue;
      const its = lease.granted - lease.settled;
      demand(lease.settled >= 0n && its >= 0n, () => `a lease of fund ${id} is overdrawn`);
      left += its;
    }
    demand(row.leased === left, () => `fund ${id}: ${row.leased} leased, leases have ${left}`);
    const forgiven = this.#forgiven.get(id) ?? 0n;
    demand(row.balance - row.leased - row.floor >= -forgiven, () => `fund ${id} is leased below its floor`);
    let promised = this.#charged.get(id) ?? 0n;
    for (const { funds } of this.#alive()) promised += funds.get(id)?.heldNanoUsd ?? 0n;
    const there = (this.#paidIn.get(id) ?? 0n) - row.floor;
    demand(promised <= there + forgiven, () => `of fund ${id} ${promised} are promised, ${there} are there`);
  }

  #alive(): readonly ModelProcess[] {
    return this.#processes.filter(({ isAlive }) => isAlive);
  }

  #process(number: number): ModelProcess {
    const its = this.#processes[number];
    if (its === undefined) throw new Error(`there is no process ${number}`);
    return its;
  }

  #row(id: number) {
    return this.books.fund(id);
  }
}

/** The words are made only where they are needed: far more often than not all is well. */
function demand(isSo: boolean, what: () => string): void {
  if (!isSo) throw new Error(what());
}

function add(sums: Map<number, bigint>, id: number, amount: bigint): void {
  sums.set(id, (sums.get(id) ?? 0n) + amount);
}
