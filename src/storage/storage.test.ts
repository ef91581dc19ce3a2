/** What rules rely on, whichever database they run on. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { eq, sql } from 'drizzle-orm';
import { describeOnEachDatabase, type TestDatabase } from '../../test/support/databases.ts';
import { systemIds } from '../base/ids.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { everyKey } from './change-feed.ts';
import type { Executor } from './database.ts';
import { type MigrationReport, readPendingMigrations } from './migrations.ts';
import { models, providers } from './schema/catalogue.ts';
import { users } from './schema/identity.ts';
import { funds } from './schema/ledger.ts';
import { databaseErrorCode } from './storage-error.ts';
import { transact } from './work.ts';

describeOnEachDatabase('storage', (openDatabase, { kind }) => {
  let storage: TestDatabase;
  let pendingAtFirst: readonly string[];
  let reports: readonly MigrationReport[];

  beforeAll(async () => {
    storage = await openDatabase({ migrated: false });
    pendingAtFirst = await storage.pendingMigrations();
    reports = [await storage.migrate(), await storage.migrate()];
  });
  afterAll(() => storage.close());
  beforeEach(async () => {
    await storage.db.delete(users);
  });

  const addUser = async (executor: Executor, email: string): Promise<number> => {
    const [row] = await executor.insert(users).values({ email, role: 'member' }).returning({ id: users.id });
    return row?.id ?? 0;
  };
  const emails = async () => {
    const rows = await storage.db.select({ email: users.email }).from(users).orderBy(users.email);
    return rows.map(({ email }) => email);
  };

  test('migrations are applied once, and then none waits', async () => {
    expect(pendingAtFirst).toContain('0000_first');
    expect(reports[0]?.applied).toEqual(pendingAtFirst);
    expect(reports[1]?.applied).toEqual([]);
    expect(reports[1]?.current).toBe(pendingAtFirst.at(-1) ?? '');
    expect(await storage.pendingMigrations()).toEqual([]);
  });

  test('a database with migrations that the code does not know is refused in one line', async () => {
    await storage.db.execute(
      sql`INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ('of the future', 99999999999999)`,
    );
    const message = /^The database is newer than this version of Sluice: it has 1 migration that .*\.$/;
    try {
      await expect(storage.migrate()).rejects.toMatchObject({ code: 'newer_than_code' });
      await expect(storage.pendingMigrations()).rejects.toThrow(message);
    } finally {
      await storage.db.execute(sql`DELETE FROM drizzle.__drizzle_migrations WHERE hash = 'of the future'`);
    }
    expect(await readPendingMigrations(storage.db)).toEqual([]);
  });

  test.each([9_007_199_254_740_993n, 9_223_372_036_854_775_807n, -9_223_372_036_854_775_808n, 0n])(
    'the amount %p comes back exactly, typed and raw',
    async (amount) => {
      await storage.db.delete(funds);
      await storage.db.insert(funds).values({ balanceNanoUsd: amount });
      expect(await storage.db.select().from(funds)).toMatchObject([{ balanceNanoUsd: amount }]);
      const {
        rows: [raw],
      } = await storage.db.execute(sql`SELECT balance_nano_usd AS balance FROM funds`);
      expect(raw?.['balance']).toBe(String(amount));
      expect(await storage.db.select().from(funds).where(eq(funds.balanceNanoUsd, amount))).toHaveLength(1);
    },
  );

  test('lists, times, documents and nulls come back as they were written', async () => {
    const createdAt = new Date('2026-02-03T04:05:06.789Z');
    const model = { publicId: 'm', type: 'chat', ownedBy: 'o', capabilities: ['a,"b"', '{c}', 'd e', ''] };
    await storage.db.transaction(async (transaction) => {
      await transaction.insert(models).values({ ...model, createdAt, contextWindow: null });
      const [written] = await transaction.select().from(models);
      expect(written).toMatchObject({ ...model, createdAt, contextWindow: null });
      const settings = { list: [1, null], text: '"quoted"' };
      await transaction.insert(providers).values({ name: 'p', kind: 'openai', settings });
      expect(await transaction.select().from(providers)).toMatchObject([{ settings, region: null }]);
      await transaction.delete(models);
      await transaction.delete(providers);
    });
  });

  test('a rejected transaction leaves nothing, and its error reaches the caller', async () => {
    const undone = storage.db.transaction(async (transaction) => {
      await addUser(transaction, 'undone@example.test');
      throw new RangeError('no');
    });
    await expect(undone).rejects.toBeInstanceOf(RangeError);
    expect(await emails()).toEqual([]);
  });

  test('an inner transaction is undone alone', async () => {
    await storage.db.transaction(async (transaction) => {
      await addUser(transaction, 'outer@example.test');
      const inner = transaction.transaction(async (nested) => {
        await addUser(nested, 'inner@example.test');
        throw new RangeError('no');
      });
      await expect(inner).rejects.toBeInstanceOf(RangeError);
    });
    expect(await emails()).toEqual(['outer@example.test']);
  });

  test('the transaction cannot be used after its end', async () => {
    const kept = await storage.db.transaction(async (transaction) => transaction);
    await expect(addUser(kept, 'late@example.test')).rejects.toThrow();
    expect(await emails()).toEqual([]);
  });

  test('statements and transactions at the same time keep apart', async () => {
    const numbers = Array.from({ length: 60 }, (_, number) => number);
    const work = numbers.map((number) => {
      const email = `${String(number).padStart(2, '0')}@example.test`;
      if (number % 3 === 0) return addUser(storage.db, email);
      return storage.db
        .transaction(async (transaction) => {
          await addUser(transaction, email);
          await transaction.execute(sql`SELECT 1`);
          if (number % 3 === 1) throw new RangeError('undo');
        })
        .catch(() => undefined);
    });
    await Promise.all(work);
    const kept = numbers.filter((number) => number % 3 !== 1);
    expect(await emails()).toEqual(kept.map((number) => `${String(number).padStart(2, '0')}@example.test`));
  });

  test('an error tells its SQLSTATE', async () => {
    await addUser(storage.db, 'twice@example.test');
    const error: unknown = await addUser(storage.db, 'twice@example.test').catch((thrown: unknown) => thrown);
    expect(databaseErrorCode(error)).toBe('23505');
  });

  test('a change is told after its commit, with what it changed already there', async () => {
    const heard: string[] = [];
    const done = Promise.withResolvers<void>();
    const stop = storage.changes.subscribe('people', (key) => {
      heard.push(key);
      done.resolve();
    });
    await storage.db.transaction(async (transaction) => {
      await addUser(transaction, 'seen@example.test');
      await storage.changes.publish(transaction, 'people', 'seen');
      await transaction.execute(sql`SELECT 1`);
      expect(heard).toEqual([]);
    });
    await done.promise;
    expect(heard).toEqual(['seen']);
    expect(await emails()).toEqual(['seen@example.test']);
    stop();
  });

  test('a change that was rolled back is never told, nor one of another topic, nor one after the end', async () => {
    const heard: string[] = [];
    const done = Promise.withResolvers<void>();
    const stop = storage.changes.subscribe('people', (key) => heard.push(key));
    storage.changes.subscribe('end', () => done.resolve());
    const undone = storage.db.transaction(async (transaction) => {
      await storage.changes.publish(transaction, 'people', 'undone');
      throw new RangeError('no');
    });
    await expect(undone).rejects.toBeInstanceOf(RangeError);
    await storage.changes.publish(storage.db, 'places', 'elsewhere');
    await storage.changes.publish(storage.db, 'people', 'told');
    await storage.changes.publish(storage.db, 'barrier', '');
    await storage.changes.publish(storage.db, 'end', '');
    await done.promise;
    stop();
    expect(heard).toEqual(['told']);
  });

  test('work tells what it announced once, when it is committed, and nothing when it is refused', async () => {
    const heard: string[] = [];
    const done = Promise.withResolvers<void>();
    const stops = ['people', 'end'].map((topic) =>
      storage.changes.subscribe(topic, (key) => (topic === 'end' ? done.resolve() : heard.push(key))),
    );
    const parts = { storage, clock: new ManualClock(), ids: systemIds };
    const refused = transact(parts, async ({ executor, announce }) => {
      announce('people', 'refused');
      await addUser(executor, 'refused@example.test');
      throw new RangeError('no');
    });
    await expect(refused).rejects.toBeInstanceOf(RangeError);
    await transact(parts, async ({ executor, announce }) => {
      announce('people', 'kept');
      announce('people', 'kept');
      await addUser(executor, 'kept@example.test');
      expect(heard).toEqual([]);
    });
    await storage.changes.publish(storage.db, 'end', '');
    await done.promise;
    for (const stop of stops) stop();
    expect(heard).toEqual(['kept']);
    expect(await emails()).toEqual(['kept@example.test']);
  });

  test('a key too long to send stands for every key', async () => {
    const heard = new Promise<string>((resolve) => storage.changes.subscribe('long', resolve));
    await storage.changes.publish(storage.db, 'long', 'é'.repeat(4000));
    expect(await heard).toBe(everyKey);
  });

  test('says which database it is and how long it takes to answer', async () => {
    expect(storage.kind).toBe(kind);
    expect(storage.describe()).toMatch(
      kind === 'embedded' ? /^embedded PostgreSQL \d/ : /^PostgreSQL \d+\.\d+ at /,
    );
    expect(await storage.ping()).toBeGreaterThan(0);
  });

  test('once closed it refuses, and can be closed again', async () => {
    const other = await openDatabase();
    await other.close();
    await other.close();
    await expect(addUser(other.db, 'late@example.test')).rejects.toThrow();
    await expect(other.db.transaction(async () => undefined)).rejects.toThrow();
    await expect(other.ping()).rejects.toThrow();
  });
});
