import { expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { auditEntries } from '../storage/schema/audit.ts';
import { deposit, setCreditLimit } from './books.ts';
import { adjust, refund, transfer } from './movements.ts';
import { grantPromotion } from './promotions.ts';
import { alone } from './testing/people.ts';
import { wanting } from './testing/spending.ts';
import { openTestBooks } from './testing/test-books.ts';

describeOnEachDatabase('movements by hand', (openDatabase) => {
  const clock = new ManualClock();
  const books = openTestBooks(openDatabase, { clock: () => clock });
  const { balanceOf, write } = books;

  let count = 0;
  const named = (userId: number, amountNanoUsd: bigint) => {
    count += 1;
    return { userId, amountNanoUsd, businessKey: `movement ${count}` };
  };
  async function payer(paid: bigint, granted = 0n): Promise<number> {
    const userId = await books.newPerson();
    if (paid > 0n) await write((work) => deposit(work, named(userId, paid)));
    const grant = { ...named(userId, granted), name: 'Spring', expiresAt: null };
    if (granted > 0n) await write((work) => grantPromotion(work, grant));
    return userId;
  }

  /** What the audit has of a wallet, without what it began with. */
  const noted = async (userId: number): Promise<readonly string[]> => {
    const rows = await books.db.select().from(auditEntries).where(eq(auditEntries.userId, userId));
    const beginnings = ['wallet.credited', 'promotion.granted', 'wallet.credit_limit_changed'];
    return rows.map(({ action }) => action).filter((action) => !beginnings.includes(action));
  };

  test('what is paid back comes off once for each name, and at most what was paid', async () => {
    const userId = await payer(10n, 5n);
    const asked = named(userId, 7n);
    expect(await write((work) => refund(work, asked))).toBe(true);
    expect(await write((work) => refund(work, asked))).toBe(false);
    expect(await balanceOf(userId)).toBe(8n);
    // The promotion is nobody's to pay back, and credit was never paid.
    await write((work) => setCreditLimit(work, userId, 100n));
    const refused = write((work) => refund(work, named(userId, 4n)));
    await expect(refused).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('At most $0.000000003 can be refunded'),
    });
    expect(await balanceOf(userId)).toBe(8n);
    expect(await write((work) => refund(work, named(userId, 3n)))).toBe(true);
    await expect(write((work) => refund(work, named(userId, 1n)))).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await noted(userId)).toEqual(['wallet.refunded', 'wallet.refunded']);
  });

  test('what a request has set aside stays, but for what promotions pay of it', async () => {
    const [userId, toUserId] = [await payer(10n, 5n), await payer(0n)];
    const wallets = books.openWallets();
    const admission = await wallets.admit({ payerId: userId, exempt: false, budgetOf: alone(userId) });
    await admission.hold(wanting(15n));
    await expect(write((work) => refund(work, named(userId, 1n)))).rejects.toMatchObject({
      code: 'conflict',
    });
    await expect(write((work) => transfer(work, { ...named(userId, 1n), toUserId }))).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await admission.settle(0n)).toBe(0n);
    await wallets.close();
    expect(await write((work) => refund(work, named(userId, 10n)))).toBe(true);
    expect(await balanceOf(userId)).toBe(5n);
  });

  test('what one payer paid goes to another, who had no wallet', async () => {
    const [from, to] = [await payer(10n), await payer(0n)];
    const asked = { ...named(from, 4n), toUserId: to };
    expect(await write((work) => transfer(work, asked))).toBe(true);
    expect(await write((work) => transfer(work, asked))).toBe(false);
    expect([await balanceOf(from), await balanceOf(to)]).toEqual([6n, 4n]);
    await expect(write((work) => transfer(work, { ...named(from, 7n), toUserId: to }))).rejects.toMatchObject(
      { code: 'conflict' },
    );
    expect([await balanceOf(from), await balanceOf(to)]).toEqual([6n, 4n]);
    await expect(write((work) => transfer(work, { ...named(from, 1n), toUserId: from }))).rejects.toThrow(
      RangeError,
    );
    expect([await noted(from), await noted(to)]).toEqual([['wallet.transferred'], ['wallet.transferred']]);
  });

  test('a correction goes up and down, and below nothing where more was spent', async () => {
    const userId = await payer(10n);
    const asked = named(userId, 5n);
    expect(await write((work) => adjust(work, asked))).toBe(true);
    expect(await write((work) => adjust(work, asked))).toBe(false);
    expect(await write((work) => adjust(work, named(userId, -22n)))).toBe(true);
    expect(await balanceOf(userId)).toBe(-7n);
    for (const run of [adjust, refund]) {
      await expect(write((work) => run(work, named(userId, 0n)))).rejects.toThrow(RangeError);
    }
    await expect(write((work) => refund(work, named(userId, 1n)))).rejects.toMatchObject({
      message: expect.stringContaining('At most $0.00 can be refunded'),
    });
    expect(await noted(userId)).toEqual(['wallet.adjusted', 'wallet.adjusted']);
  });
});
