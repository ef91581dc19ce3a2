/** What is told of a wallet, of its budgets and of who has leases; and what becomes of a charge that is never stored. */
import { expect, test } from 'bun:test';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { setCreditLimit } from './books.ts';
import { listBudgets, setBudget } from './budgets.ts';
import { fenceHolder, listHolders, releaseHolder } from './lease-rows.ts';
import { readMoney } from './testing/read-money.ts';
import { refusal, wanting } from './testing/spending.ts';
import { openTestBooks } from './testing/test-books.ts';
import { leasedOf, writeSettled } from './testing/write-charges.ts';
import type { Payer } from './wallets.ts';

describeOnEachDatabase('what is told of money', (openDatabase) => {
  const clock = new ManualClock(Date.UTC(2030, 0, 1, 12));
  const books = openTestBooks(openDatabase, { clock: () => clock });
  const { openWallets, payerWith } = books;

  const limit = ({ budgetOf }: Payer, period: 'daily' | 'total', limitNanoUsd: bigint) =>
    books.write((work) =>
      setBudget(work, {
        subject: { kind: 'key', id: budgetOf.keyId },
        period,
        limitNanoUsd,
        managedBy: null,
      }),
    );

  test('a wallet has what the books say less what is not written yet, and beside it what is held and may be owed', async () => {
    const wallets = openWallets();
    const payer = await payerWith(100n);
    await books.write((work) => setCreditLimit(work, payer.payerId, 30n));
    const state = () => wallets.stateOf(payer.payerId);
    expect(await state()).toEqual({ balanceNanoUsd: 100n, heldNanoUsd: 0n, creditLimitNanoUsd: 30n });
    const [first, second] = [await wallets.admit(payer), await wallets.admit(payer)];
    await first.hold(wanting(60n));
    await second.hold(wanting(40n));
    expect(await first.settle(25n)).toBe(25n);
    expect(await state()).toEqual({ balanceNanoUsd: 75n, heldNanoUsd: 40n, creditLimitNanoUsd: 30n });
    expect([await wallets.available(payer.payerId), wallets.held(payer.payerId)]).toEqual([75n, 40n]);
    await writeSettled(books.db, wallets, new Map([[payer.payerId, 25n]]));
    expect(await state()).toMatchObject({ balanceNanoUsd: 75n, heldNanoUsd: 40n });
    second.release();
    const { payerId } = await payerWith(0n);
    const nothing = { balanceNanoUsd: 0n, heldNanoUsd: 0n, creditLimitNanoUsd: 0n };
    expect(await wallets.stateOf(payerId)).toEqual(nothing);
    expect([await wallets.available(payerId), wallets.held(payerId)]).toEqual([0n, 0n]);
  });

  test('budgets are told as they stand now, those of the caller alone, and those of which nothing was used', async () => {
    const wallets = openWallets();
    const [payer, other] = [await payerWith(100n), await payerWith(100n)];
    await limit(payer, 'daily', 50n);
    await limit(payer, 'total', 500n);
    await limit(other, 'daily', 5n);
    const admission = await wallets.admit(payer);
    await admission.hold(wanting(20n));
    const told = (await wallets.budgetsOf(payer.budgetOf)).map(
      ({ id: _id, subject: _subject, ...each }) => each,
    );
    const [daily] = told;
    expect(told).toMatchObject([
      { period: 'daily', limitNanoUsd: 50n, spentNanoUsd: 0n, resetsAtMs: Date.UTC(2030, 0, 2) },
      { period: 'total', limitNanoUsd: 500n, spentNanoUsd: 0n, resetsAtMs: null },
    ]);
    // What this process has leased of it is held, whoever of its requests will need it.
    expect(daily?.heldNanoUsd).toBeGreaterThanOrEqual(20n);
    expect((daily?.leftNanoUsd ?? 0n) + (daily?.heldNanoUsd ?? 0n)).toBe(50n);
    admission.release();
    expect(await wallets.budgetsOf(other.budgetOf)).toMatchObject([
      { limitNanoUsd: 5n, spentNanoUsd: 0n, heldNanoUsd: 0n, leftNanoUsd: 5n },
    ]);
  });

  test('whoever sets a budget again is told whether that changed its limit or who manages it', async () => {
    const subject = { kind: 'key', id: (await payerWith(1n)).payerId } as const;
    const setAgain = (limitNanoUsd: bigint, managedBy: string | null) =>
      books.write((work) => setBudget(work, { subject, period: 'total', limitNanoUsd, managedBy }));
    expect(await setAgain(5n, null)).toBe(true);
    expect(await setAgain(5n, null)).toBe(false);
    expect(await setAgain(6n, null)).toBe(true);
    expect(await setAgain(6n, 'file')).toBe(true);
    expect(await setAgain(6n, 'file')).toBe(false);
    expect(await listBudgets(books.db, clock.nowMs(), [subject])).toMatchObject([
      { limitNanoUsd: 6n, managedBy: 'file' },
    ]);
    await expect(setAgain(-1n, null)).rejects.toThrow(RangeError);
  });

  test('a charge that is never stored can be spent again, of the wallet and of budgets', async () => {
    const wallets = openWallets();
    const payer = await payerWith(100n);
    await limit(payer, 'total', 100n);
    const lost = await wallets.admit(payer);
    await lost.hold(wanting(100n));
    expect(await lost.settle(100n)).toBe(100n);
    await refusal(() => wallets.admit(payer));
    expect(await wallets.available(payer.payerId)).toBe(0n);
    wallets.writeOff(payer.payerId, 100n, leasedOf(lost.spentOfBudgets));
    expect(await wallets.available(payer.payerId)).toBe(100n);
    const again = await wallets.admit(payer);
    expect(await again.hold(wanting(100n))).toBe(100n);
    again.release();
    // Of one who was never here there is nothing to write off.
    wallets.writeOff(-1, 5n);
  });

  test('who has leases is told with what they have not spent, since when they were seen, and whether they were fenced', async () => {
    const wallets = openWallets();
    const payer = await payerWith(1_000n);
    const admission = await wallets.admit(payer);
    await admission.hold(wanting(600n));
    expect(await admission.settle(150n)).toBe(150n);
    await writeSettled(books.db, wallets, new Map([[payer.payerId, 150n]]));
    const id = wallets.holderId ?? -1;
    const told = async () => (await listHolders(books.db)).find((holder) => holder.id === id);
    const { leasedNanoUsd } = await readMoney(books.db, payer.payerId);
    expect(leasedNanoUsd).toBeGreaterThanOrEqual(450n);
    expect(await told()).toMatchObject({ fencedAt: null, leasedNanoUsd });
    // By the database's clock, which is years behind this one.
    expect((await told())?.seenAt.getTime()).toBeLessThan(clock.nowMs());
    const fencedAt = new Date(clock.nowMs());
    await fenceHolder(books.db, id, clock.nowMs());
    await clock.advance(1_000);
    await fenceHolder(books.db, id, clock.nowMs());
    expect(await told()).toMatchObject({ fencedAt });
    await releaseHolder(books.db, id, clock.nowMs());
    expect(await told()).toBeUndefined();
  });
});
