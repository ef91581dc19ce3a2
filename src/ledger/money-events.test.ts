/** What is told of money beside its low levels: credit that is used up, a key's budget, and what is no payment. */

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { asc, sql } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { systemIds } from '../base/ids.ts';
import { readNanoUsd } from '../base/money.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { silentLog } from '../base/testing/silent-log.ts';
import { apiKeys } from '../storage/schema/api-keys.ts';
import { notificationEvents } from '../storage/schema/events.ts';
import { lookAtBalances } from './balance-keeper.ts';
import { deposit, setCreditLimit } from './books.ts';
import { budgetSpan } from './budget-window.ts';
import { openWindows, readBudgets, setBudget } from './budgets.ts';
import { openTestBooks } from './testing/test-books.ts';
import { writeCharges } from './testing/write-charges.ts';
import { tellThresholds, thresholdKeeper } from './threshold-keeper.ts';

const usd = readNanoUsd;
const levels = { lowNanoUsd: usd(10), veryLowNanoUsd: usd(2) };

describeOnEachDatabase('events of money', (openDatabase) => {
  let clock: ManualClock;
  const books = openTestBooks(openDatabase, { clock: () => clock, writesRows: true });
  const { write } = books;
  beforeEach(() => {
    clock = new ManualClock(Date.UTC(2030, 0, 1, 12));
  });
  afterEach(async () => {
    await books.db.delete(notificationEvents);
  });
  const told = async () => {
    const rows = await books.db.select().from(notificationEvents).orderBy(asc(notificationEvents.id));
    await books.db.delete(notificationEvents);
    return rows.map(({ kind, audience, audienceId, facts }) => ({ kind, audience, audienceId, ...facts }));
  };

  test('what an account begins with is no payment, and is in the wallet all the same', async () => {
    const userId = await books.newPerson();
    const opening = { userId, amountNanoUsd: usd(25), businessKey: `opening ${userId}` };
    expect(await write((work) => deposit(work, { ...opening, isOpening: true }))).toBe(true);
    expect(await told()).toEqual([]);
    await write((work) => deposit(work, { ...opening, businessKey: `payment ${userId}` }));
    expect(await told()).toMatchObject([{ kind: 'payment.received', amount_usd: '25.00' }]);
  });

  test('credit that is used is told at 50, 80 and 100 %, each once until it is paid back', async () => {
    const userId = await books.newPerson();
    await write((work) => setCreditLimit(work, userId, usd(10)));
    const percents: unknown[] = [];
    for (const spent of [4, 1, 1, 2, 2]) {
      await writeCharges(books.db, new Map([[userId, usd(spent)]]), null);
      for (let times = 0; times < 2; times += 1) await write((work) => lookAtBalances(work, levels));
      const credit = (await told()).filter(({ kind }) => kind === 'wallet.credit_threshold');
      percents.push(credit.map((event) => Reflect.get(event, 'percent')));
    }
    expect(percents).toEqual([[], [50], [], [80], [100]]);
  });

  test('the budget of a key is told to its owner, by the key’s name', async () => {
    const ownerId = await books.newPerson();
    const [key] = await books.db
      .insert(apiKeys)
      .values({
        ...{ ownerId, name: 'Nightly evaluation', tokenHash: `hash ${ownerId} ${books.storage.kind}` },
        ...{ tokenPrefix: 'sluice_abcd', tokenLastFour: 'wxyz' },
      })
      .returning();
    const subject = { kind: 'key', id: key?.id ?? 0 } as const;
    await write((work) =>
      setBudget(work, { subject, period: 'total', limitNanoUsd: usd(10), managedBy: null }),
    );
    const [budget] = await readBudgets(books.db, [subject]);
    const budgetId = budget?.id ?? 0;
    const startsAtMs = budgetSpan('total', clock.nowMs()).startsAtMs;
    await openWindows(books.db, [{ budgetId, startsAtMs }]);
    await books.db.execute('UPDATE budget_windows SET settled_nano_usd = 5000000000');
    await write(tellThresholds);
    expect(await told()).toMatchObject([
      {
        ...{ kind: 'budget.threshold', audience: 'account', audienceId: ownerId, percent: 50 },
        subject: { kind: 'key', id: subject.id, name: 'Nightly evaluation' },
      },
    ]);
  });

  test('a running server tells of budgets within half a minute', async () => {
    const userId = await books.newPerson();
    const subject = { kind: 'user', id: userId } as const;
    await write((work) =>
      setBudget(work, { subject, period: 'total', limitNanoUsd: usd(10), managedBy: null }),
    );
    const [budget] = await readBudgets(books.db, [subject]);
    const budgetId = budget?.id ?? 0;
    await openWindows(books.db, [{ budgetId, startsAtMs: 0 }]);
    const keeper = thresholdKeeper({ storage: books.storage, clock, ids: systemIds, log: silentLog });
    await books.db.execute(
      sql`UPDATE budget_windows SET settled_nano_usd = 8000000000 WHERE budget_id = ${budgetId}`,
    );
    while ((await books.db.$count(notificationEvents)) === 0) await clock.advance(30_000);
    await keeper.close();
    expect(await told()).toMatchObject([{ kind: 'budget.threshold', audienceId: userId, percent: 80 }]);
  });
});
