import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { systemIds } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { silentLog } from '../base/testing/silent-log.ts';
import { budgets, budgetWindows } from '../storage/schema/budgets.ts';
import { users } from '../storage/schema/identity.ts';
import { funds, leases } from '../storage/schema/ledger.ts';
import type { Storage } from '../storage/storage.ts';
import { transact } from '../storage/work.ts';
import { budgetKeeper, removePastBudgets } from './budget-keeper.ts';
import { listBudgets, removeBudget, setBudget } from './budgets.ts';
import { checkBooks } from './check.ts';
import { Wallets } from './index.ts';
import { alone, newPerson } from './testing/people.ts';
import { leasedOf, writeSpending } from './testing/write-charges.ts';

const dayMs = 86_400_000;

describeOnEachDatabase('what is left of budgets', (openDatabase) => {
  let storage: Storage;
  beforeAll(async () => {
    storage = await openDatabase();
  });
  afterAll(() => storage.close());

  test('is removed long after it was over: past windows and their funds, and those of budgets that are gone', async () => {
    const clock = new ManualClock();
    const parts = { storage, clock, ids: systemIds };
    const { db } = storage;
    const databaseMs = async () => clock.nowMs();
    const wallets = new Wallets({ db, changes: storage.changes, clock, databaseMs });
    const keys = [await newPerson(db), await newPerson(db), await newPerson(db)];
    const [kept = 0, removed = 0, busy = 0] = keys;
    const limitNanoUsd = 1_000n;
    const set = (id: number, period: 'daily' | 'total') =>
      transact(parts, (work) =>
        setBudget(work, { subject: { kind: 'user', id }, period, limitNanoUsd, managedBy: null }),
      );
    for (const id of keys) await set(id, 'daily');
    await set(kept, 'total');
    const admit = async (id: number) => {
      const admission = await wallets.admit({ payerId: id, exempt: true, budgetOf: alone(id) });
      await admission.hold({ mostNanoUsd: 100n, leastNanoUsd: 100n, fairNanoUsd: 100n });
      return admission;
    };
    for (const id of [kept, removed]) {
      const admission = await admit(id);
      admission.settle(40n);
      const spending = admission.spentOfBudgets;
      await writeSpending(db, { charges: new Map(), spending, holderId: wallets.holderId ?? null });
      wallets.written(new Map(), leasedOf(spending));
    }
    expect(await checkBooks(db)).toEqual([]);
    await transact(parts, (work) =>
      removeBudget(work, { subject: { kind: 'user', id: removed }, period: 'daily' }),
    );
    await admit(busy);
    // What is free goes back; what the last one holds does not.
    await clock.advance(10_000);
    const windows = () => db.$count(budgetWindows);
    expect([await windows(), await db.$count(funds)]).toEqual([3, 4]);
    // A clock of its own: leases would be looked at once for each second of four months.
    const after = (days: number) => ({ ...parts, clock: new ManualClock(clock.nowMs() + days * dayMs) });
    const remove = (days = 0) => removePastBudgets(after(days), new AbortController().signal);
    while ((await remove()) === 0) await clock.advance(1_000);
    // One of a budget that is gone, which nobody has anything of.
    expect([await windows(), await db.$count(funds)]).toEqual([3, 3]);
    expect(await remove(100)).toBe(0);
    const said: unknown[] = [];
    const log: Log = { ...silentLog, info: (...told) => said.push(told) };
    const round = async (databaseMs?: () => Promise<number>) => {
      const later = after(122);
      const keeper = budgetKeeper({ ...later, log, ...(databaseMs === undefined ? {} : { databaseMs }) });
      while (later.clock.pendingTimers === 0) await new Promise((resolve) => setImmediate(resolve));
      await keeper.close();
    };
    // The database's own clock is years behind.
    await round();
    expect(await windows()).toBe(3);
    while (said.length === 0) {
      await round(async () => after(122).clock.nowMs());
      await clock.advance(1_000);
    }
    expect(said).toEqual([['past windows of budgets were removed', { count: 1 }]]);
    // The total has no end, and of the third something is held.
    expect([await windows(), await db.$count(funds)]).toEqual([2, 2]);
    expect(await db.$count(leases)).toBe(2);
    expect(await checkBooks(db)).toEqual([]);
    await wallets.close();
  });

  test('is removed where the key or the account is gone that it was of', async () => {
    const { db } = storage;
    const parts = { storage, clock: new ManualClock(), ids: systemIds };
    const [here, gone] = [await newPerson(db), await newPerson(db)];
    await db
      .update(users)
      .set({ removedAt: new Date(0) })
      .where(eq(users.id, gone));
    const before = await db.$count(budgets);
    const set = (kind: 'key' | 'user', id: number) =>
      transact(parts, (work) =>
        setBudget(work, { subject: { kind, id }, period: 'total', limitNanoUsd: 5n, managedBy: null }),
      );
    await set('user', here);
    await set('user', gone);
    await set('key', 4_000_000);
    await removePastBudgets(parts, new AbortController().signal);
    expect(await db.$count(budgets)).toBe(before + 1);
    expect(await listBudgets(db, 0, [{ kind: 'user', id: here }])).toHaveLength(1);
  });

  test('a window whose sum is not what was spent in it is told', async () => {
    const { db } = storage;
    await db.update(budgetWindows).set({ settledNanoUsd: 1n });
    const breaches = await checkBooks(db);
    expect(breaches).toMatchObject([
      { rule: 'what is left of a window of a budget is its limit less what was spent in it' },
    ]);
  });
});
