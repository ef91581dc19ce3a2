/** What is told of money at the edges of its levels, and beside them: credit that is used up, a key's budget, and what is no payment. */

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
import { endPromotions, grantPromotion, tellOfEnds } from './promotions.ts';
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

  const look = () => write((work) => lookAtBalances(work, levels));
  const spend = (userId: number, amountNanoUsd: bigint) =>
    writeCharges(books.db, new Map([[userId, amountNanoUsd]]), null);

  test.each([
    [10, 'wallet.low'],
    [2, 'wallet.very_low'],
  ])(
    'whoever has exactly %d USD is not told, and with a nano-dollar less is told %s',
    async (level, kind) => {
      const userId = await books.newPerson();
      const exactly = { userId, amountNanoUsd: usd(level), businessKey: `level ${userId}` };
      await write((work) => deposit(work, { ...exactly, isOpening: true }));
      await look();
      expect([await told(), await look()]).toEqual([[], 0]);
      await spend(userId, 1n);
      for (let times = 0; times < 2; times += 1) await look();
      expect(await told()).toMatchObject([{ kind, audienceId: userId }]);
    },
  );

  test('credit counts as what can be spent, also of a top-up that is spent before anybody looks', async () => {
    const userId = await books.newPerson();
    await write((work) => setCreditLimit(work, userId, usd(8)));
    const topUp = { userId, amountNanoUsd: usd(4), businessKey: `within credit ${userId}` };
    await write((work) => deposit(work, { ...topUp, isOpening: true }));
    await spend(userId, usd(5));
    await look();
    const low = (await told()).filter(({ kind }) => kind === 'wallet.low');
    expect(low).toMatchObject([{ balance_usd: '7.00', level_usd: '10.00' }]);
  });

  test('what comes in without changing how much credit is used tells nothing of it, nor does a debt without credit', async () => {
    const [within, without] = [await books.newPerson(), await books.newPerson()];
    const percents = async () => {
      await look();
      return (await told())
        .filter(({ kind }) => kind === 'wallet.credit_threshold')
        .map((event) => [event.audienceId, Reflect.get(event, 'percent')]);
    };
    await write((work) => setCreditLimit(work, within, usd(10)));
    await spend(within, usd(6));
    expect(await percents()).toEqual([[within, 50]]);
    for (const userId of [within, without]) {
      const little = { userId, amountNanoUsd: usd(0.5), businessKey: `little ${userId}` };
      await write((work) => deposit(work, { ...little, isOpening: true }));
    }
    await spend(without, usd(3));
    expect(await percents()).toEqual([]);
  });

  test('credit that is used is told at 50, 80 and 100 %, each once until it is paid back', async () => {
    const userId = await books.newPerson();
    await write((work) => setCreditLimit(work, userId, usd(10)));
    const percents: unknown[] = [];
    for (const spent of [4, 1, 1, 2, 2]) {
      await spend(userId, usd(spent));
      for (let times = 0; times < 2; times += 1) await look();
      // Nothing is left to be told.
      expect(await look()).toBe(0);
      const credit = (await told()).filter(({ kind }) => kind === 'wallet.credit_threshold');
      percents.push(credit.map((event) => Reflect.get(event, 'percent')));
    }
    expect(percents).toEqual([[], [50], [], [80], [100]]);
  });

  test('the end of a promotion of which nothing is left is told to nobody', async () => {
    const userId = await books.newPerson();
    const expiresAt = new Date(clock.nowMs() + 86_400_000);
    const grant = { userId, name: 'Spring', amountNanoUsd: usd(5), expiresAt };
    await write((work) => grantPromotion(work, { ...grant, businessKey: `spent ${userId}` }));
    await spend(userId, usd(5));
    await write(tellOfEnds);
    await clock.advance(86_400_000);
    await write((work) => endPromotions(work));
    expect(await told()).toEqual([]);
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

  test('of the budget of a key that is gone, or of what a newer version knows, nobody is told, and others are', async () => {
    const userId = await books.newPerson();
    const subjects = [{ kind: 'key', id: 987_654 } as const, { kind: 'user', id: userId } as const];
    for (const subject of subjects) {
      await write((work) =>
        setBudget(work, { subject, period: 'total', limitNanoUsd: usd(10), managedBy: null }),
      );
    }
    const known = await readBudgets(books.db, subjects);
    await openWindows(
      books.db,
      known.map(({ id }) => ({ budgetId: id, startsAtMs: 0 })),
    );
    const { rows } = await books.db.execute<{ id: string }>(sql`
      INSERT INTO budgets (subject_kind, subject_id, period, limit_nano_usd) VALUES ('team', 1, 'total', 5)
      RETURNING id::text AS id`);
    await openWindows(books.db, [{ budgetId: Number(rows[0]?.id), startsAtMs: 0 }]);
    await books.db.execute(
      'UPDATE budget_windows SET settled_nano_usd = 9000000000 WHERE settled_nano_usd = 0',
    );
    await write(tellThresholds);
    expect(await told()).toMatchObject([{ kind: 'budget.threshold', audienceId: userId, percent: 80 }]);
    expect(await write(tellThresholds)).toBe(0);
  });

  test('a running server tells of budgets within half a minute, also with a date that is a week ahead', async () => {
    const userId = await books.newPerson();
    const subject = { kind: 'user', id: userId } as const;
    await write((work) =>
      setBudget(work, { subject, period: 'daily', limitNanoUsd: usd(10), managedBy: null }),
    );
    const [budget] = await readBudgets(books.db, [subject]);
    const budgetId = budget?.id ?? 0;
    const databaseMs = async () => clock.nowMs() - 7 * 86_400_000;
    const { startsAtMs } = budgetSpan('daily', await databaseMs());
    await openWindows(books.db, [{ budgetId, startsAtMs }]);
    const parts = { storage: books.storage, clock, ids: systemIds, log: silentLog, databaseMs };
    const keeper = thresholdKeeper(parts);
    await books.db.execute(
      sql`UPDATE budget_windows SET settled_nano_usd = 8000000000 WHERE budget_id = ${budgetId}`,
    );
    while ((await books.db.$count(notificationEvents)) === 0) await clock.advance(30_000);
    await keeper.close();
    expect(await told()).toMatchObject([{ kind: 'budget.threshold', audienceId: userId, percent: 80 }]);
  });
});
