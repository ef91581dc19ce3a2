import { afterAll, beforeAll, expect, test } from 'bun:test';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { AppError } from '../base/errors.ts';
import { systemIds } from '../base/ids.ts';
import { clockShowing } from '../base/testing/manual-clock.ts';
import { everyKey } from '../storage/change-feed.ts';
import { users } from '../storage/schema/identity.ts';
import { wallets as walletRows } from '../storage/schema/ledger.ts';
import type { Storage } from '../storage/storage.ts';
import { transact } from '../storage/work.ts';
import { type Admission, Wallets } from './index.ts';
import { answerLost, type ChargeOrder, rolledBack, takeCharges } from './testing/take-charges.ts';
import { readWallet } from './wallet-rows.ts';

describeOnEachDatabase('wallets', (openDatabase) => {
  let storage: Storage;
  let nowMs = 1_000_000;
  const clock = clockShowing(() => nowMs);
  beforeAll(async () => {
    storage = await openDatabase();
  });
  afterAll(() => storage.close());

  const deposited = (wallets: Wallets, deposit: Parameters<Wallets['deposit']>[1]) =>
    transact({ storage, clock, ids: systemIds }, (work) => wallets.deposit(work, deposit));

  const openWallets = (maxAccounts?: number) =>
    new Wallets({ db: storage.db, changes: storage.changes, clock, ...(maxAccounts && { maxAccounts }) });

  let count = 0;
  async function newPayer(): Promise<{ payerId: number; exempt: false }> {
    count += 1;
    const [row] = await storage.db
      .insert(users)
      .values({ email: `payer-${count}@example.test`, role: 'member' })
      .returning();
    if (row === undefined) throw new Error('no row');
    return { payerId: row.id, exempt: false };
  }

  /** Deposits, and waits until whoever listens has heard of it. */
  async function deposit(wallets: Wallets, payerId: number, amountNanoUsd: bigint, businessKey?: string) {
    const heard = new Promise<void>((resolve) => {
      const stop = storage.changes.subscribe('wallet', (key) => {
        if (key !== String(payerId)) return;
        stop();
        resolve();
      });
    });
    const key = businessKey ?? `deposit ${payerId} ${Math.random()}`;
    expect(await deposited(wallets, { userId: payerId, amountNanoUsd, businessKey: key })).toBe(true);
    await heard;
  }

  async function fundedPayer(wallets: Wallets, amountNanoUsd: bigint) {
    const payer = await newPayer();
    await deposit(wallets, payer.payerId, amountNanoUsd);
    return payer;
  }

  const storedBalance = async (payerId: number) => (await readWallet(storage.db, payerId)).balanceNanoUsd;

  function now<Value>(value: Value | Promise<Value>): Value {
    if (value instanceof Promise) throw new Error('answered later, not at once');
    return value;
  }

  const charge = (wallets: Wallets, order: ChargeOrder): Promise<void> =>
    takeCharges(storage.db, wallets, order);

  async function refusal(attempt: () => Admission | Promise<Admission>): Promise<AppError> {
    try {
      await attempt();
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
    throw new Error('was admitted');
  }

  test('402 without a wallet, with what to do and without amounts', async () => {
    const payer = await newPayer();
    const error = await refusal(() => openWallets().admit(payer));
    expect(error).toMatchObject({ code: 'insufficient_funds', status: 402, retryable: false });
    expect(error.message).toContain('Top it up');
    expect(error.message).not.toMatch(/\d/);
  });

  test('a refusal repeats at once while the balance is fresh', async () => {
    const wallets = openWallets();
    const payer = await newPayer();
    await refusal(() => wallets.admit(payer));
    expect(() => wallets.admit(payer)).toThrow(AppError);
  });

  test('an exempt payer is admitted at once and charged nothing', async () => {
    const payer = { ...(await newPayer()), exempt: true };
    const admission = now(openWallets().admit(payer));
    expect(admission.settle(5_000n)).toBe(0n);
    admission.release();
    expect(await storedBalance(payer.payerId)).toBe(0n);
  });

  test('a warm payer is admitted at once', async () => {
    const wallets = openWallets();
    const payer = await fundedPayer(wallets, 100n);
    expect(wallets.admit(payer)).toBeInstanceOf(Promise);
    (await wallets.admit(payer)).release();
    now(wallets.admit(payer)).release();
  });

  test('what is settled is gone at once, before it is posted', async () => {
    const wallets = openWallets();
    const payer = await fundedPayer(wallets, 100n);
    expect((await wallets.admit(payer)).settle(60n)).toBe(60n);
    expect(now(wallets.available(payer.payerId))).toBe(40n);
    expect(now(wallets.admit(payer)).settle(60n)).toBe(60n);
    expect(now(wallets.available(payer.payerId))).toBe(-20n);
    expect(() => wallets.admit(payer)).toThrow('no money left');
    expect(await storedBalance(payer.payerId)).toBe(100n);
  });

  test('an admission ends once', async () => {
    const wallets = openWallets();
    const payer = await fundedPayer(wallets, 100n);
    const admission = await wallets.admit(payer);
    expect(() => admission.settle(-1n)).toThrow(RangeError);
    admission.settle(1n);
    admission.release();
    admission.release();
    expect(() => admission.settle(1n)).toThrow('ended already');
    expect(now(wallets.available(payer.payerId))).toBe(99n);
  });

  test('a deposit happens once a business key, also when asked for at the same time', async () => {
    const wallets = openWallets();
    const { payerId } = await newPayer();
    const deposit = { userId: payerId, amountNanoUsd: 70n, businessKey: `payment ${payerId}` };
    const happened = await Promise.all([1, 2, 3].map(() => deposited(wallets, deposit)));
    expect(happened.filter(Boolean)).toHaveLength(1);
    expect(await deposited(wallets, { ...deposit, amountNanoUsd: 1n })).toBe(false);
    expect(await storedBalance(payerId)).toBe(70n);
    await expect(deposited(wallets, { ...deposit, amountNanoUsd: 0n })).rejects.toThrow(RangeError);
  });

  test('a deposit is heard of at once by a payer who was just refused', async () => {
    const wallets = openWallets();
    const payer = await newPayer();
    await refusal(() => wallets.admit(payer));
    await deposit(wallets, payer.payerId, 10n);
    (await wallets.admit(payer)).release();
  });

  test('a refusal is never given on an old balance', async () => {
    const wallets = openWallets();
    const payer = await newPayer();
    await refusal(() => wallets.admit(payer));
    await storage.db.insert(walletRows).values({ userId: payer.payerId, balanceNanoUsd: 10n });
    expect(() => wallets.admit(payer)).toThrow('no money left');
    nowMs += 2_000;
    (await wallets.admit(payer)).release();
  });

  test('an old balance admits at once and is read again meanwhile', async () => {
    const [here, elsewhere] = [openWallets(), openWallets()];
    const payer = await fundedPayer(here, 100n);
    (await here.admit(payer)).release();
    await charge(elsewhere, { charges: new Map([[payer.payerId, 100n]]), settled: new Map() });
    nowMs += 1_999;
    now(here.admit(payer)).release();
    await storage.ping();
    nowMs += 1;
    const error = await refusal(async () => {
      for (;;) {
        now(here.admit(payer)).release();
        await storage.ping();
      }
    });
    expect(error.code).toBe('insufficient_funds');
  });

  test('a posting moves the stored balance and leaves what is available', async () => {
    const wallets = openWallets();
    const [one, two] = [await fundedPayer(wallets, 100n), await fundedPayer(wallets, 200n)];
    (await wallets.admit(one)).settle(30n);
    (await wallets.admit(two)).settle(50n);
    const charges = new Map([
      [two.payerId, 50n],
      [one.payerId, 30n],
    ]);
    await charge(wallets, { charges });
    expect([await storedBalance(one.payerId), await storedBalance(two.payerId)]).toEqual([70n, 150n]);
    expect([now(wallets.available(one.payerId)), now(wallets.available(two.payerId))]).toEqual([70n, 150n]);
    nowMs += 2_000;
    expect(await wallets.available(one.payerId)).toBe(70n);
  });

  test('a posting that rolls back leaves everything as it was', async () => {
    const wallets = openWallets();
    const payer = await fundedPayer(wallets, 100n);
    (await wallets.admit(payer)).settle(30n);
    const charges = new Map([[payer.payerId, 30n]]);
    await expect(charge(wallets, { charges, end: 'roll back' })).rejects.toBe(rolledBack);
    expect(await storedBalance(payer.payerId)).toBe(100n);
    expect(now(wallets.available(payer.payerId))).toBe(70n);
    nowMs += 2_000;
    expect(await wallets.available(payer.payerId)).toBe(70n);
    await charge(wallets, { charges });
    nowMs += 2_000;
    expect(await wallets.available(payer.payerId)).toBe(70n);
    expect(await storedBalance(payer.payerId)).toBe(70n);
  });

  test('a commit whose answer was lost is not charged again by the retry', async () => {
    const wallets = openWallets();
    const payer = await fundedPayer(wallets, 100n);
    (await wallets.admit(payer)).settle(30n);
    const charges = new Map([[payer.payerId, 30n]]);
    await expect(charge(wallets, { charges, end: 'lose the answer' })).rejects.toBe(answerLost);
    nowMs += 2_000;
    expect(await wallets.available(payer.payerId)).toBe(40n);
    await charge(wallets, { charges: new Map(), settled: charges });
    expect(now(wallets.available(payer.payerId))).toBe(70n);
  });

  test('a commit whose answer was lost is found out by the retry, without waiting for a reading', async () => {
    const wallets = openWallets();
    const payer = await fundedPayer(wallets, 100n);
    (await wallets.admit(payer)).settle(30n);
    const charges = new Map([[payer.payerId, 30n]]);
    await expect(charge(wallets, { charges, end: 'lose the answer' })).rejects.toBe(answerLost);
    await charge(wallets, { charges: new Map(), settled: charges });
    expect(await wallets.available(payer.payerId)).toBe(70n);
  });

  test('charges replayed for a process that is gone are not taken off what this one settled', async () => {
    const wallets = openWallets();
    const payer = await fundedPayer(wallets, 100n);
    (await wallets.admit(payer)).settle(30n);
    await charge(wallets, { charges: new Map([[payer.payerId, 5n]]), settled: new Map() });
    expect(now(wallets.available(payer.payerId))).toBe(65n);
    expect(await storedBalance(payer.payerId)).toBe(95n);
  });

  test('a charge without a wallet is owed, and a negative one is refused', async () => {
    const wallets = openWallets();
    const { payerId } = await newPayer();
    await charge(wallets, { charges: new Map([[payerId, 5n]]) });
    expect(await storedBalance(payerId)).toBe(-5n);
    await expect(charge(wallets, { charges: new Map([[payerId, -5n]]) })).rejects.toThrow(RangeError);
  });

  test('a posting that the database refuses leaves what is available', async () => {
    const wallets = openWallets();
    const payer = await fundedPayer(wallets, 100n);
    (await wallets.admit(payer)).settle(30n);
    const nobody = 999_999_999;
    const charges = new Map([
      [payer.payerId, 30n],
      [nobody, 1n],
    ]);
    await expect(charge(wallets, { charges })).rejects.toThrow();
    await deposit(wallets, payer.payerId, 5n);
    expect(await wallets.available(payer.payerId)).toBe(75n);
  });

  test('a charge that is written off can be spent again', async () => {
    const wallets = openWallets();
    const payer = await fundedPayer(wallets, 100n);
    (await wallets.admit(payer)).settle(30n);
    (await wallets.admit(payer)).settle(20n);
    expect(await wallets.available(payer.payerId)).toBe(50n);
    wallets.writeOff(payer.payerId, 30n);
    expect(await wallets.available(payer.payerId)).toBe(80n);
    expect(await storedBalance(payer.payerId)).toBe(100n);
  });

  test('batches of several processes that share payers do not lock each other out', async () => {
    const payers = [await newPayer(), await newPayer(), await newPayer(), await newPayer()];
    const forwards = new Map(payers.map(({ payerId }) => [payerId, 1n]));
    const backwards = new Map([...forwards].reverse());
    const rounds = Array.from({ length: 40 }, (_, round) => (round % 2 ? forwards : backwards));
    await Promise.all(rounds.map((charges) => charge(openWallets(), { charges })));
    for (const { payerId } of payers) expect(await storedBalance(payerId)).toBe(-40n);
  });

  test('a payer with something pending is never forgotten, others are', async () => {
    const wallets = openWallets(1);
    const [busy, idle, last] = [
      await fundedPayer(wallets, 100n),
      await fundedPayer(wallets, 100n),
      await fundedPayer(wallets, 100n),
    ];
    (await wallets.admit(busy)).settle(30n);
    const open = await wallets.admit(idle);
    (await wallets.admit(last)).release();
    open.settle(10n);
    expect(now(wallets.available(busy.payerId))).toBe(70n);
    expect(now(wallets.available(idle.payerId))).toBe(90n);
    expect(wallets.available(last.payerId)).toBeInstanceOf(Promise);
  });

  test('when everything may have changed, everything is read again', async () => {
    const wallets = openWallets();
    const payer = await newPayer();
    await refusal(() => wallets.admit(payer));
    await storage.db.insert(walletRows).values({ userId: payer.payerId, balanceNanoUsd: 10n });
    const heard = new Promise<void>((resolve) => {
      storage.changes.subscribe('wallet', (key) => key === everyKey && resolve());
    });
    await storage.changes.publish(storage.db, 'wallet', everyKey);
    await heard;
    (await wallets.admit(payer)).release();
  });
});

describeOnEachDatabase('wallets without their database', (openDatabase) => {
  test('go on from memory, and never take an unknown payer for a broke one', async () => {
    const storage = await openDatabase();
    let nowMs = 0;
    const clock = clockShowing(() => nowMs);
    const wallets = new Wallets({ db: storage.db, changes: storage.changes, clock });
    const [row] = await storage.db
      .insert(users)
      .values({ email: 'a@example.test', role: 'member' })
      .returning();
    const payer = { payerId: row?.id ?? 0, exempt: false };
    const deposit = { userId: payer.payerId, amountNanoUsd: 10n, businessKey: 'one' };
    await transact({ storage, clock, ids: systemIds }, (work) => wallets.deposit(work, deposit));
    (await wallets.admit(payer)).release();
    await storage.close();
    nowMs += 10_000;
    const admission = wallets.admit(payer);
    expect(admission).not.toBeInstanceOf(Promise);
    const unknown = Promise.resolve(wallets.admit({ payerId: payer.payerId + 1, exempt: false }));
    const error: unknown = await unknown.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(AppError);
  });
});
