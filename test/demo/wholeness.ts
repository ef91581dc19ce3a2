/**
 * Whether a database has the whole demonstration, or what is left of a filling that was killed: noted in a table of its own,
 * in a schema of its own, since a service has no such table.
 */
import { sql } from 'drizzle-orm';
import { AppError } from '../../src/base/errors.ts';
import { systemIds } from '../../src/base/ids.ts';
import { loadDatabaseId } from '../../src/storage/database-id.ts';
import { openStorage, type Storage, type StorageOptions } from '../../src/storage/index.ts';
import { users } from '../../src/storage/schema/identity.ts';
import { emailOf } from './settle-people.ts';

type Filled = Pick<Storage, 'db'>;

/** `unknown` where nothing was ever noted: it may have been made before it was, or there is none. */
export async function readWholeness({ db }: Filled): Promise<'unknown' | 'begun' | 'whole'> {
  const found = await db.execute(sql`SELECT to_regclass('demonstration.filling') IS NOT NULL AS there`);
  if (found.rows[0]?.['there'] !== true) return 'unknown';
  const { rows } = await db.execute(
    sql`SELECT coalesce(bool_or(is_whole), false) AS whole FROM demonstration.filling`,
  );
  return rows[0]?.['whole'] === true ? 'whole' : 'begun';
}

/**
 * Keeps other processes from filling the same database until it is let go. An embedded one has a lock of its own.
 * @returns what lets it go.
 * @throws AppError conflict while another process fills it.
 */
export async function claimFilling(options: StorageOptions): Promise<() => Promise<void>> {
  if (options.databaseUrl === undefined) return async () => {};
  // The lock belongs to the connection that took it, and ends with it when the process is killed.
  const claim = await openStorage({ ...options, poolSize: 1 });
  try {
    const { rows } = await claim.db.execute(
      sql`SELECT pg_try_advisory_lock(hashtextextended('sluice demonstration', 0)) AS is_ours`,
    );
    if (rows[0]?.['is_ours'] === true) return () => claim.close();
  } catch (thrown) {
    await claim.close();
    throw thrown;
  }
  await claim.close();
  throw new AppError({
    code: 'conflict',
    public: 'Another process is filling this database at the moment: start again once it is done.',
  });
}

/** Before anything is written. */
export async function noteBegun({ db }: Filled): Promise<void> {
  await db.execute(sql`CREATE SCHEMA IF NOT EXISTS demonstration`);
  await db.execute(sql`CREATE TABLE IF NOT EXISTS demonstration.filling (is_whole boolean NOT NULL)`);
}

/** Once all is written. */
export async function noteWhole({ db }: Filled): Promise<void> {
  await db.execute(sql`INSERT INTO demonstration.filling (is_whole) VALUES (true)`);
}

/**
 * Empties an embedded database in which a filling was begun, and makes its tables anew.
 * @throws AppError conflict for another one, and where somebody is in it who is not of the demonstration.
 */
export async function beginAnew(storage: Storage): Promise<void> {
  // A server's database may hold more than ours.
  if (storage.kind !== 'embedded') {
    throw new AppError({
      code: 'conflict',
      public: 'The demonstration in this database was not filled to its end. Empty it, or name another one.',
    });
  }
  await requireOnly(storage, 'demonstration');
  const id = await loadDatabaseId(storage.db, systemIds);
  await storage.db.execute(sql`DROP SCHEMA IF EXISTS drizzle CASCADE`);
  await storage.db.execute(sql`DROP SCHEMA public CASCADE`);
  await storage.db.execute(sql`CREATE SCHEMA public`);
  await storage.migrate();
  // The same one to its data folder, where the spool of whoever was stopped may lie.
  await loadDatabaseId(storage.db, { requestId: () => id });
}

/** Nobody's own data is ever mixed with invented ones. @throws AppError conflict */
export async function requireOnly({ db }: Filled, whose: 'demonstration' | 'nobody'): Promise<void> {
  const isOther = whose === 'nobody' ? sql`true` : sql`${users.email} NOT LIKE ${emailOf('%')}`;
  if ((await db.$count(users, isOther)) === 0) return;
  throw new AppError({
    code: 'conflict',
    public: 'This database has people in it who are not of the demonstration: name another one.',
  });
}
