/** What people are told of their money: balances that are low, credit, budgets and promotions; each once an occasion. */

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { asc, eq } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { systemIds } from '../base/ids.ts';
import { readNanoUsd } from '../base/money.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { silentLog } from '../base/testing/silent-log.ts';
import { budgetWindows } from '../storage/schema/budgets.ts';
import { notificationEvents } from '../storage/schema/events.ts';
import { departments, organisations, users } from '../storage/schema/identity.ts';
import { balanceKeeper, lookAtBalances } from './balance-keeper.ts';
import { deposit, setCreditLimit } from './books.ts';
import type { BudgetPeriod } from './budget-window.ts';
import { budgetSpan } from './budget-window.ts';
import { type BudgetSubject, openWindows, readBudgets, setBudget } from './budgets.ts';
import { endPromotions, grantPromotion, movePromotion, tellOfEnds } from './promotions.ts';
import { reverseJournal } from './reversal.ts';
import { openTestBooks } from './testing/test-books.ts';
import { writeCharges } from './testing/write-charges.ts';
import { tellThresholds } from './threshold-keeper.ts';

const usd = readNanoUsd;
const levels = { lowNanoUsd: usd(10), veryLowNanoUsd: usd(2) };
const dayMs = 86_400_000;

describeOnEachDatabase('alerts', (openDatabase) => {
  let clock: ManualClock;
  const books = openTestBooks(openDatabase, { clock: () => clock, writesRows: true });
  const { write } = books;
  beforeEach(() => {
    clock = new ManualClock(Date.UTC(2030, 0, 1, 12));
  });
  afterEach(async () => {
    await books.db.delete(notificationEvents);
  });

  const parts = () => ({ storage: books.storage, clock, ids: systemIds });
  let deposits = 0;
  const topUp = async (userId: number, amount: number) => {
    deposits += 1;
    const asked = { userId, amountNanoUsd: usd(amount), businessKey: `top-up ${userId} ${deposits}` };
    await write((work) => deposit(work, asked));
  };
  const spend = (userId: number, amount: number) =>
    writeCharges(books.db, new Map([[userId, usd(amount)]]), null);
  const look = () => write((work) => lookAtBalances(work, levels));
  /** What was told since it was last asked, in the order of its telling. */
  async function told(...kinds: string[]): Promise<readonly unknown[]> {
    const rows = await books.db.select().from(notificationEvents).orderBy(asc(notificationEvents.id));
    await books.db.delete(notificationEvents);
    return rows
      .filter(({ kind }) => kinds.some((begin) => kind.startsWith(begin)))
      .map(({ kind, audience, audienceId, facts }) => ({ kind, audience, audienceId, ...facts }));
  }

  test('a low balance is told at two levels, once each, and again after a top-up', async () => {
    const userId = await books.newPerson();
    const about = { audience: 'account', audienceId: userId };
    await topUp(userId, 15);
    for (let times = 0; times < 3; times += 1) await look();
    expect(await told('wallet.')).toEqual([]);
    await spend(userId, 6);
    await Promise.all([look(), look(), look()]);
    await look();
    expect(await told('wallet.')).toEqual([
      { ...about, kind: 'wallet.low', balance_usd: '9.00', level_usd: '10.00' },
    ]);
    await spend(userId, 7.5);
    await look();
    await look();
    expect(await told('wallet.')).toEqual([
      { ...about, kind: 'wallet.very_low', balance_usd: '1.50', level_usd: '2.00' },
    ]);
    // Above the lower level alone: that one is armed, the other is not told again.
    await topUp(userId, 5);
    await look();
    expect(await told('wallet.')).toEqual([]);
    await spend(userId, 5);
    await look();
    expect(await told('wallet.')).toMatchObject([{ kind: 'wallet.very_low' }]);
    await topUp(userId, 20);
    await look();
    await spend(userId, 15);
    await look();
    expect(await told('wallet.')).toMatchObject([{ kind: 'wallet.low', balance_usd: '6.50' }]);
  });

  test('a top-up that is spent before anybody looks arms all the same, and the worse level alone is told', async () => {
    const userId = await books.newPerson();
    await topUp(userId, 12);
    await look();
    await spend(userId, 4);
    await look();
    expect(await told('wallet.')).toMatchObject([{ kind: 'wallet.low' }]);
    await topUp(userId, 50);
    await spend(userId, 57);
    await look();
    expect(await told('wallet.')).toMatchObject([{ kind: 'wallet.very_low', balance_usd: '1.00' }]);
    await look();
    expect(await told('wallet.')).toEqual([]);
    // Both were told and not armed since: what came in meanwhile is all that arms the upper one.
    await topUp(userId, 60);
    await spend(userId, 53);
    await look();
    expect(await told('wallet.')).toMatchObject([{ kind: 'wallet.low', balance_usd: '8.00' }]);
  });

  test('a wallet that never had as much is not told that it has less', async () => {
    const userId = await books.newPerson();
    await topUp(userId, 1);
    await look();
    await spend(userId, 1);
    await look();
    expect(await told('wallet.')).toEqual([]);
  });

  test('a low balance is told once at each level, though processes or days have different ones', async () => {
    const userId = await books.newPerson();
    const higher = { lowNanoUsd: usd(20), veryLowNanoUsd: usd(4) };
    const lookBoth = async () => {
      for (let times = 0; times < 3; times += 1) {
        await look();
        await write((work) => lookAtBalances(work, higher));
      }
      return (await told('wallet.')).map((event) => [
        Reflect.get(event as object, 'kind'),
        Reflect.get(event as object, 'level_usd'),
      ]);
    };
    await topUp(userId, 25);
    expect(await lookBoth()).toEqual([]);
    await spend(userId, 10);
    expect(await lookBoth()).toEqual([['wallet.low', '20.00']]);
    await spend(userId, 6);
    expect(await lookBoth()).toEqual([['wallet.low', '10.00']]);
    await spend(userId, 6);
    expect(await lookBoth()).toEqual([['wallet.very_low', '4.00']]);
    await spend(userId, 2);
    expect(await lookBoth()).toEqual([['wallet.very_low', '2.00']]);
    await topUp(userId, 30);
    expect(await lookBoth()).toEqual([]);
    await spend(userId, 16);
    expect(await lookBoth()).toEqual([['wallet.low', '20.00']]);
    // Nothing is left to be looked at.
    expect(await look()).toBe(0);
    expect(await write((work) => lookAtBalances(work, higher))).toBe(0);
  });

  test('of credit that is used, each step is told once until it is paid back', async () => {
    const userId = await books.newPerson();
    await write((work) => setCreditLimit(work, userId, usd(100)));
    const steps = async () =>
      (await told('wallet.credit')).map((event) => (event as { percent: number }).percent);
    await spend(userId, 49);
    await look();
    expect(await steps()).toEqual([]);
    await spend(userId, 1);
    await look();
    await look();
    expect(await steps()).toEqual([50]);
    await spend(userId, 49);
    await look();
    expect(await steps()).toEqual([80]);
    // Less than a hundredth is left.
    await spend(userId, 0.5);
    await look();
    await look();
    expect(await steps()).toEqual([100]);
    await topUp(userId, 100);
    await look();
    await spend(userId, 85);
    await look();
    expect(await steps()).toEqual([80]);
  });

  test('a keeper looks by itself every half minute', async () => {
    const userId = await books.newPerson();
    await topUp(userId, 15);
    const keeper = balanceKeeper({ ...parts(), log: silentLog, levels });
    while (clock.pendingTimers === 0) await clock.advance(0);
    await spend(userId, 10);
    await clock.advance(30_000);
    while (clock.pendingTimers === 0) await clock.advance(0);
    await keeper.close();
    expect(await told('wallet.')).toMatchObject([{ kind: 'wallet.low' }]);
  });

  test('money that comes in or is taken back is told', async () => {
    const userId = await books.newPerson();
    await topUp(userId, 5);
    const businessKey = `by hand ${userId}`;
    await write((work) =>
      deposit(work, { userId, amountNanoUsd: usd(7), businessKey, note: 'Invoice 7', createdBy: userId }),
    );
    await write((work) =>
      deposit(work, { userId, amountNanoUsd: usd(7), businessKey, note: 'Invoice 7', createdBy: userId }),
    );
    const { rows } = await books.db.execute<{ id: string }>(
      `SELECT id::text AS id FROM journals WHERE business_key = '${businessKey}'`,
    );
    const journalId = Number(rows[0]?.id);
    await write((work) => reverseJournal(work, { journalId, businessKey: `back ${userId}` }));
    const about = { audience: 'account', audienceId: userId };
    expect(await told('payment.')).toEqual([
      { ...about, kind: 'payment.received', amount_usd: '5.00', reference: '' },
      { ...about, kind: 'payment.approved', amount_usd: '7.00', reference: 'Invoice 7' },
      { ...about, kind: 'payment.cancelled', amount_usd: '7.00', reference: 'Invoice 7' },
    ]);
  });

  /** As the writer of usage rows moves it. */
  async function spendBudget(subject: BudgetSubject, period: BudgetPeriod, amount: number): Promise<void> {
    const [budget] = await readBudgets(books.db, [subject]);
    const startsAtMs = budgetSpan(period, clock.nowMs()).startsAtMs;
    const budgetId = budget?.id ?? 0;
    const fundId = (await openWindows(books.db, [{ budgetId, startsAtMs }])).get(budgetId) ?? 0;
    const [known] = await books.db.select().from(budgetWindows).where(eq(budgetWindows.fundId, fundId));
    await books.db
      .update(budgetWindows)
      .set({ settledNanoUsd: (known?.settledNanoUsd ?? 0n) + usd(amount) })
      .where(eq(budgetWindows.fundId, fundId));
  }

  test('thresholds of a budget are told once a period, to who answers for it', async () => {
    const userId = await books.newPerson();
    const subject = { kind: 'user', id: userId } as const;
    await write((work) =>
      setBudget(work, { subject, period: 'daily', limitNanoUsd: usd(10), managedBy: null }),
    );
    const tell = () => write(tellThresholds);
    const percents = async () =>
      (await told('budget.')).map((event) => (event as { percent: number }).percent);
    await spendBudget(subject, 'daily', 4.99);
    await tell();
    expect(await percents()).toEqual([]);
    await spendBudget(subject, 'daily', 0.01);
    await Promise.all([tell(), tell(), tell()]);
    expect(await percents()).toEqual([50]);
    await spendBudget(subject, 'daily', 3);
    await tell();
    await tell();
    expect(await percents()).toEqual([80]);
    await spendBudget(subject, 'daily', 2.5);
    await tell();
    expect(await told('budget.')).toMatchObject([
      {
        ...{ kind: 'budget.threshold', audience: 'account', audienceId: userId, percent: 100 },
        ...{ spent_usd: '10.50', limit_usd: '10.00', period: 'daily' },
        period_started_at: '2030-01-01T00:00:00.000Z',
      },
    ]);
    await clock.advance(dayMs);
    await tell();
    expect(await percents()).toEqual([]);
    await spendBudget(subject, 'daily', 9);
    await tell();
    expect(await percents()).toEqual([80]);
  });

  test('a budget of which less than a hundredth is left is told to be spent: more is refused', async () => {
    const subject = { kind: 'user', id: await books.newPerson() } as const;
    await write((work) =>
      setBudget(work, { subject, period: 'daily', limitNanoUsd: usd(10), managedBy: null }),
    );
    await spendBudget(subject, 'daily', 9.9);
    await write(tellThresholds);
    expect(await told('budget.')).toMatchObject([{ percent: 80, spent_usd: '9.90' }]);
    await spendBudget(subject, 'daily', 0.001);
    await write(tellThresholds);
    expect(await told('budget.')).toMatchObject([{ percent: 100, spent_usd: '9.901' }]);
  });

  test.each(['daily', 'total'] as const)(
    'a %s budget that is raised is told of again, where a step is reached under the new limit',
    async (period) => {
      const subject = { kind: 'user', id: await books.newPerson() } as const;
      const limit = (amount: number) =>
        write((work) => setBudget(work, { subject, period, limitNanoUsd: usd(amount), managedBy: null }));
      const percents = async () => {
        await write(tellThresholds);
        return (await told('budget.')).map((event) => (event as { percent: number }).percent);
      };
      await limit(10);
      await spendBudget(subject, period, 10);
      expect(await percents()).toEqual([100]);
      // Half of it is spent already, which was told.
      await limit(20);
      expect(await percents()).toEqual([]);
      await spendBudget(subject, period, 6);
      expect(await percents()).toEqual([80]);
      await limit(100);
      await spendBudget(subject, period, 34);
      expect(await percents()).toEqual([50]);
      await limit(50);
      expect(await percents()).toEqual([100]);
      await limit(50);
      expect(await percents()).toEqual([]);
    },
  );

  test('what was spent at the end of a period is told in the day after it, and no later', async () => {
    const spenders = [await books.newPerson(), await books.newPerson()];
    const periods = ['daily', 'monthly'] as const;
    for (const [at, period] of periods.entries()) {
      const subject = { kind: 'user', id: spenders[at] ?? 0 } as const;
      await write((work) => setBudget(work, { subject, period, limitNanoUsd: usd(10), managedBy: null }));
    }
    const periodsTold = async () =>
      (await told('budget.')).map((event) => (event as { period: string }).period);
    const spendAtTheEnd = async () => {
      for (const [at, period] of periods.entries()) {
        await spendBudget({ kind: 'user', id: spenders[at] ?? 0 }, period, 6);
      }
    };
    // The last second of a month.
    await clock.advance(Date.UTC(2030, 1, 1) - 1000 - clock.nowMs());
    await spendAtTheEnd();
    await clock.advance(dayMs);
    await write(tellThresholds);
    await write(tellThresholds);
    expect((await periodsTold()).sort()).toEqual(['daily', 'monthly']);
    await clock.advance(Date.UTC(2030, 2, 1) - 1000 - clock.nowMs());
    await spendAtTheEnd();
    await clock.advance(dayMs + 1000);
    await write(tellThresholds);
    expect(await periodsTold()).toEqual([]);
  });

  test('those of departments and organisations go to their admins, by their names', async () => {
    const [organisation] = await books.db
      .insert(organisations)
      .values({ name: 'Engines', slug: `engines-${clock.nowMs()}-${books.storage.kind}` })
      .returning();
    const organisationId = organisation?.id ?? 0;
    const [department] = await books.db
      .insert(departments)
      .values({ organisationId, name: 'Research' })
      .returning();
    await books.db.insert(users).values({
      ...{ email: `admin-${organisationId}@example.test`, role: 'org_admin', organisationId },
    });
    const subjects = [
      { kind: 'organisation', id: organisationId },
      { kind: 'department', id: department?.id ?? 0 },
    ] as const;
    for (const subject of subjects) {
      await write((work) =>
        setBudget(work, { subject, period: 'total', limitNanoUsd: usd(10), managedBy: null }),
      );
      await spendBudget(subject, 'total', 8);
    }
    await write(tellThresholds);
    expect(await told('budget.')).toMatchObject([
      { audience: 'organisation', audienceId: organisationId, percent: 80, subject: { name: 'Engines' } },
      { audience: 'department', audienceId: department?.id, percent: 80, subject: { name: 'Research' } },
    ]);
  });

  test('the end of a promotion is told three days before, once for each end, and when it has come', async () => {
    const userId = await books.newPerson();
    const ends = (days: number) => new Date(clock.nowMs() + days * dayMs);
    await write((work) =>
      grantPromotion(work, {
        ...{ userId, name: 'Spring', amountNanoUsd: usd(5), expiresAt: ends(4) },
        businessKey: `spring ${userId}`,
      }),
    );
    const tell = () => write(tellOfEnds);
    await tell();
    expect(await told('promotion.')).toEqual([]);
    await spend(userId, 2);
    await clock.advance(dayMs - 1);
    await tell();
    expect(await told('promotion.')).toEqual([]);
    await clock.advance(1);
    for (let times = 0; times < 3; times += 1) await tell();
    const soon = await books.db.select().from(notificationEvents);
    expect(soon.map(({ kind, facts }) => [kind, facts['remaining_usd']])).toEqual([
      ['promotion.expires_soon', '3.00'],
    ]);
    const [grant] = (
      await books.db.execute<{ id: string }>(
        `SELECT id::text AS id FROM promotion_grants WHERE user_id = ${userId}`,
      )
    ).rows;
    await write((work) => movePromotion(work, Number(grant?.id), ends(1)));
    await tell();
    expect(await books.db.select().from(notificationEvents)).toHaveLength(2);
    await clock.advance(2 * dayMs);
    await tell();
    await write((work) => endPromotions(work));
    await write((work) => endPromotions(work));
    expect((await told('promotion.')).at(-1)).toMatchObject({
      ...{ kind: 'promotion.expired', name: 'Spring', expired_usd: '3.00', audienceId: userId },
    });
  });
});
