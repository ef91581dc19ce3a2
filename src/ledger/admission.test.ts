/** Leave to spend, on leases of books in memory: each answer of the desk comes in the order of the test. */
import { expect, test } from 'bun:test';
import { FundedAdmission } from './admission.ts';
import { memoryDesk } from './testing/memory-desk.ts';
import { refusal, wanting } from './testing/spending.ts';

function open(...balances: readonly bigint[]) {
  const on = memoryDesk(...balances);
  const [wallet, ...budgets] = on.funds;
  if (wallet === undefined) throw new Error('somebody pays');
  return {
    ...{ ...on, wallet, budgets },
    admit: (isExempt = false) => new FundedAdmission({ wallet: isExempt ? null : wallet, budgets }, on),
  };
}

test('less than what is asked for at least is not worth holding, and exactly so much is', async () => {
  const { admit, wallet } = open(50n);
  const refused = await refusal(() => admit().hold(wanting(100n, 51n)));
  expect(refused).toMatchObject({ availableNanoUsd: 50n, heldNanoUsd: 0n });
  const admission = admit();
  expect(await admission.hold(wanting(100n, 50n))).toBe(50n);
  expect(wallet.heldNanoUsd).toBe(50n);
});

test('a hold is there at once while the lease has room, to the last nano-dollar', async () => {
  const { admit, wallet } = open(1_000n);
  const first = admit();
  expect(await first.hold(wanting(100n))).toBe(100n);
  first.release();
  const { freeNanoUsd } = wallet;
  expect(admit().hold(wanting(freeNanoUsd))).toBe(freeNanoUsd);
  expect(admit().hold(wanting(1n))).toBeInstanceOf(Promise);
});

test('beyond what is fair a hold takes a quarter of what is free here and left elsewhere', async () => {
  const { admit, wallet } = open(1_000n);
  expect(await admit().hold(wanting(10_000n, 1n, 20n))).toBe(250n);
  expect(wallet.heldNanoUsd).toBe(250n);
  // A quarter of the 750 that are left now is 187.
  expect(await admit().hold(wanting(10_000n, 1n, 20n))).toBe(187n);
  expect(await admit().hold(wanting(300n, 1n, 200n))).toBe(200n);
  expect(await admit().hold(wanting(100n, 1n, 20n))).toBeLessThanOrEqual(100n);
});

test('beyond what is fair a hold takes a quarter also where all of it is free here', async () => {
  const { admit, wallet, asked } = open(1_000n);
  const first = admit();
  expect(await first.hold(wanting(800n))).toBe(800n);
  first.release();
  expect([wallet.freeNanoUsd, asked()]).toEqual([800n, [0]]);
  expect(admit().hold(wanting(10_000n, 1n, 20n))).toBe(250n);
  // A quarter of the 750 that are left now is 187, and so much is fair to others.
  expect(admit().hold(wanting(188n, 1n, 20n))).toBe(187n);
  expect(admit().hold(wanting(140n, 1n, 20n))).toBe(140n);
  await Promise.resolve();
  expect(admit().hold(wanting(200n, 1n, 106n))).toBe(106n);
});

test('only of funds that have too little more is leased, as much as is missing and held', async () => {
  const { admit, wallet, budgets, asked, books } = open(10_000n, 10_000n);
  const earlier = admit(true);
  await earlier.hold(wanting(300n));
  earlier.release();
  expect(asked()).toEqual([1]);
  await admit().hold(wanting(100n));
  expect([asked(), wallet.freeNanoUsd, budgets[0]?.freeNanoUsd]).toEqual([[0], 0n, 200n]);
  // What is free counts, and as much again as is held comes along.
  await admit().hold(wanting(250n));
  expect([asked(), books.fund(0).leased, books.fund(1).leased]).toEqual([[0, 1], 450n, 450n]);
});

test('of a cost above its hold what is missing is leased, and only of funds that have too little', async () => {
  const { admit, wallet, asked, books } = open(10_000n, 10_000n);
  const earlier = admit(true);
  await earlier.hold(wanting(3_000n));
  earlier.release();
  const admission = admit();
  await admission.hold(wanting(100n));
  const beside = admit();
  await beside.hold(wanting(60n));
  asked();
  const { freeNanoUsd } = wallet;
  expect(freeNanoUsd).toBe(100n);
  expect(await admission.settle(700n)).toBe(700n);
  expect([asked(), wallet.freeNanoUsd, books.fund(0).leased]).toEqual([[0], 0n, 760n]);
});

test('where one of several funds can have no more from anywhere, nobody is asked', async () => {
  const { admit, lend, recalled, sent } = open(100n, 20n);
  lend(90n);
  expect((await refusal(() => admit().hold(wanting(50n)))).fund.title).toBe('fund 0');
  expect(recalled).toEqual([]);
  expect(sent()).toEqual(['register', 'take']);
});

test('of funds that have as little the first is named', async () => {
  const { admit } = open(30n, 30n);
  expect((await refusal(() => admit().hold(wanting(50n)))).fund.title).toBe('fund 0');
});

test('the tightest of several funds wins and is named', async () => {
  const { admit, budgets, wallet } = open(1_000n, 300n, 70n);
  const admission = admit();
  expect(await admission.hold(wanting(70n))).toBe(70n);
  expect([wallet, ...budgets].map((fund) => fund.heldNanoUsd)).toEqual([70n, 70n, 70n]);
  expect((await refusal(() => admit().hold(wanting(5n)))).fund.title).toBe('fund 2');
});

test('what it cost comes off every fund, and all that was held is free again', async () => {
  const { admit, budgets, wallet } = open(1_000n, 500n);
  const admission = admit();
  await admission.hold(wanting(100n));
  expect(admission.spentOfBudgets).toEqual([]);
  expect(admission.settle(30n)).toBe(30n);
  expect(admission.spentOfBudgets).toEqual([{ fundId: 1, amountNanoUsd: 30n, leasedNanoUsd: 30n }]);
  for (const fund of [wallet, ...budgets]) {
    expect(fund).toMatchObject({ heldNanoUsd: 0n, unwrittenNanoUsd: 30n, users: 0 });
  }
});

test('a request that cost nothing, or was let go, takes nothing off any of them', async () => {
  const { admit, budgets, wallet } = open(1_000n, 500n);
  const [free, left] = [admit(), admit()];
  for (const admission of [free, left]) await admission.hold(wanting(100n));
  expect(wallet.users).toBe(2);
  expect(free.settle(0n)).toBe(0n);
  left.release();
  left.release();
  for (const { spentOfBudgets } of [free, left]) expect(spentOfBudgets).toEqual([]);
  for (const fund of [wallet, ...budgets]) {
    expect(fund).toMatchObject({ heldNanoUsd: 0n, unwrittenNanoUsd: 0n, users: 0 });
  }
});

test('it ends once, and costs never less than nothing', async () => {
  const { admit, wallet } = open(1_000n);
  const admission = admit();
  await admission.hold(wanting(100n));
  expect(() => admission.settle(-1n)).toThrow(RangeError);
  admission.settle(10n);
  expect(() => admission.settle(10n)).toThrow('has ended already');
  expect(() => admission.hold(wanting(100n))).toThrow('has ended already');
  admission.release();
  expect(wallet).toMatchObject({ users: 0, heldNanoUsd: 0n, unwrittenNanoUsd: 10n });
});

test('a payer who is exempt is charged nothing, and their budgets count all of it', async () => {
  const { admit, budgets } = open(0n, 500n);
  const admission = admit(true);
  expect(await admission.hold(wanting(100n))).toBe(100n);
  expect(admission.settle(60n)).toBe(0n);
  expect(admission.spentOfBudgets).toEqual([{ fundId: 1, amountNanoUsd: 60n, leasedNanoUsd: 60n }]);
  expect(budgets[0]?.unwrittenNanoUsd).toBe(60n);
});

test('a cost above its hold takes what is free here at once, then what is left elsewhere, and no more', async () => {
  const { admit, wallet, books } = open(1_000n, 5_000n);
  const [first, second] = [admit(), admit()];
  await first.hold(wanting(40n));
  await second.hold(wanting(50n));
  // As much again as was held.
  expect(wallet.freeNanoUsd).toBe(40n);
  expect(first.settle(80n)).toBe(80n);
  const charged = second.settle(10_000n);
  expect(charged).toBeInstanceOf(Promise);
  expect(await charged).toBe(920n);
  expect(books.fund(0).leased).toBe(1_000n);
  // A budget counts all of it, also what no lease had.
  expect(second.spentOfBudgets).toEqual([{ fundId: 1, amountNanoUsd: 10_000n, leasedNanoUsd: 4_920n }]);
  expect(wallet).toMatchObject({ users: 0, unwrittenNanoUsd: 1_000n });
});

test('a cost above its hold is charged from what comes back while it is asked for, three times at most', async () => {
  const { admit, lend, books, clock, recalled } = open(1_000n);
  const other = lend(900n);
  const admission = admit();
  await admission.hold(wanting(50n));
  const settling = admission.settle(500n);
  await clock.advance(24);
  books.giveBack(other, new Map([[0, 400n]]));
  await clock.advance(1);
  expect([await settling, recalled.length]).toEqual([500n, 1]);
  const last = admit().settle(70n);
  await clock.advance(324);
  expect(recalled).toHaveLength(4);
  expect(await Promise.race([last, 'not yet'])).toBe('not yet');
  await clock.advance(1);
  expect([await last, recalled.length]).toEqual([0n, 4]);
});

test('a cost above its hold is charged from what others have of the wallet, though its budget has no more anywhere', async () => {
  const { admit, lend, books, clock, recalled } = open(1_000n, 100n);
  const other = lend(900n);
  const admission = admit();
  await admission.hold(wanting(100n));
  const settling = admission.settle(140n);
  await clock.advance(24);
  books.giveBack(other, new Map([[0, 900n]]));
  await clock.advance(1);
  expect([await settling, recalled]).toEqual([140n, [0]]);
  expect(admission.spentOfBudgets).toEqual([{ fundId: 1, amountNanoUsd: 140n, leasedNanoUsd: 100n }]);
});

test('without the database a cost above its hold is charged as far as it was held', async () => {
  const { admit, wallet, goAway } = open(100n);
  const admission = admit();
  await admission.hold(wanting(100n));
  goAway();
  expect(await admission.settle(170n)).toBe(100n);
  expect(wallet.users).toBe(0);
});

test('the next request like the last one has its lease fetched ahead, as much as is held', async () => {
  const { admit, wallet, clock, asked } = open(4_000n);
  await admit().hold(wanting(100n));
  await admit().hold(wanting(100n));
  expect(admit().hold(wanting(100n))).toBe(100n);
  expect(wallet.freeNanoUsd).toBe(0n);
  await clock.advance(0);
  expect(wallet).toMatchObject({ freeNanoUsd: 300n, heldNanoUsd: 300n });
  // With room for another one nothing is fetched.
  asked();
  for (const free of [200n, 100n]) {
    expect(admit().hold(wanting(100n))).toBe(100n);
    await clock.advance(0);
    expect([wallet.freeNanoUsd, asked()]).toEqual([free, []]);
  }
  expect(admit().hold(wanting(100n))).toBe(100n);
  await clock.advance(0);
  expect(asked()).toEqual([0]);
});

test('what other processes have is asked for three times, ever longer apart, and only where they have some', async () => {
  const { admit, lend, recalled, clock } = open(100n);
  lend(90n);
  const refused = refusal(() => admit().hold(wanting(50n)));
  const asked: number[] = [];
  for (const pauseMs of [0, 24, 1, 99, 1, 199, 1]) {
    await clock.advance(pauseMs);
    asked.push(recalled.length);
  }
  expect(asked).toEqual([1, 1, 2, 2, 3, 3, 3]);
  expect((await refused).availableNanoUsd).toBe(10n);
  const alone = open(100n);
  await refusal(() => alone.admit().hold(wanting(101n)));
  expect([alone.recalled, alone.sent()]).toEqual([[], ['register', 'take']]);
});

test('what comes back while it is asked for is held', async () => {
  const { admit, lend, books, clock } = open(100n);
  const other = lend(90n);
  const held = admit().hold(wanting(50n));
  await clock.advance(10);
  books.giveBack(other, new Map([[0, 60n]]));
  await clock.advance(15);
  expect(await held).toBe(50n);
});

test('a request that was let go while it waited holds nothing', async () => {
  const { admit, lend, books, clock, wallet } = open(100n);
  const other = lend(90n);
  const admission = admit();
  const held = refusal(() => admission.hold(wanting(50n)));
  await clock.advance(10);
  admission.release();
  books.giveBack(other, new Map([[0, 60n]]));
  await clock.advance(15);
  await held;
  expect(wallet).toMatchObject({ heldNanoUsd: 0n, users: 0 });
});

test('nothing ends it a second time while what it cost beyond its hold is still looked for', async () => {
  const { admit, wallet } = open(1_000n);
  const admission = admit();
  await admission.hold(wanting(10n));
  const settling = admission.settle(600n);
  expect(settling).toBeInstanceOf(Promise);
  admission.release();
  expect(() => admission.settle(600n)).toThrow('ended already');
  expect(await settling).toBe(600n);
  admission.release();
  expect([wallet.users, wallet.heldNanoUsd, wallet.unwrittenNanoUsd]).toEqual([0, 0n, 600n]);
});
