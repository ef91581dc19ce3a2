/** Leave to spend, on leases of books in memory: each answer of the desk comes in the order of the test. */

import { expect, test } from 'bun:test';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { FundedAdmission } from './admission.ts';
import { Fund } from './fund.ts';
import { LeaseDesk } from './lease-desk.ts';
import type { LeaseRows } from './lease-rows.ts';
import { MemoryBooks } from './testing/memory-books.ts';
import { SilentFeed } from './testing/silent-feed.ts';
import { refusal, wanting } from './testing/spending.ts';

function open(...balances: readonly bigint[]) {
  const books = new MemoryBooks();
  const clock = new ManualClock();
  const recalled: number[] = [];
  let isAway = false;
  const there = <Result>(answer: () => Result): Promise<Result> =>
    isAway ? Promise.reject(new Error('the database is away')) : Promise.resolve(answer());
  const rows: LeaseRows = {
    register: () => there(() => books.register()),
    raiseEpoch: (holder) => there(() => books.raiseEpoch(holder)),
    noteAlive: () => there(() => undefined),
    take: (holder, asks) => there(() => books.take(holder, asks)),
    giveBack: (holder, amounts) => there(() => books.giveBack(holder, amounts)),
    read: (holder) => there(() => books.read(holder)),
    end: (id) => there(() => books.end(id)),
    recall: (fundId) => there(() => void recalled.push(fundId)),
  };
  const changes = new SilentFeed();
  const desk = new LeaseDesk({ rows, changes, clock });
  const funds = balances.map((balance, at) => {
    books.funds.set(at, { balance, floor: 0n, leased: 0n });
    return new Fund(at, { kind: at === 0 ? 'wallet' : 'budget', title: `fund ${at}` });
  });
  const [wallet, ...budgets] = funds;
  if (wallet === undefined) throw new Error('somebody pays');
  return {
    ...{ books, clock, desk, wallet, budgets, recalled },
    admit: (isExempt = false) =>
      new FundedAdmission({ wallet: isExempt ? null : wallet, budgets }, { desk, clock }),
    /** So much of the first fund is another process's. */
    lend(amount: bigint) {
      const other = books.register();
      books.take(other, [{ fundId: 0, needNanoUsd: amount, wantNanoUsd: 0n }]);
      return other;
    },
    goAway() {
      isAway = true;
    },
    /** That the database was away, and may be another one. */
    comeBack() {
      changes.tell();
    },
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

test('without the database a cost above its hold is charged as far as it was held', async () => {
  const { admit, wallet, goAway } = open(100n);
  const admission = admit();
  await admission.hold(wanting(100n));
  goAway();
  expect(await admission.settle(170n)).toBe(100n);
  expect(wallet.users).toBe(0);
});

test('the next request like the last one has its lease fetched ahead, as much as is held', async () => {
  const { admit, wallet, clock } = open(4_000n);
  await admit().hold(wanting(100n));
  await admit().hold(wanting(100n));
  expect(admit().hold(wanting(100n))).toBe(100n);
  expect(wallet.freeNanoUsd).toBe(0n);
  await clock.advance(0);
  expect(wallet).toMatchObject({ freeNanoUsd: 300n, heldNanoUsd: 300n });
  // With room for another one nothing is fetched.
  expect(admit().hold(wanting(100n))).toBe(100n);
  await clock.advance(0);
  expect(wallet).toMatchObject({ freeNanoUsd: 200n, heldNanoUsd: 400n });
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
  expect(alone.recalled).toEqual([]);
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

test('what several ask for in the same turn is leased for all of them', async () => {
  const [together, alone] = [open(1_000n), open(1_000n)];
  await Promise.all([
    together.desk.take(together.wallet, { needNanoUsd: 10n, wantNanoUsd: 40n }),
    together.desk.take(together.wallet, { needNanoUsd: 20n, wantNanoUsd: 60n }),
  ]);
  await alone.desk.take(alone.wallet, { needNanoUsd: 30n, wantNanoUsd: 100n });
  expect(together.wallet.freeNanoUsd).toBe(alone.wallet.freeNanoUsd);
  expect(together.wallet.freeNanoUsd).toBe(100n);
});

test('leases are read again once the database was away, which may have forgotten some', async () => {
  const { books, clock, desk, wallet, comeBack } = open(1_000n);
  // Before anything was leased there is nothing to read.
  comeBack();
  await desk.take(wallet, { needNanoUsd: 100n, wantNanoUsd: 100n });
  expect(wallet.freeNanoUsd).toBe(100n);
  for (const leases of books.leases.values()) leases.clear();
  comeBack();
  await clock.advance(0);
  while (wallet.freeNanoUsd > 0n) await new Promise((resolve) => setImmediate(resolve));
  expect(wallet.freeNanoUsd).toBe(0n);
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
