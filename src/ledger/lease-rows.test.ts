/** The real statements beside the books in memory that the model of leases runs on: both say the same of all. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { Random } from '../../test/fuzz/random.ts';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { funds } from '../storage/schema/ledger.ts';
import type { Storage } from '../storage/storage.ts';
import { openWallet } from './books.ts';
import { fenceHolder, type Holder, leaseRows } from './lease-rows.ts';
import { MemoryBooks, type Share } from './testing/memory-books.ts';
import { newPerson } from './testing/people.ts';
import { writeSpending } from './testing/write-charges.ts';

describeOnEachDatabase('rows of leases', (openDatabase, { kind }) => {
  let storage: Storage;
  beforeAll(async () => {
    storage = await openDatabase();
  });
  afterAll(() => storage.close());

  test.each(kind === 'postgres' ? [1, 2, 3] : [1])(
    'do as the books in memory do (seed %d)',
    async (seed) => {
      const random = new Random(seed);
      const both = await Both.open(storage, random);
      for (let step = 0; step < (kind === 'postgres' ? 150 : 60); step += 1) {
        await both.step();
        await both.compare();
      }
      expect(both.refusals).toBeLessThan(30);
    },
    testTimeoutMs,
  );

  test('who asks for more than numbers of the database can be keeps nobody else from getting theirs', async () => {
    const rows = leaseRows(storage.db, storage.changes);
    const [greedy, modest] = [await newPerson(storage.db), await newPerson(storage.db)];
    const asks = await storage.db.transaction(async (transaction) => {
      const { fundId } = await openWallet(transaction, greedy);
      const other = await openWallet(transaction, modest);
      return [
        { fundId, needNanoUsd: 10n ** 30n, wantNanoUsd: 10n ** 30n },
        { fundId: other.fundId, needNanoUsd: 3n, wantNanoUsd: 3n },
      ];
    });
    for (const { fundId } of asks) {
      await storage.db.update(funds).set({ balanceNanoUsd: 100n }).where(eq(funds.id, fundId));
    }
    const answers = await rows.take(await rows.register('test'), asks);
    const granted = new Map(answers.map((answer) => [answer.fundId, answer.grantedNanoUsd]));
    expect(asks.map(({ fundId }) => granted.get(fundId))).toEqual([100n, 3n]);
  });
});

/** Hundreds of statements, on a machine that may be busy. */
const testTimeoutMs = 240_000;

class Both {
  readonly #storage: Storage;
  readonly #random: Random;
  readonly #memory = new MemoryBooks();
  readonly #fundIds: readonly number[];
  /** Of memory and of the database. */
  readonly #holders: (readonly [Holder, Holder])[] = [];
  refusals = 0;

  static async open(storage: Storage, random: Random): Promise<Both> {
    const payers = [await newPerson(storage.db), await newPerson(storage.db)];
    const opened = await storage.db.transaction(async (transaction) => [
      await openWallet(transaction, payers[0] ?? -1),
      await openWallet(transaction, payers[1] ?? -1),
    ]);
    const both = new Both(
      storage,
      random,
      opened.map(({ fundId }) => fundId),
    );
    for (const { fundId } of opened) await both.#setBalance(fundId, 1_000n);
    return both;
  }

  private constructor(storage: Storage, random: Random, fundIds: readonly number[]) {
    this.#storage = storage;
    this.#random = random;
    this.#fundIds = fundIds;
  }

  async #setBalance(fundId: number, balance: bigint): Promise<void> {
    const floor = -BigInt(this.#random.below(50));
    const row = this.#memory.funds.get(fundId) ?? { balance, floor, leased: 0n };
    this.#memory.funds.set(fundId, { ...row, balance, floor });
    await this.#storage.db
      .update(funds)
      .set({ balanceNanoUsd: balance, floorNanoUsd: floor })
      .where(eq(funds.id, fundId));
  }

  async step(): Promise<void> {
    const random = this.#random;
    const rows = leaseRows(this.#storage.db, this.#storage.changes);
    const memory = this.#memory;
    const at = random.below(this.#holders.length);
    const pair = this.#holders[at];
    if (pair === undefined || random.oneIn(30)) {
      this.#holders.push([memory.register(), await rows.register('test')]);
      return;
    }
    const [ours, theirs] = pair;
    const amount = () => BigInt(random.below(120));
    switch (random.below(9)) {
      case 0:
      case 1:
      case 2: {
        const asks = this.#fundIds.map((fundId) => ({
          fundId,
          needNanoUsd: amount(),
          wantNanoUsd: amount(),
        }));
        const [expected, answers] = [memory.take(ours, asks), await rows.take(theirs, asks)];
        expect(answers.toSorted((a, b) => a.fundId - b.fundId)).toEqual([...expected]);
        return;
      }
      case 3: {
        const amounts = new Map(this.#fundIds.map((fundId) => [fundId, amount()]));
        await this.#same(
          () => memory.giveBack(ours, amounts),
          async () => (await rows.giveBack(theirs, amounts)).toSorted((a, b) => a - b),
        );
        return;
      }
      case 4: {
        const fundId = this.#fundIds[random.below(this.#fundIds.length)] ?? -1;
        const cost = amount();
        const share: Share = { amount: cost, leased: cost - BigInt(random.below(Number(cost) + 1)) };
        memory.settle(ours.id, new Map([[fundId, share]]));
        const spending = [{ fundId, amountNanoUsd: share.amount, leasedNanoUsd: share.leased }];
        await writeSpending(this.#storage.db, { charges: new Map(), spending, holderId: theirs.id });
        return;
      }
      case 5: {
        const [expected, raised] = [memory.raiseEpoch(ours), await rows.raiseEpoch(theirs)];
        expect(raised?.epoch).toBe(expected?.epoch as number);
        // One that goes on with the old one is refused from now on.
        if (expected !== null && raised !== null && !random.oneIn(4)) this.#holders[at] = [expected, raised];
        return;
      }
      case 6:
        await this.#setBalance(this.#fundIds[random.below(2)] ?? -1, BigInt(random.below(1_500)));
        return;
      case 7:
        if (!random.oneIn(4)) return;
        memory.fence(ours.id);
        await fenceHolder(this.#storage.db, theirs.id, 0);
        return;
      default:
        if (!random.oneIn(4)) return;
        memory.end(ours.id);
        await rows.end(theirs.id);
        this.#holders.splice(at, 1);
    }
  }

  async compare(): Promise<void> {
    const { db, changes } = this.#storage;
    for (const fundId of this.#fundIds) {
      const [row] = await db.select().from(funds).where(eq(funds.id, fundId));
      const ours = this.#memory.funds.get(fundId);
      expect([row?.balanceNanoUsd, row?.leasedNanoUsd]).toEqual([ours?.balance, ours?.leased]);
    }
    for (const [ours, theirs] of this.#holders) {
      const read = await leaseRows(db, changes).read(theirs);
      expect([...read].toSorted(([a], [b]) => a - b)).toEqual(
        [...this.#memory.read(ours)].toSorted(([a], [b]) => a - b),
      );
    }
  }

  /** Both do it, or both refuse it. */
  async #same(ours: () => readonly number[], theirs: () => Promise<readonly number[]>): Promise<void> {
    let expected: readonly number[] | undefined;
    try {
      expected = ours();
    } catch {
      this.refusals += 1;
    }
    if (expected === undefined) await expect(theirs()).rejects.toThrow();
    else expect(await theirs()).toEqual([...expected]);
  }
}
