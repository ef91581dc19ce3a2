/** What a process remembers of payers and of their budgets: for how long, of how many, and what makes it look again. */
import { expect, test } from 'bun:test';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { heardAll } from '../../test/support/heard-all.ts';
import type { Clock } from '../base/clock.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import type { Database } from '../storage/database.ts';
import { deposit, setCreditLimit } from './books.ts';
import { type BudgetSubject, readSubject, setBudget } from './budgets.ts';
import { endHolder, fenceHolder } from './lease-rows.ts';
import { readMoney } from './testing/read-money.ts';
import { SilentFeed } from './testing/silent-feed.ts';
import { refusal, wanting } from './testing/spending.ts';
import { openTestBooks } from './testing/test-books.ts';
import { leasedOf, writeSpending } from './testing/write-charges.ts';
import { type Payer, Wallets } from './wallets.ts';

test.each([
  ['key 7', { kind: 'key', id: 7 }],
  ['organisation 12', { kind: 'organisation', id: 12 }],
  ['team 7', undefined],
  ['key', undefined],
  ['', undefined],
] as const)('word of the budget of "%s" is of %j', (key, subject) => {
  expect(readSubject(key)).toEqual(subject);
});

describeOnEachDatabase('what a process remembers', (openDatabase) => {
  const clock = new ManualClock();
  const books = openTestBooks(openDatabase, { clock: () => clock });
  const { openWallets, payerWith } = books;

  const keyOf = ({ budgetOf }: Payer): BudgetSubject => ({ kind: 'key', id: budgetOf.keyId });
  const set = (subject: BudgetSubject, period: 'daily' | 'total', limitNanoUsd: bigint) =>
    books.write((work) => setBudget(work, { subject, period, limitNanoUsd, managedBy: null }));
  const topUp = ({ payerId: userId }: Payer) =>
    books.write((work) => deposit(work, { userId, amountNanoUsd: 5n, businessKey: `unheard of ${userId}` }));
  const admit = async (wallets: Wallets, payer: Payer) => (await wallets.admit(payer)).release();
  /** From memory: whoever is not remembered is answered later. */
  function isAnsweredAtOnce(wallets: Wallets, payer: Payer): boolean {
    try {
      const answer = wallets.admit(payer);
      if (answer instanceof Promise) answer.then((admission) => admission.release()).catch(() => undefined);
      else answer.release();
      return !(answer instanceof Promise);
    } catch {
      return true;
    }
  }

  test('is for two seconds that somebody has no wallet', async () => {
    const wallets = openWallets(clock, new SilentFeed());
    const payer = await payerWith(0n);
    await refusal(() => wallets.admit(payer));
    await topUp(payer);
    await clock.advance(1_999);
    await refusal(() => wallets.admit(payer));
    await clock.advance(1);
    await admit(wallets, payer);
  });

  test('is that a wallet has nothing, until word comes that more may be owed', async () => {
    const wallets = openWallets();
    const payer = await payerWith(0n);
    const owe = (limitNanoUsd: bigint) =>
      books.write((work) => setCreditLimit(work, payer.payerId, limitNanoUsd));
    await owe(0n);
    for (let times = 0; times < 2; times += 1) await refusal(() => wallets.admit(payer));
    await owe(50n);
    await heardAll(books.storage);
    const admission = await wallets.admit(payer);
    expect(await admission.hold(wanting(50n))).toBe(50n);
    admission.release();
  });

  test('is of so many at most that they have no wallet', async () => {
    const wallets = openWallets(clock, new SilentFeed(), 2);
    const payers = [await payerWith(0n), await payerWith(0n), await payerWith(0n)];
    const [first, second, third] = payers as [Payer, Payer, Payer];
    for (const payer of [first, second]) await refusal(() => wallets.admit(payer));
    await topUp(first);
    await refusal(() => wallets.admit(first));
    await refusal(() => wallets.admit(third));
    await admit(wallets, first);
  });

  test('are so many payers of whom nothing is pending, the last to be known', async () => {
    const wallets = openWallets(clock, new SilentFeed(), 2);
    const payers = [await payerWith(0n), await payerWith(0n), await payerWith(0n)];
    for (const { payerId } of payers) await books.write((work) => setCreditLimit(work, payerId, 0n));
    for (const payer of payers) await refusal(() => wallets.admit(payer));
    const [first, ...others] = payers as [Payer, Payer, Payer];
    expect(others.map((payer) => isAnsweredAtOnce(wallets, payer))).toEqual([true, true]);
    // What is remembered of its budgets is bound too, and is not what this is about.
    await admit(wallets, { ...first, exempt: true });
    expect(isAnsweredAtOnce(wallets, first)).toBe(false);
  });

  test('are the budgets of a caller, whatever comes of those of others', async () => {
    const changes = new SilentFeed();
    const wallets = openWallets(clock, changes);
    const payer = await payerWith(1_000n);
    const subject = keyOf(payer);
    await set(subject, 'total', 500n);
    const admission = await wallets.admit(payer);
    await admission.hold(wanting(10n));
    for (const word of [
      'key 987654',
      `user ${subject.id + 987_654}`,
      `team ${subject.id}`,
      'key',
      'nonsense',
    ]) {
      changes.tell('budget', word);
      expect([word, isAnsweredAtOnce(wallets, payer)]).toEqual([word, true]);
    }
    changes.tell('budget', `key ${subject.id}`);
    expect(isAnsweredAtOnce(wallets, payer)).toBe(false);
    admission.release();
  });

  test('is not what was read of budgets while word came of them', async () => {
    const changes = new SilentFeed();
    const wallets = openWallets(clock, changes);
    const payer = { ...(await payerWith(0n)), exempt: true };
    const reading = admit(wallets, payer);
    changes.tell('budget', `key ${payer.budgetOf.keyId}`);
    await reading;
    expect(isAnsweredAtOnce(wallets, payer)).toBe(false);
    await admit(wallets, payer);
    expect(isAnsweredAtOnce(wallets, payer)).toBe(true);
    // Nobody is told of anything once it has ended.
    expect(changes.listening).toBeGreaterThan(0);
    await wallets.close();
    expect(changes.listening).toBe(0);
  });

  test('is asked for once by all who come at the same moment', async () => {
    let asked = 0;
    const db: Database = new Proxy(books.db, {
      get(target, name) {
        if (name === 'select') asked += 1;
        const member: unknown = Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    const wallets = new Wallets({ db, changes: new SilentFeed(), clock });
    const payer = await payerWith(100n);
    const admissions = await Promise.all([1, 2, 3, 4].map(() => wallets.admit(payer)));
    // Their budgets, and their wallet.
    expect(asked).toBe(2);
    for (const admission of admissions) admission.release();
    await wallets.close();
  });

  test('are so many windows of budgets, and those that are in use', async () => {
    const wallets = openWallets(clock, new SilentFeed(), 2);
    const [busy, other] = [await payerWith(1_000n), await payerWith(1_000n)];
    await set(keyOf(busy), 'total', 500n);
    for (const period of ['daily', 'total'] as const) await set(keyOf(other), period, 100n);
    const [one, both] = [
      { ...busy, exempt: true },
      { ...other, exempt: true },
    ];
    const underWay = await wallets.admit(one);
    await underWay.hold(wanting(10n));
    // The third window: the second is forgotten, of which nothing is pending yet.
    await admit(wallets, both);
    expect([one, both].map((payer) => isAnsweredAtOnce(wallets, payer))).toEqual([true, false]);
    underWay.release();
    // What is written of a window that was forgotten and known again is not taken off it once more.
    const admission = await wallets.admit(both);
    await admission.hold(wanting(60n));
    await admission.settle(60n);
    const holderId = wallets.holderId ?? -1;
    await writeSpending(books.db, { charges: new Map(), spending: admission.spentOfBudgets, holderId });
    wallets.written(new Map(), leasedOf(admission.spentOfBudgets));
    await fenceHolder(books.db, holderId, clock.nowMs());
    await endHolder(books.db, holderId);
    const next = await wallets.admit(both);
    expect(await next.hold(wanting(40n))).toBe(40n);
    next.release();
  });

  test('is no window of a day that is only to come, once a clock that was ahead is put right', async () => {
    let aheadMs = 0;
    const wrong: Clock = { ...clock, nowMs: () => clock.nowMs() + aheadMs };
    const wallets = openWallets(wrong);
    const payer = await payerWith(1_000n);
    await set(keyOf(payer), 'daily', 100n);
    const spend = async (amount: bigint) => {
      const admission = await wallets.admit(payer);
      await admission.hold(wanting(amount));
      await admission.settle(amount);
      const spending = admission.spentOfBudgets;
      await writeSpending(books.db, { charges: new Map(), spending, holderId: wallets.holderId ?? null });
      wallets.written(new Map(), leasedOf(spending));
    };
    await spend(100n);
    aheadMs = 86_400_000;
    await spend(40n);
    aheadMs = 0;
    expect((await refusal(() => spend(1n))).code).toBe('budget_exceeded');
    aheadMs = 86_400_000;
    await spend(60n);
    expect((await refusal(() => spend(1n))).code).toBe('budget_exceeded');
  });

  test('nothing of a request that was refused stays in use of what else would have paid for it', async () => {
    const wallets = openWallets();
    const payer = await payerWith(1_000n);
    await set(keyOf(payer), 'total', 0n);
    await refusal(() => wallets.admit(payer));
    const leased = async () => (await readMoney(books.db, payer.payerId)).leasedNanoUsd;
    expect(await leased()).toBeGreaterThan(0n);
    while ((await leased()) > 0n) await clock.advance(1_000);
  });
});
