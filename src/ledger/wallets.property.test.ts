import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { SQL } from 'drizzle-orm';
import fc from 'fast-check';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { systemClock } from '../base/clock.ts';
import { systemIds } from '../base/ids.ts';
import type { Database } from '../storage/database.ts';
import type { Storage } from '../storage/storage.ts';
import { transact } from '../storage/work.ts';
import type { BudgetSpending } from './admission.ts';
import { listBudgets, setBudget } from './budgets.ts';
import { checkBooks } from './check.ts';
import { FundsError } from './fund.ts';
import { type Admission, Wallets } from './index.ts';
import { endHolder, fenceHolder } from './lease-rows.ts';
import { alone, newPerson } from './testing/people.ts';
import { readMoney } from './testing/read-money.ts';
import { leasedOf, writeSpending } from './testing/write-charges.ts';

type Step =
  | { kind: 'begin'; process: number; payer: number; most: bigint; least: bigint }
  | { kind: 'end'; which: number; cost: bigint }
  | { kind: 'write'; process: number; answer: 'comes' | 'is lost' }
  | { kind: 'deposit'; payer: number; amount: bigint }
  | { kind: 'die'; process: number };

const process = fc.nat(1);
const payer = fc.nat(1);
const amount = fc.bigInt({ min: 1n, max: 60n });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('begin' as const),
      process,
      payer,
      most: amount,
      least: fc.bigInt({ min: 1n, max: 20n }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('end' as const), which: fc.nat(50), cost: amount }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      process,
      answer: fc.constantFrom('comes' as const, 'is lost' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('deposit' as const), payer, amount }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('die' as const), process }) },
);
/** The steps of a wave run at the same time. */
const script = fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 8 });

describeOnEachDatabase('money', (openDatabase, { kind: database }) => {
  let storage: Storage;
  beforeAll(async () => {
    storage = await openDatabase();
  });
  afterAll(() => storage.close());

  test(
    'is never made, lost or overspent, whatever happens at once in two processes that die',
    async () => {
      await fc.assert(
        fc.asyncProperty(script, async (waves) => {
          const run = await Run.open(storage);
          for (const wave of waves) {
            await Promise.all(wave.filter(({ kind }) => kind !== 'die').map((each) => run.take(each)));
            // Whoever is dead does nothing more: not half of a step either.
            for (const each of wave.filter(({ kind }) => kind === 'die')) await run.take(each);
            await run.check();
          }
          await run.close();
        }),
        { numRuns: database === 'postgres' ? 15 : 3 },
      );
    },
    testTimeoutMs,
  );
});

/** Thousands of statements, on a machine that may be busy. */
const testTimeoutMs = 240_000;

/** Nobody waits for what others give back: what there is must do. */
const hurriedClock = { ...systemClock, sleep: () => Promise.resolve() };

interface Charge {
  readonly payerId: number;
  readonly amount: bigint;
  readonly spending: readonly BudgetSpending[];
  isStored: boolean;
}

const limit = 150n;
const budgetOf = (userId: number) => ({ subject: { kind: 'user', id: userId }, period: 'total' }) as const;

interface Open {
  readonly process: number;
  readonly payerId: number;
  readonly admission: Admission;
}

/** The real thing and, beside it, sums kept by hand. */
class Run {
  readonly #storage: Storage;
  readonly #payers: readonly number[];
  readonly #processes: Wallets[] = [];
  /** Cuts the process there off from the database, as death does. */
  readonly #cuts: (() => void)[] = [];
  readonly #settled: Charge[][] = [[], []];
  /** Of the budget. */
  readonly #spent: Charge[] = [];
  readonly #deposited = new Map<number, bigint>();
  readonly #charged = new Map<number, bigint>();
  #open: Open[] = [];
  #deposits = 0;

  /** The first payer has a budget beside the wallet. */
  static async open(storage: Storage): Promise<Run> {
    const payers = [await newPerson(storage.db), await newPerson(storage.db)];
    await transact({ storage, clock: systemClock, ids: systemIds }, (work) =>
      setBudget(work, { ...budgetOf(payers[0] ?? -1), limitNanoUsd: limit, managedBy: null }),
    );
    const run = new Run(storage, payers);
    await run.#start(0);
    await run.#start(1);
    return run;
  }

  private constructor(storage: Storage, payers: readonly number[]) {
    this.#storage = storage;
    this.#payers = payers;
  }

  async take(each: Step): Promise<void> {
    switch (each.kind) {
      case 'begin':
        return await this.#begin(each);
      case 'end':
        return await this.#end(each);
      case 'write':
        return await this.#write(each.process, each.answer);
      case 'deposit':
        return await this.#deposit(each.payer, each.amount);
      case 'die':
        return await this.#die(each.process);
    }
  }

  async check(): Promise<void> {
    expect(await checkBooks(this.#storage.db)).toEqual([]);
    for (const payerId of this.#payers) {
      const { balanceNanoUsd, leasedNanoUsd } = await readMoney(this.#storage.db, payerId);
      expect(balanceNanoUsd).toBe((this.#deposited.get(payerId) ?? 0n) - this.#stored(payerId));
      expect(balanceNanoUsd - leasedNanoUsd).toBeGreaterThanOrEqual(0n);
      await this.#checkBudget(payerId);
      // What was promised to callers is there, written or not.
      expect(
        (this.#deposited.get(payerId) ?? 0n) - (this.#charged.get(payerId) ?? 0n),
      ).toBeGreaterThanOrEqual(0n);
    }
  }

  async #checkBudget(payerId: number): Promise<void> {
    const [budget] = await listBudgets(this.#storage.db, systemClock.nowMs(), [budgetOf(payerId).subject]);
    if (budget === undefined) return;
    const stored = this.#spent.filter(({ isStored }) => isStored).flatMap(({ spending }) => spending);
    expect(budget.spentNanoUsd).toBe(stored.reduce((sum, each) => sum + each.amountNanoUsd, 0n));
    const beyond = stored.reduce((sum, each) => sum + each.amountNanoUsd - each.leasedNanoUsd, 0n);
    expect(budget.leftNanoUsd).toBeGreaterThanOrEqual(-beyond);
    // Whatever was promised within it is there.
    const within = this.#spent.flatMap(({ spending }) => spending);
    expect(within.reduce((sum, each) => sum + each.leasedNanoUsd, 0n)).toBeLessThanOrEqual(limit);
  }

  /** At the end everything is written and given back: what is left is what was paid in less what was charged. */
  async close(): Promise<void> {
    for (const { admission } of this.#open) admission.release();
    for (const at of [0, 1]) await this.#write(at, 'comes');
    for (const wallets of this.#processes) await wallets.close();
    await this.check();
    for (const payerId of this.#payers) {
      expect(await readMoney(this.#storage.db, payerId)).toMatchObject({
        balanceNanoUsd: (this.#deposited.get(payerId) ?? 0n) - (this.#charged.get(payerId) ?? 0n),
        leasedNanoUsd: 0n,
      });
      const [budget] = await listBudgets(this.#storage.db, systemClock.nowMs(), [budgetOf(payerId).subject]);
      expect(budget?.heldNanoUsd ?? 0n).toBe(0n);
    }
  }

  /** It is known from its start, as a server is. */
  async #start(at: number): Promise<void> {
    const { db, changes } = this.#storage;
    let isCut = false;
    const line: Database = Object.assign(Object.create(db), {
      execute: (query: SQL) => (isCut ? Promise.reject(new Error('it is dead')) : db.execute(query)),
    });
    const wallets = new Wallets({ db: line, changes, clock: hurriedClock });
    await wallets.register();
    this.#processes[at] = wallets;
    this.#cuts[at] = () => {
      isCut = true;
    };
  }

  #stored(payerId: number): bigint {
    let left = this.#charged.get(payerId) ?? 0n;
    for (const charge of this.#settled.flat()) {
      if (charge.payerId === payerId && !charge.isStored) left -= charge.amount;
    }
    return left;
  }

  async #begin({ process: at, payer: who, most, least }: Step & { kind: 'begin' }): Promise<void> {
    const wallets = this.#processes[at];
    const payerId = this.#payers[who] ?? -1;
    let admission: Admission | undefined;
    try {
      admission = await wallets?.admit({ payerId, exempt: false, budgetOf: alone(payerId) });
      const held = await admission?.hold({
        mostNanoUsd: most > least ? most : least,
        leastNanoUsd: least,
        fairNanoUsd: least,
      });
      expect(held).toBeGreaterThanOrEqual(least);
      if (admission !== undefined) this.#open.push({ process: at, payerId, admission });
    } catch (error) {
      admission?.release();
      if (!(error instanceof FundsError)) throw error;
    }
  }

  async #end({ which, cost }: Step & { kind: 'end' }): Promise<void> {
    const [open] = this.#open.splice(which % Math.max(1, this.#open.length), 1);
    if (open === undefined) return;
    const { process: at, payerId, admission } = open;
    const charged = await admission.settle(cost);
    expect(charged).toBeLessThanOrEqual(cost);
    const { spentOfBudgets: spending } = admission;
    for (const { amountNanoUsd } of spending) expect(amountNanoUsd).toBe(cost);
    const charge = { payerId, amount: charged, spending, isStored: false };
    this.#settled[at]?.push(charge);
    this.#spent.push(charge);
    this.#charged.set(payerId, (this.#charged.get(payerId) ?? 0n) + charged);
  }

  async #write(at: number, answer: 'comes' | 'is lost'): Promise<void> {
    const batch = this.#settled[at] ?? [];
    this.#settled[at] = [];
    const wallets = this.#processes[at];
    if (wallets === undefined) return;
    await this.#store(batch, wallets.holderId ?? null);
    if (answer === 'is lost') this.#settled[at]?.push(...batch);
    else wallets.written(sumOf(batch), leasedOf(batch.flatMap(({ spending }) => spending)));
  }

  async #store(batch: readonly Charge[], holderId: number | null): Promise<void> {
    const fresh = batch.filter(({ isStored }) => !isStored);
    const spending = fresh.flatMap((charge) => charge.spending);
    await writeSpending(this.#storage.db, { charges: sumOf(fresh), spending, holderId });
    for (const charge of batch) charge.isStored = true;
  }

  async #deposit(who: number, amountNanoUsd: bigint): Promise<void> {
    const userId = this.#payers[who] ?? -1;
    this.#deposits += 1;
    const businessKey = `${userId} ${this.#deposits}`;
    await transact({ storage: this.#storage, clock: systemClock, ids: systemIds }, async (work) => {
      await this.#processes[0]?.deposit(work, { userId, amountNanoUsd, businessKey });
    });
    this.#deposited.set(userId, (this.#deposited.get(userId) ?? 0n) + amountNanoUsd);
  }

  /** What it had settled is in its spool: whoever finds it fences it, writes that, and gives its leases back. */
  async #die(at: number): Promise<void> {
    const dead = this.#processes[at];
    this.#cuts[at]?.();
    await this.#start(at);
    const batch = this.#settled[at] ?? [];
    this.#settled[at] = [];
    this.#open = this.#open.filter(({ process: its }) => its !== at);
    const holderId = dead?.holderId;
    if (holderId === undefined) return;
    await fenceHolder(this.#storage.db, holderId, systemClock.nowMs());
    await this.#store(batch, holderId);
    await endHolder(this.#storage.db, holderId);
  }
}

function sumOf(charges: readonly Charge[]): Map<number, bigint> {
  const sums = new Map<number, bigint>();
  for (const { payerId, amount: each } of charges) sums.set(payerId, (sums.get(payerId) ?? 0n) + each);
  return sums;
}
