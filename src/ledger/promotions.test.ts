import { expect, test } from 'bun:test';
import { eq, sql } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { systemClock } from '../base/clock.ts';
import { systemIds } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { writeUsd } from '../base/money.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { silentLog } from '../base/testing/silent-log.ts';
import { notificationEvents } from '../storage/schema/events.ts';
import { deposit, postJournal } from './books.ts';
import { setCreditLimit } from './index.ts';
import {
  endPromotions,
  grantPromotion,
  listPromotions,
  movePromotion,
  promotionKeeper,
} from './promotions.ts';
import { lockAround } from './testing/lock-funds.ts';
import { alone, newPerson } from './testing/people.ts';
import { readMoney } from './testing/read-money.ts';
import { wanting } from './testing/spending.ts';
import { openTestBooks } from './testing/test-books.ts';
import { writeCharges, writeSettled } from './testing/write-charges.ts';

describeOnEachDatabase('promotions', (openDatabase, { kind }) => {
  const clock = new ManualClock();
  const databaseMs = async () => clock.nowMs();
  const books = openTestBooks(openDatabase, { clock: () => clock });
  const { balanceOf, write } = books;

  const inDays = (days: number) => new Date(clock.nowMs() + days * 86_400_000);
  const grant = (userId: number, amountNanoUsd: bigint, expiresAt: Date | null, name = 'welcome') =>
    write((work) =>
      grantPromotion(work, {
        ...{ userId, name, amountNanoUsd, expiresAt },
        businessKey: `${name} ${userId} ${expiresAt?.getTime()}`,
      }),
    );
  const left = async (userId: number) =>
    (await write((work) => listPromotions(work, userId))).map(({ remainingNanoUsd }) => remainingNanoUsd);
  const spend = (userId: number, amount: bigint) => writeCharges(books.db, new Map([[userId, amount]]), null);

  test('of nothing, or of less, are none', async () => {
    const userId = await books.newPerson();
    for (const amount of [0n, -1n]) await expect(grant(userId, amount, null)).rejects.toThrow(RangeError);
    expect(await left(userId)).toEqual([]);
  });

  test('are granted once, and spent before what was paid, those that end first before the others', async () => {
    const userId = await books.newPerson();
    await write((work) => deposit(work, { userId, amountNanoUsd: 100n, businessKey: `paid ${userId}` }));
    expect(await grant(userId, 10n, inDays(30))).toBe(true);
    expect(await grant(userId, 10n, inDays(30))).toBe(false);
    await grant(userId, 10n, inDays(2), 'hurry');
    await grant(userId, 10n, null, 'for ever');
    await spend(userId, 14n);
    expect(await left(userId)).toEqual([6n, 0n, 10n]);
    await spend(userId, 26n);
    expect(await left(userId)).toEqual([0n, 0n, 0n]);
    expect(await balanceOf(userId)).toBe(90n);
  });

  test('a grant that comes later is not charged with what was spent before it', async () => {
    const userId = await books.newPerson();
    await grant(userId, 10n, inDays(30));
    await spend(userId, 4n);
    await grant(userId, 10n, inDays(1), 'later');
    expect(await left(userId)).toEqual([6n, 10n]);
  });

  test('end at their time, what is left of them and no more', async () => {
    const userId = await books.newPerson();
    await write((work) => deposit(work, { userId, amountNanoUsd: 5n, businessKey: `paid ${userId}` }));
    // Nor is credit what ends, and it keeps nothing from ending.
    await write((work) => setCreditLimit(work, userId, 50n));
    await grant(userId, 10n, inDays(1));
    await spend(userId, 3n);
    await clock.advance(86_400_000);
    expect((await write(endPromotions)).ended).toBeGreaterThan(0);
    expect((await write(endPromotions)).ended).toBe(0);
    expect(await balanceOf(userId)).toBe(5n);
  });

  test('what a process has leased may still be spent after the end, and the rest ends when it comes back', async () => {
    const userId = await books.newPerson();
    const wallets = books.openWallets();
    // Soon, since each second between is one in which its process looks after its leases.
    await grant(userId, 100n, inDays(5 / 86_400));
    await grant(userId, 5n, inDays(5 / 86_400), 'as long as the other');
    const admission = await wallets.admit({ payerId: userId, exempt: false, budgetOf: alone(userId) });
    const wanted = { mostNanoUsd: 60n, leastNanoUsd: 60n, fairNanoUsd: 60n };
    expect(await admission.hold(wanted)).toBe(60n);
    await clock.advance(5_000);
    await write(endPromotions);
    expect(await balanceOf(userId)).toBeGreaterThanOrEqual(60n);
    expect(await admission.settle(50n)).toBe(50n);
    await writeSettled(books.db, wallets, new Map([[userId, 50n]]));
    await wallets.close();
    await write(endPromotions);
    expect(await balanceOf(userId)).toBe(0n);
  });

  /** How much of them people were told to have ended. */
  const toldOf = async (userId: number) => {
    const told = await books.db
      .select({ kind: notificationEvents.kind, facts: notificationEvents.facts })
      .from(notificationEvents)
      .where(eq(notificationEvents.audienceId, userId));
    return told.filter(({ kind }) => kind === 'promotion.expired').map(({ facts }) => facts['expired_usd']);
  };
  /** One that is over, of which a process has leased what a request can cost, and the rest has ended. */
  async function endedAround(amount: bigint) {
    const userId = await books.newPerson();
    const wallets = books.openWallets();
    await grant(userId, 100n, inDays(5 / 86_400));
    const admission = await wallets.admit({ payerId: userId, exempt: false, budgetOf: alone(userId) });
    const wanted = { mostNanoUsd: amount, leastNanoUsd: amount, fairNanoUsd: amount };
    expect(await admission.hold(wanted)).toBe(amount);
    await clock.advance(5_000);
    await write(endPromotions);
    const [promotion] = await write((work) => listPromotions(work, userId));
    const leftNanoUsd = promotion?.remainingNanoUsd ?? 0n;
    expect(leftNanoUsd).toBeGreaterThanOrEqual(amount);
    expect(leftNanoUsd).toBeLessThan(100n);
    const spendOf = async (spent: bigint) => {
      await admission.settle(spent);
      await writeSettled(books.db, wallets, new Map([[userId, spent]]));
      await wallets.close();
    };
    return { userId, id: promotion?.id ?? 0, spend: spendOf };
  }

  test('are told to have ended once nothing is left of them, all that ended together', async () => {
    const { userId, spend } = await endedAround(60n);
    expect(await toldOf(userId)).toEqual([]);
    await spend(50n);
    for (let times = 0; times < 2; times += 1) await write(endPromotions);
    expect(await balanceOf(userId)).toBe(0n);
    expect(await toldOf(userId)).toEqual([writeUsd(50n)]);
  });

  test('are told to have ended also where the rest of them was spent', async () => {
    const { userId, spend } = await endedAround(60n);
    await spend(await balanceOf(userId));
    for (let times = 0; times < 2; times += 1) await write(endPromotions);
    const told = await toldOf(userId);
    expect(told).toHaveLength(1);
    expect(await left(userId)).toEqual([0n]);
    expect(Number(told[0])).toBeGreaterThan(0);
  });

  test('are told to have ended at the end that they were given later', async () => {
    const { userId, id, spend } = await endedAround(60n);
    await write((work) => movePromotion(work, id, inDays(1)));
    await spend(10n);
    for (let times = 0; times < 2; times += 1) await write(endPromotions);
    expect(await toldOf(userId)).toEqual([]);
    await clock.advance(86_400_000);
    await write(endPromotions);
    expect(await toldOf(userId)).toEqual([writeUsd(90n)]);
  });

  test('end also where more others than a round takes have nothing that could end', async () => {
    await write(async (work) => {
      for (let count = 0; count < 2; count += 1) {
        const userId = await newPerson(work.executor);
        const businessKey = `welcome ${userId}`;
        const expiresAt = inDays(1);
        await grantPromotion(work, { userId, name: 'welcome', amountNanoUsd: 1n, expiresAt, businessKey });
        await postJournal(work, {
          kind: 'adjustment',
          businessKey: `mistake ${userId}`,
          entries: [
            { account: { userId, part: 'paid' }, amountNanoUsd: -5n },
            { account: 'adjustments', amountNanoUsd: 5n },
          ],
        });
      }
    });
    // One more, of whom a process has all there is.
    const busy = await books.payerWith(0n);
    await grant(busy.payerId, 1n, inDays(1));
    const wallets = books.openWallets(systemClock);
    const admission = await wallets.admit(busy);
    await admission.hold(wanting(1n));
    const userId = await books.newPerson();
    await grant(userId, 10n, inDays(1));
    await clock.advance(86_400_000);
    await write((work) => endPromotions(work, 1));
    expect(await balanceOf(userId)).toBe(0n);
    admission.release();
    await wallets.close();
    await write(endPromotions);
  });

  test.skipIf(kind === 'embedded')('end beside who settles usage of the same wallets', async () => {
    const [first, second] = [await books.newPerson(), await books.newPerson()];
    await grant(second, 10n, inDays(1));
    await grant(first, 10n, inDays(1));
    await clock.advance(86_400_000);
    const { ended } = await lockAround(books, [second, first], () => write(endPromotions));
    expect(ended).toBeGreaterThanOrEqual(2);
  });

  test('can be given another end, and refuse one that is over or an amount of nothing', async () => {
    const userId = await books.newPerson();
    await grant(userId, 10n, inDays(1));
    const [promotion] = await write((work) => listPromotions(work, userId));
    await write((work) => movePromotion(work, promotion?.id ?? -1, inDays(9)));
    await clock.advance(2 * 86_400_000);
    expect((await write(endPromotions)).ended).toBe(0);
    await expect(grant(userId, 1n, inDays(-1), 'late')).rejects.toMatchObject({ code: 'validation_failed' });
    await expect(grant(userId, 0n, null, 'nothing')).rejects.toThrow(RangeError);
    await expect(write((work) => movePromotion(work, 999_999, null))).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('what was spent before one is given another end was spent in the order until then', async () => {
    const userId = await books.newPerson();
    await grant(userId, 10n, inDays(2));
    await grant(userId, 10n, inDays(30), 'longer');
    await spend(userId, 4n);
    const { rows } = await books.db.execute<{ id: string }>(
      sql`SELECT min(id)::text AS id FROM promotion_grants WHERE user_id = ${userId}`,
    );
    await write((work) => movePromotion(work, Number(rows[0]?.id), inDays(40)));
    expect(await left(userId)).toEqual([6n, 10n]);
    await spend(userId, 4n);
    expect(await left(userId)).toEqual([6n, 6n]);
  });

  test('a running server tells of their ends and ends them within a minute', async () => {
    const userId = await books.newPerson();
    await grant(userId, 10n, inDays(1));
    const said: unknown[] = [];
    const log: Log = { ...silentLog, info: (...told) => said.push(told) };
    const keeper = promotionKeeper({ storage: books.storage, clock, ids: systemIds, log, databaseMs });
    while (clock.pendingTimers === 0) await clock.advance(0);
    await clock.advance(86_400_000);
    while ((await balanceOf(userId)) > 0n) await clock.advance(60_000);
    await keeper.close();
    const told = await books.db
      .select({ kind: notificationEvents.kind })
      .from(notificationEvents)
      .where(eq(notificationEvents.audienceId, userId));
    expect(told.map((event) => event.kind).toSorted()).toEqual([
      'promotion.expired',
      'promotion.expires_soon',
    ]);
    expect(said).toEqual([['promotions ended', { count: 1 }]]);
  });

  test('one round of a server tells of all that end and ends all that are over, however many', async () => {
    const many = 5;
    const people: number[] = [];
    await write(async (work) => {
      for (let count = 0; count < many; count += 1) {
        const userId = await newPerson(work.executor);
        people.push(userId);
        for (const [name, days] of [['over', 1] as const, ['soon', 3] as const]) {
          const businessKey = `${name} ${userId}`;
          await grantPromotion(work, {
            userId,
            name,
            amountNanoUsd: 1n,
            expiresAt: inDays(days),
            businessKey,
          });
        }
      }
    });
    await clock.advance(86_400_000);
    const said: unknown[] = [];
    const log: Log = { ...silentLog, info: (...told) => said.push(told) };
    const keeper = promotionKeeper({
      storage: books.storage,
      clock,
      ids: systemIds,
      log,
      databaseMs,
      atMost: 2,
    });
    while (clock.pendingTimers === 0) await clock.advance(0);
    await keeper.close();
    expect(said).toEqual([['promotions ended', { count: many }]]);
    const told = await books.db
      .select({ kind: notificationEvents.kind, audienceId: notificationEvents.audienceId })
      .from(notificationEvents);
    const soon = told.filter(({ kind }) => kind === 'promotion.expires_soon');
    expect(people.filter((id) => soon.every(({ audienceId }) => audienceId !== id))).toEqual([]);
  });

  test("a server whose clock is ahead of the database's ends none", async () => {
    const userId = await books.newPerson();
    await grant(userId, 10n, inDays(1));
    const ahead = new ManualClock(inDays(2).getTime());
    const keeper = promotionKeeper({ storage: books.storage, clock: ahead, ids: systemIds, log: silentLog });
    // It waits for its next round once the first is over.
    while (ahead.pendingTimers === 0) await ahead.advance(0);
    await keeper.close();
    expect(await balanceOf(userId)).toBe(10n);
  });

  test('of which nothing is left are given no other end, which would bring nothing back', async () => {
    const userId = await books.newPerson();
    await grant(userId, 10n, inDays(1));
    await grant(userId, 10n, inDays(9), 'spent');
    const [over, spent] = await write((work) => listPromotions(work, userId));
    await clock.advance(86_400_000);
    await write(endPromotions);
    await spend(userId, 10n);
    for (const promotion of [over, spent]) {
      const moved = write((work) => movePromotion(work, promotion?.id ?? -1, inDays(30)));
      await expect(moved).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('Grant another one'),
      });
    }
    expect((await write((work) => listPromotions(work, userId))).map(({ expiresAt }) => expiresAt)).toEqual([
      over?.expiresAt ?? null,
      spent?.expiresAt ?? null,
    ]);
  });

  test('a credit limit lets a payer owe so much, and lowered below a debt lets nothing more be spent', async () => {
    const userId = await books.newPerson();
    const wallets = books.openWallets();
    await write((work) => setCreditLimit(work, userId, 50n));
    const admission = await wallets.admit({ payerId: userId, exempt: false, budgetOf: alone(userId) });
    expect(await admission.settle(40n)).toBe(40n);
    await writeSettled(books.db, wallets, new Map([[userId, 40n]]));
    await wallets.close();
    expect(await balanceOf(userId)).toBe(-40n);
    await write((work) => setCreditLimit(work, userId, 10n));
    const other = books.openWallets();
    await expect(
      (async () => await other.admit({ payerId: userId, exempt: false, budgetOf: alone(userId) }))(),
    ).rejects.toMatchObject({ code: 'insufficient_funds' });
    await other.close();
  });

  test.each([
    ['a credit limit is lowered', (userId: number) => write((work) => setCreditLimit(work, userId, 0n))],
    [
      'money goes back',
      (userId: number) =>
        write((work) =>
          postJournal(work, {
            kind: 'refund',
            businessKey: `refund ${userId}`,
            entries: [
              { account: { userId, part: 'paid' }, amountNanoUsd: -40n },
              { account: 'payments', amountNanoUsd: 40n },
            ],
          }),
        ),
    ],
  ])('what processes have free of a wallet comes back when %s', async (_what, lessen) => {
    const userId = await books.newPerson();
    const wallets = books.openWallets();
    await write((work) => setCreditLimit(work, userId, 40n));
    const payer = { payerId: userId, exempt: false, budgetOf: alone(userId) };
    // The request under way keeps the process from giving it back by itself.
    const underWay = await wallets.admit(payer);
    const admission = await wallets.admit(payer);
    await admission.hold({ mostNanoUsd: 40n, leastNanoUsd: 40n, fairNanoUsd: 40n });
    admission.release();
    await lessen(userId);
    const leased = async () => (await readMoney(books.db, userId)).leasedNanoUsd;
    while ((await leased()) > 0n) await clock.advance(0);
    underWay.release();
    await wallets.close();
  });
});
