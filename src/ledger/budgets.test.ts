import { expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { heardAll } from '../../test/support/heard-all.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { systemIds } from '../base/ids.ts';
import { clockShowing, ManualClock } from '../base/testing/manual-clock.ts';
import { transact } from '../storage/work.ts';
import { type BudgetPeriod, budgetSpan } from './budget-window.ts';
import {
  type BudgetSubject,
  listBudgets,
  removeBudget,
  removeUndeclaredBudgets,
  setBudget,
} from './budgets.ts';
import { type Admission, endHolder, fenceHolder, Wallets } from './index.ts';
import { SilentFeed } from './testing/silent-feed.ts';
import { holdAtOnce, refusal, wanting } from './testing/spending.ts';
import { openTestBooks } from './testing/test-books.ts';
import { leasedOf, writeSpending } from './testing/write-charges.ts';
import type { Payer } from './wallets.ts';

const at = (written: string) => Date.parse(written);
const hourMs = 3_600_000;

test.each([
  ['daily', '2026-12-31T23:59:59.999Z', '2026-12-31', '2027-01-01'],
  ['daily', '2027-01-01T00:00:00Z', '2027-01-01', '2027-01-02'],
  ['weekly', '2026-11-22T23:59:59.999Z', '2026-11-16', '2026-11-23'],
  ['weekly', '2026-11-23T00:00:00Z', '2026-11-23', '2026-11-30'],
  ['monthly', '2028-02-29T12:00:00Z', '2028-02-01', '2028-03-01'],
  ['monthly', '2026-12-31T23:59:59.999Z', '2026-12-01', '2027-01-01'],
] as const)('a %s budget of %s began on %s and ends on %s', (period, now, startsAt, endsAt) => {
  expect(budgetSpan(period, at(now))).toEqual({ startsAtMs: at(startsAt), endsAtMs: at(endsAt) });
});

describeOnEachDatabase('budgets', (openDatabase) => {
  const books = openTestBooks(openDatabase);
  const { openWallets, payerWith } = books;

  const parts = (clock: Clock = systemClock) => ({ storage: books.storage, clock, ids: systemIds });

  interface Asked {
    readonly subject: BudgetSubject;
    readonly period: BudgetPeriod;
    readonly clock?: Clock;
  }

  /** And waits until it was heard of. */
  async function set(limitNanoUsd: bigint, { clock, ...asked }: Asked): Promise<void> {
    await transact(parts(clock), (work) => setBudget(work, { ...asked, limitNanoUsd, managedBy: null }));
    await heardAll(books.storage);
  }

  const keyOf = ({ budgetOf }: Payer): BudgetSubject => ({ kind: 'key', id: budgetOf.keyId });

  const stateOf = async ({ subject, period, clock = systemClock }: Asked) =>
    (await listBudgets(books.db, clock.nowMs(), [subject])).find((each) => each.period === period);

  /** As the writer of usage rows does. */
  async function write(wallets: Wallets, { payerId }: Payer, ended: readonly Admission[], charge: bigint) {
    const spending = ended.flatMap(({ spentOfBudgets }) => spentOfBudgets);
    const charges = new Map(charge === 0n ? [] : [[payerId, charge]]);
    await writeSpending(books.db, { charges, spending, holderId: wallets.holderId ?? null });
    wallets.written(charges, leasedOf(spending));
  }

  test.each([
    ['one process', 1],
    ['three processes', 3],
  ])(
    'of requests at the same moment, as many pass as it pays for, in %s',
    async (_, count) => {
      const processes = Array.from({ length: count }, () => openWallets());
      const payer = await payerWith(1_000_000n);
      const budget = { subject: keyOf(payer), period: 'total' } as const;
      await set(700n, budget);
      const results = await holdAtOnce(payer, {
        requests: 20,
        each: 100n,
        of: 700n,
        walletsAt: (index) => processes[index % count] ?? openWallets(),
      });
      const held = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      expect(held).toHaveLength(7);
      for (const result of results) {
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'budget_exceeded' });
      }
      for (const { wallets, admission } of held) {
        expect(await admission.settle(100n)).toBe(100n);
        await write(wallets, payer, [admission], 100n);
      }
      expect(await stateOf(budget)).toMatchObject({ spentNanoUsd: 700n, leftNanoUsd: 0n, heldNanoUsd: 0n });
    },
    30_000,
  );

  test('the tightest of several is named, with when it begins anew', async () => {
    const clock = new ManualClock(at('2026-11-22T22:00:00Z'));
    const wallets = openWallets(clock);
    const organisationId = 900_000 + (await books.newPerson());
    const payer = await payerWith(1_000n, { organisationId });
    await set(500n, { subject: { kind: 'organisation', id: organisationId }, period: 'monthly', clock });
    await set(90n, { subject: { kind: 'user', id: payer.payerId }, period: 'weekly', clock });
    await set(200n, { subject: keyOf(payer), period: 'total', clock });
    const admission = await wallets.admit(payer);
    const error = await refusal(() => admission.hold(wanting(100n)));
    expect(error).toMatchObject({ code: 'budget_exceeded', status: 402, retryable: false });
    expect(error).toMatchObject({ availableNanoUsd: 90n, retryAfterSeconds: 7200 });
    expect(error.message).toBe(
      'The weekly budget of your account has too little left for this request. Have it raised, or wait until it begins anew at 2026-11-23T00:00:00.000Z, then send the request again.',
    );
    expect(await admission.hold(wanting(90n))).toBe(90n);
    expect(await admission.settle(90n)).toBe(90n);
    await write(wallets, payer, [admission], 90n);
    expect((await refusal(() => wallets.admit(payer))).message).toContain(
      'weekly budget of your account is spent',
    );
  });

  test.each([
    ['daily', '2026-11-22T23:59:59Z'],
    ['weekly', '2026-11-22T23:59:59Z'],
    ['monthly', '2026-11-30T23:59:59Z'],
  ] as const)(
    'a %s one begins anew, and requests belong to the window they began in',
    async (period, now) => {
      const clock = new ManualClock(at(now));
      const wallets = openWallets(clock);
      const payer = await payerWith(1_000n);
      const budget = { subject: keyOf(payer), period, clock };
      await set(100n, budget);
      const before = await wallets.admit(payer);
      await before.hold(wanting(100n));
      const crowded = await wallets.admit(payer);
      expect((await refusal(() => crowded.hold(wanting(1n)))).code).toBe('budget_exceeded');
      crowded.release();
      await clock.advance(1_000);
      const after = await wallets.admit(payer);
      expect(await after.hold(wanting(60n))).toBe(60n);
      await before.settle(100n);
      await after.settle(60n);
      await write(wallets, payer, [before, after], 160n);
      expect(await stateOf(budget)).toMatchObject({ spentNanoUsd: 60n });
    },
  );

  test.each([
    ['a day ahead', 24 * hourMs],
    ['a month ahead', 31 * 24 * hourMs],
    ['an hour behind', -hourMs],
  ])('is one for all, also for a process whose date is %s', async (_, aheadMs) => {
    const clock = new ManualClock(at('2026-11-22T00:30:00Z'));
    const right = openWallets(clock);
    const apart = new Wallets({
      ...books.storage,
      clock: clockShowing(() => clock.nowMs() + aheadMs),
      databaseMs: async () => clock.nowMs(),
    });
    const payer = await payerWith(1_000n);
    const budget = { subject: keyOf(payer), period: 'daily', clock } as const;
    await set(100n, budget);
    const spend = async (wallets: Wallets, amount: bigint) => {
      const admission = await wallets.admit(payer);
      await admission.hold(wanting(amount));
      await admission.settle(amount);
      await write(wallets, payer, [admission], amount);
    };
    await spend(right, 60n);
    await spend(apart, 40n);
    expect(await apart.budgetsOf(payer.budgetOf)).toMatchObject([{ spentNanoUsd: 100n }]);
    for (const wallets of [right, apart]) {
      const error = await refusal(() => wallets.admit(payer));
      expect(error).toMatchObject({ code: 'budget_exceeded', retryAfterSeconds: 23.5 * 3600 });
    }
    await clock.advance(23.5 * hourMs);
    await spend(apart, 70n);
    await spend(right, 30n);
    expect(await stateOf(budget)).toMatchObject({ spentNanoUsd: 100n });
    await apart.close();
  });

  test('is the one of today again, a minute after a date that was ahead is put right', async () => {
    const clock = new ManualClock(at('2026-11-22T12:00:00Z'));
    let aheadMs = 24 * hourMs;
    const wallets = new Wallets({
      ...books.storage,
      clock: { ...clockShowing(() => clock.nowMs() + aheadMs), monotonicMs: clock.monotonicMs },
      databaseMs: async () => clock.nowMs(),
    });
    const payer = await payerWith(1_000n);
    const budget = { subject: keyOf(payer), period: 'daily', clock } as const;
    await set(100n, budget);
    const spend = async () => {
      const admission = await wallets.admit(payer);
      await admission.hold(wanting(10n));
      await admission.settle(10n);
      await write(wallets, payer, [admission], 10n);
    };
    await spend();
    aheadMs = 0;
    await clock.advance(12 * hourMs);
    // It is noticed behind this one.
    await spend();
    await clock.advance(0);
    await spend();
    await spend();
    expect(await stateOf(budget)).toMatchObject({ spentNanoUsd: 20n });
    await wallets.close();
  });

  test.each([
    ['ahead', 1],
    ['behind', -1],
  ])('a limit is changed of the open window by a process whose date is two months %s', async (_, sign) => {
    const wallets = openWallets();
    const payer = await payerWith(1_000n);
    const budget = { subject: keyOf(payer), period: 'monthly' } as const;
    await set(100n, budget);
    const admission = await wallets.admit(payer);
    await admission.hold(wanting(80n));
    const clock = clockShowing(() => Date.now() + sign * 62 * 24 * hourMs);
    await set(90n, { ...budget, clock });
    const state = await stateOf(budget);
    expect((state?.leftNanoUsd ?? 0n) + (state?.heldNanoUsd ?? 0n)).toBe(90n);
    admission.release();
  });

  test('a payer who is exempt is held to it, and charged nothing', async () => {
    const wallets = openWallets();
    const payer = { ...(await payerWith(1n)), exempt: true };
    const budget = { subject: keyOf(payer), period: 'total' } as const;
    await set(100n, budget);
    const admission = await wallets.admit(payer);
    expect(await admission.hold(wanting(80n))).toBe(80n);
    const error = await refusal(async () => await (await wallets.admit(payer)).hold(wanting(80n)));
    expect(error.message).toContain('total budget of this key');
    expect(error.message).toContain('Have it raised, then');
    expect(error.retryAfterSeconds).toBeUndefined();
    expect(await admission.settle(80n)).toBe(0n);
    await write(wallets, payer, [admission], 0n);
    expect(await stateOf(budget)).toMatchObject({ spentNanoUsd: 80n, resetsAtMs: null });
  });

  test('counts the whole of a cost above its hold, where a wallet is charged what it has', async () => {
    const wallets = openWallets();
    const payer = await payerWith(150n);
    const budget = { subject: keyOf(payer), period: 'monthly' } as const;
    await set(100n, budget);
    const admission = await wallets.admit(payer);
    await admission.hold(wanting(50n));
    expect(await admission.settle(170n)).toBe(150n);
    expect(admission.spentOfBudgets).toMatchObject([{ amountNanoUsd: 170n, leasedNanoUsd: 100n }]);
    await write(wallets, payer, [admission], 150n);
    expect(await stateOf(budget)).toMatchObject({ spentNanoUsd: 170n, leftNanoUsd: -70n, heldNanoUsd: 0n });
    expect((await refusal(() => wallets.admit(payer))).code).toMatch(/insufficient_funds|budget_exceeded/);
  });

  test('what is written is not taken off again by a process whose leases were taken away', async () => {
    const wallets = openWallets();
    const payer = await payerWith(1_000n);
    const budget = { subject: keyOf(payer), period: 'monthly' } as const;
    await set(100n, budget);
    const first = await wallets.admit(payer);
    expect(await first.hold(wanting(60n))).toBe(60n);
    expect(await first.settle(60n)).toBe(60n);
    await write(wallets, payer, [first], 60n);
    const before = wallets.holderId ?? -1;
    await fenceHolder(books.db, before, Date.now());
    await endHolder(books.db, before);
    const second = await wallets.admit(payer);
    expect(await second.hold(wanting(40n))).toBe(40n);
    second.release();
  });

  test('a changed limit moves what is left at once, and a removed one holds nobody', async () => {
    const wallets = openWallets();
    const payer = await payerWith(10_000n);
    const budget = { subject: keyOf(payer), period: 'total' } as const;
    const another = { subject: { kind: 'user', id: payer.payerId }, period: 'total' } as const;
    await set(100n, budget);
    await set(5_000n, another);
    const first = await wallets.admit(payer);
    await first.hold(wanting(100n));
    await first.settle(100n);
    await write(wallets, payer, [first], 100n);
    await refusal(() => wallets.admit(payer));
    await set(150n, budget);
    const beside = await stateOf(another);
    expect((beside?.leftNanoUsd ?? 0n) + (beside?.heldNanoUsd ?? 0n)).toBe(4_900n);
    const second = await wallets.admit(payer);
    expect(await second.hold(wanting(1_000n, 1n))).toBe(50n);
    await set(120n, budget);
    expect(await stateOf(budget)).toMatchObject({
      limitNanoUsd: 120n,
      spentNanoUsd: 100n,
      leftNanoUsd: -30n,
    });
    second.release();
    // Both are known to the process until it hears that they are gone.
    const known = async () => (await wallets.admit(payer)).release();
    await known().catch(() => undefined);
    expect(await books.write((work) => removeBudget(work, another))).toBe(true);
    expect(await books.write((work) => removeBudget(work, budget))).toBe(true);
    expect(await books.write((work) => removeBudget(work, budget))).toBe(false);
    await refusalEnds(wallets, payer);
    expect(await stateOf(budget)).toBeUndefined();
  });

  test('of those that a file declared, the ones that it names no more end, and no others', async () => {
    const payer = await payerWith(1n);
    const [subject, user] = [keyOf(payer), { kind: 'user', id: payer.payerId } as const];
    const make = (managedBy: string | null, asked: { subject: BudgetSubject; period: BudgetPeriod }) =>
      books.write((work) => setBudget(work, { ...asked, limitNanoUsd: 9n, managedBy }));
    await make('file', { subject, period: 'daily' });
    await make('file', { subject, period: 'weekly' });
    await make('file', { subject: user, period: 'daily' });
    await make(null, { subject: user, period: 'total' });
    const declared = [{ subject, period: 'daily' }] as const;
    const remove = () => books.write((work) => removeUndeclaredBudgets(work, declared));
    expect(await remove()).toBe(true);
    const left = await listBudgets(books.db, systemClock.nowMs(), [subject, user]);
    expect(left.map((each) => `${each.subject.kind} ${each.period}`)).toEqual(['key daily', 'user total']);
    expect(await remove()).toBe(false);
  });

  test('nothing is refused from memory once all may have changed, as when the database was away', async () => {
    const changes = new SilentFeed();
    const wallets = openWallets(new ManualClock(), changes);
    const payer = await payerWith(1_000n);
    const budget = { subject: keyOf(payer), period: 'total' } as const;
    await set(50n, budget);
    const first = await wallets.admit(payer);
    await first.hold(wanting(50n));
    await first.settle(50n);
    await write(wallets, payer, [first], 50n);
    await refusal(() => wallets.admit(payer));
    await set(80n, budget);
    await refusal(() => wallets.admit(payer));
    changes.tell('budget');
    const next = await wallets.admit(payer);
    expect(await next.hold(wanting(30n))).toBe(30n);
    next.release();
  });

  test('those that a newer version made are left to it', async () => {
    const { payerId } = await payerWith(1n);
    const subject = { kind: 'key', id: 700_000 + payerId } as const;
    await books.db.execute(sql`INSERT INTO budgets (subject_kind, subject_id, period, limit_nano_usd)
      VALUES ('key', ${subject.id}, 'hourly', 5), ('team', ${subject.id}, 'daily', 5), ('key', ${subject.id}, 'daily', 6)`);
    const all = await listBudgets(books.db, systemClock.nowMs());
    expect(all.filter(({ subject: { id } }) => id === subject.id)).toMatchObject([
      { subject, period: 'daily', limitNanoUsd: 6n },
    ]);
  });

  /** Once word has come. */
  async function refusalEnds(wallets: Wallets, payer: Payer): Promise<void> {
    for (;;) {
      const admission = await wallets.admit(payer);
      const held = await admission.hold(wanting(5_000n, 1n));
      admission.release();
      if (held === 5_000n) return;
    }
  }
});
