import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq, type SQL, sql } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { describeThrown } from '../base/errors.ts';
import { systemIds } from '../base/ids.ts';
import type { LogFields } from '../base/log.ts';
import { everybody } from '../base/scope.ts';
import { clockShowing, ManualClock } from '../base/testing/manual-clock.ts';
import { silentLog } from '../base/testing/silent-log.ts';
import { Settlement } from '../gateway/index.ts';
import { untilSomebodyWaits } from '../identity/testing/until-somebody-waits.ts';
import { listBudgets, readStatement, setBudget, Wallets } from '../ledger/index.ts';
import { lockFund } from '../ledger/testing/lock-funds.ts';
import { alone } from '../ledger/testing/people.ts';
import { readMoney } from '../ledger/testing/read-money.ts';
import type { Database } from '../storage/database.ts';
import { apiKeys } from '../storage/schema/api-keys.ts';
import { users } from '../storage/schema/identity.ts';
import type { Storage } from '../storage/storage.ts';
import { transact } from '../storage/work.ts';
import { readUsage, type UsageRecord } from '../usage/index.ts';
import { requestIdOf } from '../usage/testing/insert-usage.ts';
import { sumCharged } from '../usage/testing/sum-charged.ts';
import { usageRecord } from '../usage/testing/usage-record.ts';
import { batchWriter, isAboutRecords } from './write-batch.ts';

const firstNanoUsd = 100n;
const maxNanoUsd = 9_223_372_036_854_775_807n;

describeOnEachDatabase('batches of usage', (openDatabase) => {
  let storage: Storage;
  let wallets: Wallets;
  beforeAll(async () => {
    storage = await openDatabase();
    const clock = clockShowing(() => 0);
    const databaseMs = async () => clock.nowMs();
    wallets = new Wallets({ db: storage.db, changes: storage.changes, clock, databaseMs });
  });
  afterAll(() => storage.close());

  async function newPayer(email: string): Promise<number> {
    const [row] = await storage.db.insert(users).values({ email, role: 'member' }).returning();
    if (row === undefined) throw new Error('no row');
    const parts = { storage, clock: new ManualClock(), ids: systemIds };
    const deposit = { userId: row.id, amountNanoUsd: firstNanoUsd, businessKey: email };
    await transact(parts, (work) => wallets.deposit(work, deposit));
    return row.id;
  }

  const record = (name: string, payerId: number, costNanoUsd: bigint): UsageRecord =>
    usageRecord(name, { userId: payerId, payerId, costNanoUsd, chargedNanoUsd: costNanoUsd });

  function openSettlement(db: Database = storage.db) {
    const errors: (LogFields | undefined)[] = [];
    const log = { ...silentLog, error: (_: string, fields?: LogFields) => errors.push(fields) };
    const clock = new ManualClock();
    const settlement = new Settlement({ write: batchWriter({ db }, wallets), isAboutRecords, clock, log });
    return { settlement, errors };
  }

  /** Of which the first answer is lost. */
  function losing(): Database {
    let isFirst = true;
    return Object.assign(Object.create(storage.db), {
      async execute(query: SQL) {
        const result = await storage.db.execute(query);
        if (!isFirst) return result;
        isFirst = false;
        throw new Error('the answer is lost');
      },
    });
  }

  const storedBalance = async (payerId: number) => (await readMoney(storage.db, payerId)).balanceNanoUsd;

  test('a charge beyond what a column holds is cut in the row and the wallet alike', async () => {
    const [rich, other] = [await newPayer('rich@example.test'), await newPayer('other@example.test')];
    const { settlement, errors } = openSettlement();
    settlement.add(record('beyond', rich, maxNanoUsd * 3n));
    settlement.add(record('beside', other, 7n));
    await settlement.flush();
    expect(errors).toEqual([]);
    expect(await sumCharged(storage.db, rich)).toBe(maxNanoUsd);
    expect(await storedBalance(rich)).toBe(firstNanoUsd - maxNanoUsd);
    expect(await storedBalance(other)).toBe(firstNanoUsd - 7n);
  });

  test('a payer that is not there is set aside, and the others of the batch are charged once', async () => {
    const payerId = await newPayer('present@example.test');
    const { settlement, errors } = openSettlement();
    const absent = 4_000_000;
    settlement.add(record('present-1', payerId, 10n));
    settlement.add(record('absent', absent, 10n));
    settlement.add(record('present-2', payerId, 20n));
    await settlement.flush();
    expect(await storedBalance(payerId)).toBe(firstNanoUsd - 30n);
    expect(await readUsage(everybody, storage.db, { payerId })).toHaveLength(2);
    expect(await readUsage(everybody, storage.db, { payerId: absent })).toHaveLength(0);
    expect(errors).toMatchObject([
      { requestId: requestIdOf('absent'), detail: expect.stringMatching(/^23502: /) },
    ]);
  });

  test('a batch whose answer is lost is written again and charged once, with what came meanwhile', async () => {
    const payerId = await newPayer('lost@example.test');
    const admission = await wallets.admit({ payerId, exempt: false, budgetOf: alone(payerId) });
    await admission.settle(30n);
    const { settlement } = openSettlement(losing());
    settlement.add(record('lost-1', payerId, 10n));
    settlement.add(record('lost-2', payerId, 20n));
    await expect(settlement.flush()).rejects.toThrow('the answer is lost');
    expect(await storedBalance(payerId)).toBe(70n);
    await (await wallets.admit({ payerId, exempt: false, budgetOf: alone(payerId) })).settle(5n);
    settlement.add(record('lost-3', payerId, 5n));
    await settlement.flush();
    expect(await storedBalance(payerId)).toBe(65n);
    expect(await wallets.available(payerId)).toBe(65n);
    expect(await readUsage(everybody, storage.db, { payerId })).toHaveLength(3);
  });

  test('what is taken off a budget is taken once, though its answer is lost, and of new rows alone', async () => {
    const payerId = await newPayer('budgeted@example.test');
    const budget = { subject: { kind: 'user', id: payerId }, period: 'total' } as const;
    await transact({ storage, clock: new ManualClock(), ids: systemIds }, (work) =>
      setBudget(work, { ...budget, limitNanoUsd: 90n, managedBy: null }),
    );
    const admission = await wallets.admit({ payerId, exempt: true, budgetOf: alone(payerId) });
    expect(await admission.settle(40n)).toBe(0n);
    const { settlement } = openSettlement(losing());
    const budgeted = { ...record('budgeted', payerId, 40n), chargedNanoUsd: 0n };
    settlement.add({ ...budgeted, budgets: admission.spentOfBudgets });
    await expect(settlement.flush()).rejects.toThrow('the answer is lost');
    settlement.add(record('budgeted-beside', payerId, 1n));
    await settlement.flush();
    const [state] = await listBudgets(storage.db, 0, [budget.subject]);
    expect(state).toMatchObject({ spentNanoUsd: 40n });
    expect((state?.heldNanoUsd ?? 0n) + (state?.leftNanoUsd ?? 0n)).toBe(50n);
    const next = await wallets.admit({ payerId, exempt: true, budgetOf: alone(payerId) });
    expect(await next.hold({ mostNanoUsd: 50n, leastNanoUsd: 50n, fairNanoUsd: 50n })).toBe(50n);
    next.release();
    expect(await storedBalance(payerId)).toBe(firstNanoUsd - 1n);
  });

  test('keys are noted as used when the latest of their requests began', async () => {
    const payerId = await newPayer('key-owner@example.test');
    const [key] = await storage.db
      .insert(apiKeys)
      .values({ ownerId: payerId, name: 'used', tokenHash: 'used', tokenPrefix: 'p', tokenLastFour: 'last' })
      .returning();
    const keyId = key?.id ?? 0;
    const at = (second: number) => new Date(Date.UTC(2032, 0, 1, 0, 0, second));
    const { settlement } = openSettlement();
    for (const second of [2, 3, 1]) {
      settlement.add({ ...record(`used-${second}`, payerId, 0n), keyId, startedAt: at(second) });
    }
    await settlement.flush();
    const [row] = await storage.db.select().from(apiKeys).where(eq(apiKeys.id, keyId));
    expect(row?.lastUsedAt).toEqual(at(3));
  });

  test('a batch locks keys before funds, as who changes a key and its budget does', async () => {
    // On the other database no statement waits in the midst of another.
    if (storage.kind !== 'postgres') return;
    const ownerId = await newPayer('both@example.test');
    const shown = { tokenHash: 'both', tokenPrefix: 'p', tokenLastFour: 'last' };
    const [key] = await storage.db
      .insert(apiKeys)
      .values({ ownerId, name: 'both', ...shown })
      .returning();
    const keyId = key?.id ?? 0;
    const { settlement, errors } = openSettlement();
    settlement.add({ ...record('both', ownerId, 5n), keyId });
    const { flushed } = await storage.db.transaction(async (changing) => {
      await changing.update(apiKeys).set({ name: 'changed' }).where(eq(apiKeys.id, keyId));
      const flushed = settlement.flush();
      flushed.catch(() => undefined);
      await untilSomebodyWaits(storage.db);
      await lockFund(changing, ownerId);
      return { flushed };
    });
    await flushed;
    expect(errors).toEqual([]);
    expect(await storedBalance(ownerId)).toBe(firstNanoUsd - 5n);
  });

  test('a batch that waits for a fund which changes meanwhile goes by what is there then', async () => {
    if (storage.kind !== 'postgres') return;
    const payerId = await newPayer('changing@example.test');
    const { settlement, errors } = openSettlement();
    settlement.add(record('changing', payerId, 5n));
    const { flushed } = await storage.db.transaction(async (changing) => {
      await changing.execute(sql`UPDATE funds SET balance_nano_usd = balance_nano_usd - 1
        WHERE id = (SELECT fund_id FROM wallets WHERE user_id = ${payerId})`);
      const flushed = settlement.flush();
      flushed.catch(() => undefined);
      await untilSomebodyWaits(storage.db);
      return { flushed };
    });
    await flushed;
    expect(errors).toEqual([]);
    expect(await storedBalance(payerId)).toBe(firstNanoUsd - 6n);
  });

  test('secrets are noted as used, as far as the records say by which they came', async () => {
    const ownerId = await newPayer('secrets-owner@example.test');
    const visible = { tokenPrefix: 'p', tokenLastFour: 'last' };
    const rotated = { secretNumber: 3, rotatedAt: new Date(0), previousTokenHash: 'second' };
    const [key] = await storage.db
      .insert(apiKeys)
      .values({ ownerId, name: 'rotated', tokenHash: 'third', ...visible, ...rotated })
      .returning();
    const keyId = key?.id ?? 0;
    const at = (second: number) => new Date(Date.UTC(2032, 0, 1, 0, 0, second));
    const { settlement } = openSettlement();
    for (const [second, secretNumber] of [[1, 3], [4, 2], [2, 3], [3, 2], [9, 1], [7]] as const) {
      const used = record(`secret-${second}`, ownerId, 0n);
      settlement.add({ ...used, keyId, startedAt: at(second ?? 0), secretNumber });
    }
    await settlement.flush();
    const [row] = await storage.db.select().from(apiKeys).where(eq(apiKeys.id, keyId));
    expect([row?.lastUsedAt, row?.secretLastUsedAt, row?.previousLastUsedAt]).toEqual([at(9), at(2), at(4)]);
  });

  test('a fault of the database is none of the records, and its description holds no parameters', async () => {
    const payerId = await newPayer('kept@example.test');
    const { settlement, errors } = openSettlement();
    await storage.db.execute(sql`ALTER TABLE usage_records RENAME TO usage_records_away`);
    settlement.add(record('kept', payerId, 10n));
    const fault = await settlement.flush().catch((thrown: unknown) => thrown);
    await storage.db.execute(sql`ALTER TABLE usage_records_away RENAME TO usage_records`);
    expect(String(fault)).toContain('double-1-2026');
    expect(describeThrown(fault)).toBe('42P01: relation "usage_records" does not exist');
    expect(errors).toEqual([{ count: 1, detail: describeThrown(fault) }]);
    await settlement.flush();
    expect(await storedBalance(payerId)).toBe(firstNanoUsd - 10n);
  });

  test('a row names the journal that charged it, and the journal counts its requests', async () => {
    const [one, other] = [await newPayer('one@journals.test'), await newPayer('other@journals.test')];
    const { settlement } = openSettlement();
    for (const name of ['first', 'second', 'third']) settlement.add(record(`${name} of a batch`, one, 5n));
    settlement.add(record('of somebody else', other, 7n));
    settlement.add({ ...record('for nothing', one, 9n), exempt: true, chargedNanoUsd: 0n });
    await settlement.flush();
    settlement.add(record('of another batch', one, 11n));
    await settlement.flush();
    const journalOf = async (name: string) =>
      (await readUsage(everybody, storage.db, { requestId: requestIdOf(name) }))[0]?.journalId ?? null;
    const first = await journalOf('first of a batch');
    expect(first).toBeGreaterThan(0);
    expect([await journalOf('third of a batch'), await journalOf('of somebody else')]).toEqual([
      first,
      first,
    ]);
    expect(await journalOf('for nothing')).toBeNull();
    const last = await journalOf('of another batch');
    const span = { from: new Date(0), until: new Date('2100-01-01') };
    const lines = async (payerId: number, isByBatch: boolean) =>
      (await readStatement(storage.db, payerId, { ...span, isByBatch }))
        .filter(({ kind }) => kind === 'usage')
        .map(({ journalId, requests, paidNanoUsd }) => [journalId, requests, paidNanoUsd]);
    expect(await lines(one, true)).toEqual([
      [last, 1, -11n],
      [first, 3, -15n],
    ]);
    expect(await lines(one, false)).toEqual([[null, 4, -26n]]);
    expect(await lines(other, true)).toEqual([[first, 1, -7n]]);
    const found = await readUsage(everybody, storage.db, { journalId: first ?? 0, payerId: one });
    expect(found.map(({ chargedNanoUsd }) => chargedNanoUsd)).toEqual([5n, 5n, 5n]);
  });
});
