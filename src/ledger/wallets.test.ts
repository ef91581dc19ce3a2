import { expect, test } from 'bun:test';
import { eq, sql } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { heardAll } from '../../test/support/heard-all.ts';
import { systemClock } from '../base/clock.ts';
import { systemIds } from '../base/ids.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import type { Database, Executor } from '../storage/database.ts';
import { funds, wallets as walletRows } from '../storage/schema/ledger.ts';
import { transact } from '../storage/work.ts';
import { checkBooks } from './check.ts';
import { FundsError } from './fund.ts';
import { type Admission, Wallets } from './index.ts';
import { endHolder, fenceHolder, releaseHolder } from './lease-rows.ts';
import { alone } from './testing/people.ts';
import { readMoney } from './testing/read-money.ts';
import { SilentFeed } from './testing/silent-feed.ts';
import { holdAtOnce, patientClock, refusal, wanting } from './testing/spending.ts';
import { openTestBooks } from './testing/test-books.ts';
import { writeCharges, writeSettled } from './testing/write-charges.ts';

describeOnEachDatabase('wallets', (openDatabase, { kind }) => {
  const books = openTestBooks(openDatabase);
  const { openWallets, payerWith } = books;

  function now<Value>(value: Value | Promise<Value>): Value {
    if (value instanceof Promise) throw new Error('answered later, not at once');
    return value;
  }

  const leasedOf = async (payerId: number) => (await readMoney(books.db, payerId)).leasedNanoUsd;

  test('402 without a wallet, with what to do and without amounts in the sentence', async () => {
    const payer = await payerWith(0n);
    const error = await refusal(() => openWallets().admit(payer));
    expect(error).toMatchObject({ code: 'insufficient_funds', status: 402, retryable: false });
    expect(error.message).toContain('Top it up');
    expect(error.message).not.toMatch(/\d/);
  });

  test('an exempt payer is admitted at once, whatever it costs, and charged nothing', async () => {
    const wallets = openWallets();
    const payer = { payerId: 1, exempt: true, budgetOf: alone(1) };
    // Whether there are budgets has to be known.
    (await wallets.admit(payer)).release();
    const admission = now(wallets.admit(payer));
    expect(now(admission.hold(wanting(5_000n)))).toBe(5_000n);
    expect(now(admission.settle(5_000n))).toBe(0n);
    admission.release();
  });

  test('what is held cannot be held again, and what is settled is gone before it is written', async () => {
    const wallets = openWallets();
    const payer = await payerWith(100n);
    const first = await wallets.admit(payer);
    expect(await first.hold(wanting(60n))).toBe(60n);
    const second = await wallets.admit(payer);
    const error = await refusal(() => second.hold(wanting(60n)));
    expect(error).toMatchObject({ availableNanoUsd: 40n, heldNanoUsd: 60n, balanceNanoUsd: 100n });
    expect(await first.settle(25n)).toBe(25n);
    expect(await wallets.available(payer.payerId)).toBe(75n);
    expect(await second.hold(wanting(60n))).toBe(60n);
    second.release();
    await writeSettled(books.db, wallets, new Map([[payer.payerId, 25n]]));
    expect(await wallets.available(payer.payerId)).toBe(75n);
    expect(await books.balanceOf(payer.payerId)).toBe(75n);
  });

  test('the next request like the last one waits for nothing', async () => {
    const wallets = openWallets();
    const payer = await payerWith(1_000_000n);
    const first = await wallets.admit(payer);
    await first.hold(wanting(100n));
    const second = now(wallets.admit(payer));
    expect(now(second.hold(wanting(100n)))).toBe(100n);
    first.release();
    second.release();
  });

  test('a hold takes what is there when that is enough, and no more', async () => {
    const wallets = openWallets();
    const payer = await payerWith(100n);
    const admission = await wallets.admit(payer);
    expect(await admission.hold(wanting(1_000n, 30n))).toBe(100n);
    expect(await admission.settle(100n)).toBe(100n);
    const next = refusal(() => wallets.admit(payer));
    expect((await next).availableNanoUsd).toBe(0n);
    await writeSettled(books.db, wallets, new Map([[payer.payerId, 100n]]));
  });

  test('beyond what is fair a hold takes a quarter, so that those beside it find some', async () => {
    const wallets = openWallets();
    const payer = await payerWith(1_000n);
    const held: bigint[] = [];
    const admissions: Admission[] = [];
    for (let at = 0; at < 4; at += 1) {
      const admission = await wallets.admit(payer);
      held.push(await admission.hold(wanting(10_000n, 10n, 50n)));
      admissions.push(admission);
    }
    expect(held.every((amount) => amount >= 50n)).toBe(true);
    expect(held[0]).toBeLessThanOrEqual(250n);
    for (const admission of admissions) admission.release();
  });

  test('of requests at once exactly so many are held as the wallet pays for', async () => {
    const [one, other] = [openWallets(), openWallets()];
    const payer = await payerWith(1_000n);
    const results = await holdAtOnce(payer, {
      requests: 30,
      each: 100n,
      of: 1_000n,
      walletsAt: (at) => (at % 2 === 0 ? one : other),
    });
    const held = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(held).toHaveLength(10);
    for (const { admission } of held) expect(await admission.settle(100n)).toBe(100n);
    for (const wallets of [one, other]) {
      const charged = wallets.holderId === undefined ? 0n : -(await settledOf(wallets, payer.payerId));
      if (charged !== 0n) await writeSettled(books.db, wallets, new Map([[payer.payerId, -charged]]));
    }
    expect(await books.balanceOf(payer.payerId)).toBe(0n);
  });

  async function settledOf(wallets: Wallets, payerId: number): Promise<bigint> {
    const stored = await books.balanceOf(payerId);
    return stored - (await wallets.available(payerId));
  }

  test('what another process has free comes when it is asked for', async () => {
    const [one, other] = [openWallets(), openWallets(patientClock)];
    const payer = await payerWith(1_000n);
    const first = await one.admit(payer);
    expect(await first.hold(wanting(900n))).toBe(900n);
    first.release();
    expect(await leasedOf(payer.payerId)).toBeGreaterThanOrEqual(900n);
    const second = await other.admit(payer);
    expect(await second.hold(wanting(800n))).toBe(800n);
    second.release();
  });

  test('what another process has free comes to all who ask for it at once', async () => {
    const [one, other] = [openWallets(), openWallets(patientClock)];
    const payer = await payerWith(100n);
    // All of it is leased there, and nothing held.
    const before = await one.admit(payer);
    await before.hold(wanting(100n));
    before.release();
    const first = await other.admit(payer);
    const second = await other.admit(payer);
    expect(await Promise.all([first.hold(wanting(40n)), second.hold(wanting(40n))])).toEqual([40n, 40n]);
    first.release();
    second.release();
  });

  test('what nobody used for two seconds is given back, and all of it at the end', async () => {
    const clock = new ManualClock();
    const wallets = openWallets(clock);
    const payer = await payerWith(1_000n);
    (await wallets.admit(payer)).release();
    expect(await leasedOf(payer.payerId)).toBeGreaterThan(0n);
    await clock.advance(4_000);
    while ((await leasedOf(payer.payerId)) > 0n) await clock.advance(1_000);
    (await wallets.admit(payer)).release();
    await wallets.close();
    expect(await leasedOf(payer.payerId)).toBe(0n);
    const { rows } = await books.db.execute(sql`SELECT FROM lease_holders WHERE id = ${wallets.holderId}`);
    expect(rows).toEqual([]);
  });

  test('what a request waits for is not given back before the request has seen it', async () => {
    const clock = new ManualClock();
    const wallets = openWallets(clock);
    const payer = await payerWith(100n);
    const admission = await wallets.admit(payer);
    expect((await refusal(() => admission.hold(wanting(1_000n, 150n)))).availableNanoUsd).toBe(100n);
    const closer = admission.hold(wanting(1_000n, 30n));
    await clock.advance(1_000);
    expect(await closer).toBe(100n);
    admission.release();
  });

  test('a cost above its hold is charged as far as there is money, and not below the floor', async () => {
    const wallets = openWallets();
    const payer = await payerWith(100n);
    const admission = await wallets.admit(payer);
    await admission.hold(wanting(40n));
    expect(await admission.settle(70n)).toBe(70n);
    const last = await wallets.admit(payer);
    expect(await last.settle(70n)).toBe(30n);
    await writeSettled(books.db, wallets, new Map([[payer.payerId, 100n]]));
    expect(await books.balanceOf(payer.payerId)).toBe(0n);
  });

  test('a cost above its hold is charged also from what another process has free', async () => {
    const [one, other] = [openWallets(patientClock), openWallets(patientClock)];
    const payer = await payerWith(1_000n);
    const first = await one.admit(payer);
    await first.hold(wanting(10n));
    const second = await other.admit(payer);
    await second.hold(wanting(900n));
    second.release();
    expect(await first.settle(700n)).toBe(700n);
    await writeSettled(books.db, one, new Map([[payer.payerId, 700n]]));
  });

  test('a payer with credit spends down to minus its limit', async () => {
    const wallets = openWallets();
    const payer = await payerWith(10n);
    const [row] = await books.db.select().from(walletRows).where(eq(walletRows.userId, payer.payerId));
    await books.db
      .update(funds)
      .set({ floorNanoUsd: -90n })
      .where(eq(funds.id, row?.fundId ?? -1));
    const admission = await wallets.admit(payer);
    expect(await admission.hold(wanting(1_000n, 1n))).toBe(100n);
    expect(await admission.settle(100n)).toBe(100n);
    await writeSettled(books.db, wallets, new Map([[payer.payerId, 100n]]));
    expect(await wallets.available(payer.payerId)).toBe(-90n);
  });

  test('nothing is refused from memory once all may have changed, as when the database was away', async () => {
    const changes = new SilentFeed();
    const clock = new ManualClock();
    const wallets = openWallets(clock, changes);
    const [without, spent] = [await payerWith(0n), await payerWith(10n)];
    await (await wallets.admit(spent)).settle(10n);
    for (const payer of [without, spent]) {
      await refusal(() => wallets.admit(payer));
      const more = { userId: payer.payerId, amountNanoUsd: 5n, businessKey: `unheard of ${payer.payerId}` };
      await transact({ storage: books.storage, clock, ids: systemIds }, (work) =>
        wallets.deposit(work, more),
      );
      await refusal(() => wallets.admit(payer));
    }
    const named = await payerWith(0n);
    await refusal(() => wallets.admit(named));
    const first = { userId: named.payerId, amountNanoUsd: 5n, businessKey: `heard of ${named.payerId}` };
    await transact({ storage: books.storage, clock, ids: systemIds }, (work) => wallets.deposit(work, first));
    changes.tell('wallet', String(named.payerId));
    (await wallets.admit(named)).release();
    await refusal(() => wallets.admit(without));
    changes.tell('wallet');
    for (const payer of [without, spent]) {
      const next = await wallets.admit(payer);
      expect(await next.hold(wanting(5n))).toBe(5n);
      next.release();
    }
    await writeSettled(books.db, wallets, new Map([[spent.payerId, 10n]]));
  });

  test('a refusal is repeated from memory for a moment, until money comes', async () => {
    const clock = new ManualClock();
    const wallets = openWallets(clock);
    const payer = await payerWith(10n);
    const admission = await wallets.admit(payer);
    await admission.settle(10n);
    await refusal(() => wallets.admit(payer));
    expect(() => wallets.admit(payer)).toThrow(FundsError);
    await transact({ storage: books.storage, clock, ids: systemIds }, (work) =>
      wallets.deposit(work, {
        userId: payer.payerId,
        amountNanoUsd: 5n,
        businessKey: `more ${payer.payerId}`,
      }),
    );
    await heardAll(books.storage);
    const next = await wallets.admit(payer);
    expect(await next.hold(wanting(5n))).toBe(5n);
    next.release();
    await writeSettled(books.db, wallets, new Map([[payer.payerId, 10n]]));
  });

  test('what was refused because another request held all of it can be had once that one gave it back', async () => {
    const clock = new ManualClock();
    const wallets = openWallets(clock);
    const payer = await payerWith(100n);
    const [first, second] = [await wallets.admit(payer), await wallets.admit(payer)];
    await first.hold(wanting(100n));
    await refusal(() => second.hold(wanting(100n, 50n)));
    second.release();
    first.release();
    await clock.advance(4_000);
    while ((await leasedOf(payer.payerId)) > 0n) await clock.advance(1_000);
    const third = await wallets.admit(payer);
    expect(await third.hold(wanting(100n))).toBe(100n);
    third.release();
  });

  test('a holder that died gets its charges written, then its leases come back', async () => {
    const dead = openWallets();
    const payer = await payerWith(1_000n);
    const admission = await dead.admit(payer);
    await admission.hold(wanting(600n));
    expect(await admission.settle(200n)).toBe(200n);
    const holderId = dead.holderId ?? -1;
    await fenceHolder(books.db, holderId, Date.now());
    await writeCharges(books.db, new Map([[payer.payerId, 200n]]), holderId);
    expect(await checkBooks(books.db)).toEqual([]);
    await endHolder(books.db, holderId);
    expect(await readMoney(books.db, payer.payerId)).toMatchObject({
      balanceNanoUsd: 800n,
      leasedNanoUsd: 0n,
    });
  });

  test('charges that wait for leases that are being taken away come off the balance alone', async () => {
    const wallets = openWallets();
    const payer = await payerWith(1_000n);
    const admission = await wallets.admit(payer);
    await admission.hold(wanting(600n));
    expect(await admission.settle(200n)).toBe(200n);
    const holderId = wallets.holderId ?? -1;
    let writing: Promise<void> | undefined;
    await books.db.transaction(async (transaction) => {
      await releaseHolder(transaction, holderId, Date.now());
      writing = writeCharges(books.db, new Map([[payer.payerId, 200n]]), holderId);
      while (kind === 'postgres' && (await waitingForLocks(books.db)) === 0);
    });
    await writing;
    expect(await readMoney(books.db, payer.payerId)).toMatchObject({
      balanceNanoUsd: 800n,
      leasedNanoUsd: 0n,
    });
  });

  async function waitingForLocks(executor: Executor): Promise<number> {
    const { rows } = await executor.execute<{ count: number }>(sql`
      SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`);
    return rows[0]?.count ?? 0;
  }

  test('whoever asks while a lease cannot be had is told to come again', async () => {
    const payer = await payerWith(1_000n);
    const db: Database = Object.assign(Object.create(books.db), {
      execute: () => Promise.reject(new Error('deadlock detected')),
    });
    const wallets = new Wallets({ db, changes: books.storage.changes, clock: systemClock });
    const refused = await Promise.resolve(wallets.admit(payer)).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'database_unavailable', status: 503, retryAfterSeconds: 5 });
  });

  test('a process that has stopped leases nothing more', async () => {
    const wallets = openWallets();
    const payer = await payerWith(1_000n);
    await wallets.register();
    await wallets.close();
    const refused = Promise.resolve(wallets.admit(payer)).catch((error: unknown) => error);
    expect(await refused).toMatchObject({ code: 'shutting_down', status: 503 });
    expect(await leasedOf(payer.payerId)).toBe(0n);
  });

  test('a process that was fenced and lives goes on as another holder', async () => {
    const wallets = openWallets();
    const payer = await payerWith(1_000n);
    (await wallets.admit(payer)).release();
    const before = wallets.holderId ?? -1;
    await fenceHolder(books.db, before, Date.now());
    await endHolder(books.db, before);
    const admission = await wallets.admit(payer);
    expect(await admission.hold(wanting(900n))).toBe(900n);
    expect(wallets.holderId).not.toBe(before);
    admission.release();
  });
});
