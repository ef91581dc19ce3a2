import { afterAll, beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { AppError } from '../base/errors.ts';
import { systemIds } from '../base/ids.ts';
import { clockShowing } from '../base/testing/manual-clock.ts';
import { users } from '../storage/schema/identity.ts';
import type { Storage } from '../storage/storage.ts';
import { transact } from '../storage/work.ts';
import { Wallets } from './index.ts';
import {
  answerLost,
  type ChargeEnd,
  type ChargeOrder,
  rolledBack,
  takeCharges,
} from './testing/take-charges.ts';
import { readWallet } from './wallet-rows.ts';

const payers = [0, 1, 2] as const;
type PayerIndex = (typeof payers)[number];
type ProcessIndex = 0 | 1;
type Step =
  | { kind: 'deposit' | 'spend' | 'replay'; process: ProcessIndex; payer: PayerIndex; amount: bigint }
  | { kind: 'batch'; process: ProcessIndex; end: ChargeEnd }
  | { kind: 'wait'; ms: number };

function stepOf(process: fc.Arbitrary<ProcessIndex>, end: fc.Arbitrary<ChargeEnd>): fc.Arbitrary<Step> {
  const kind = fc.constantFrom('deposit' as const, 'spend' as const, 'spend' as const, 'replay' as const);
  const payer = fc.constantFrom(...payers);
  const amount = fc.bigInt({ min: 1n, max: 1_000n });
  return fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind, process, payer, amount }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('batch' as const), process, end }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 3_000 }) }),
    },
  );
}

/** The steps of a wave run at the same time. */
const waves = fc.array(
  fc.array(stepOf(fc.constantFrom(0, 1), fc.constantFrom('commit', 'roll back', 'lose the answer')), {
    minLength: 1,
    maxLength: 4,
  }),
  { minLength: 1, maxLength: 12 },
);
const stepOfOneProcess = stepOf(fc.constant(0), fc.constantFrom('commit', 'roll back'));

interface Charge {
  readonly payer: PayerIndex;
  readonly amount: bigint;
  isStored: boolean;
}

/** A process, with what it settled and was not told to be stored, as the writer of usage rows keeps it. */
interface Process {
  readonly wallets: Wallets;
  pending: Charge[];
}

describeOnEachDatabase('money', (openDatabase) => {
  let storage: Storage;
  beforeAll(async () => {
    storage = await openDatabase();
  });
  afterAll(() => storage.close());

  let runs = 0;
  async function openRun(): Promise<Run> {
    runs += 1;
    const people = payers.map((payer) => ({ email: `${payer}-of-${runs}@example.test`, role: 'member' }));
    const rows = await storage.db.insert(users).values(people).returning({ id: users.id });
    return new Run(
      storage,
      rows.map(({ id }) => id),
    );
  }

  test('is never lost or made, whatever happens at the same time', async () => {
    await fc.assert(
      fc.asyncProperty(waves, async (script) => {
        const run = await openRun();
        for (const wave of script) {
          await Promise.all(wave.map((step) => run.take(step)));
          await run.checkStored();
        }
        await run.checkAvailableAfterReading();
        for (const process of [0, 1] as const) await run.take({ kind: 'batch', process, end: 'commit' });
        await run.checkAvailableAfterReading();
      }),
      { numRuns: 30 },
    );
  });

  test('admits exactly while there is some, step by step in one process', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(stepOfOneProcess, { minLength: 1, maxLength: 25 }), async (script) => {
        const run = await openRun();
        for (const step of script) {
          const before = step.kind === 'spend' ? run.expectedAvailable(0, step.payer) : undefined;
          const wasAdmitted = await run.take(step);
          if (before !== undefined) expect(wasAdmitted).toBe(before > 0n);
          await run.checkStored();
          await run.checkAvailable(0);
        }
      }),
      { numRuns: 30 },
    );
  });
});

/** The real thing and, beside it, sums kept by hand. */
class Run {
  readonly #storage: Storage;
  readonly #ids: readonly number[];
  readonly #processes: readonly [Process, Process];
  readonly #deposited = [0n, 0n, 0n];
  readonly #posted = [0n, 0n, 0n];
  #nowMs = 0;
  #depositCount = 0;
  #heardCount = 0;
  #onHeard: () => void = () => undefined;

  constructor(storage: Storage, ids: readonly number[]) {
    this.#storage = storage;
    this.#ids = ids;
    const clock = clockShowing(() => this.#nowMs);
    const open = () => new Wallets({ db: storage.db, changes: storage.changes, clock });
    this.#processes = [
      { wallets: open(), pending: [] },
      { wallets: open(), pending: [] },
    ];
    storage.changes.subscribe('wallet', (key) => {
      if (!ids.includes(Number(key))) return;
      this.#heardCount += 1;
      this.#onHeard();
    });
  }

  /** @returns for a spend, whether it was admitted. */
  async take(step: Step): Promise<boolean> {
    switch (step.kind) {
      case 'deposit':
        await this.#deposit(step.process, step.payer, step.amount);
        return true;
      case 'spend':
        return await this.#spend(this.#processes[step.process], step.payer, step.amount);
      case 'batch':
        await this.#batch(this.#processes[step.process], step.end);
        return true;
      case 'replay':
        await this.#replay(this.#processes[step.process], step.payer, step.amount);
        return true;
      case 'wait':
        this.#nowMs += step.ms;
        return true;
    }
  }

  async checkStored(): Promise<void> {
    for (const payer of payers) {
      const { balanceNanoUsd } = await readWallet(this.#storage.db, this.#id(payer));
      expect(balanceNanoUsd).toBe(this.#expectedStored(payer));
    }
  }

  async checkAvailableAfterReading(): Promise<void> {
    this.#nowMs += 2_000;
    await this.checkAvailable(0);
    await this.checkAvailable(1);
  }

  async checkAvailable(process: ProcessIndex): Promise<void> {
    for (const payer of payers) {
      const available = await this.#processes[process].wallets.available(this.#id(payer));
      expect(available).toBe(this.expectedAvailable(process, payer));
    }
  }

  expectedAvailable(process: ProcessIndex, payer: PayerIndex): bigint {
    return this.#expectedStored(payer) - (sumByPayer(this.#processes[process].pending).get(payer) ?? 0n);
  }

  async #deposit(process: ProcessIndex, payer: PayerIndex, amountNanoUsd: bigint): Promise<void> {
    this.#depositCount += 1;
    const businessKey = `${this.#id(payer)} ${this.#depositCount}`;
    const deposit = { userId: this.#id(payer), amountNanoUsd, businessKey };
    const { wallets } = this.#processes[process];
    const parts = { storage: this.#storage, clock: clockShowing(() => this.#nowMs), ids: systemIds };
    const asked = await Promise.all(
      [1, 2].map(() => transact(parts, (work) => wallets.deposit(work, deposit))),
    );
    expect(asked.filter(Boolean)).toHaveLength(1);
    add(this.#deposited, payer, amountNanoUsd);
    while (this.#heardCount < this.#depositCount) {
      await new Promise<void>((resolve) => {
        const others = this.#onHeard;
        this.#onHeard = () => {
          others();
          resolve();
        };
      });
    }
  }

  async #spend(process: Process, payer: PayerIndex, cost: bigint): Promise<boolean> {
    try {
      const admission = await process.wallets.admit({ payerId: this.#id(payer), exempt: false });
      process.pending.push({ payer, amount: admission.settle(cost), isStored: false });
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === 'insufficient_funds') return false;
      throw error;
    }
  }

  async #batch(process: Process, end: ChargeEnd): Promise<void> {
    const batch = process.pending;
    process.pending = [];
    const fresh = batch.filter(({ isStored }) => !isStored);
    const charges = this.#byId(sumByPayer(fresh));
    const settled = this.#byId(sumByPayer(batch));
    const thrown = await this.#take(process, { charges, settled, end });
    if (thrown !== undefined) process.pending.push(...batch);
    if (thrown === rolledBack) return;
    for (const charge of fresh) {
      charge.isStored = true;
      add(this.#posted, charge.payer, charge.amount);
    }
  }

  /** What a process that is gone had settled. */
  async #replay(process: Process, payer: PayerIndex, amount: bigint): Promise<void> {
    const charges = new Map([[this.#id(payer), amount]]);
    expect(await this.#take(process, { charges, settled: new Map() })).toBeUndefined();
    add(this.#posted, payer, amount);
  }

  /** @returns what was thrown on purpose. */
  async #take({ wallets }: Process, order: ChargeOrder): Promise<unknown> {
    try {
      await takeCharges(this.#storage.db, wallets, order);
      return undefined;
    } catch (error) {
      if (error === rolledBack || error === answerLost) return error;
      throw error;
    }
  }

  #expectedStored(payer: PayerIndex): bigint {
    return (this.#deposited[payer] ?? 0n) - (this.#posted[payer] ?? 0n);
  }

  #byId(sums: ReadonlyMap<PayerIndex, bigint>): ReadonlyMap<number, bigint> {
    return new Map([...sums].map(([payer, sum]) => [this.#id(payer), sum]));
  }

  #id(payer: PayerIndex): number {
    return this.#ids[payer] ?? -1;
  }
}

function sumByPayer(charges: readonly Charge[]): ReadonlyMap<PayerIndex, bigint> {
  const sums = new Map<PayerIndex, bigint>();
  for (const { payer, amount } of charges) sums.set(payer, (sums.get(payer) ?? 0n) + amount);
  return sums;
}

function add(sums: bigint[], payer: PayerIndex, amount: bigint): void {
  sums[payer] = (sums[payer] ?? 0n) + amount;
}
