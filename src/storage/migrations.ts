/** Brings the tables to the state this code knows, and tells how far a database is. */
import { fileURLToPath } from 'node:url';
import { sql } from 'drizzle-orm';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import type { Database, Executor } from './database.ts';
import journal from './migrations/meta/_journal.json' with { type: 'json' };
import { databaseErrorCode, databaseErrorMessage, StorageError } from './storage-error.ts';

export interface MigrationReport {
  /** What was applied now, oldest first. */
  readonly applied: readonly string[];
  /** The newest migration, which the database is at. */
  readonly current: string;
}

const migrationsFolder = fileURLToPath(new URL('./migrations', import.meta.url));
const lockTimeoutMs = 60_000;
/** The SQLSTATE of what waited for a lock for too long. */
const lockNotAvailable = '55P03';
const lockKey = sql`hashtextextended('sluice migrations', 0)`;

export interface MigratingOptions {
  readonly onWarning: (message: string) => void;
  /** How long it is waited for a lock on a table, and until it is said that somebody else migrates; a minute unless told. */
  readonly lockLimitMs?: number;
}

/**
 * Safe when several processes do it at once: they take turns, however long a turn takes.
 * @param db over a single connection, because the lock belongs to the connection that took it.
 */
export async function applyMigrations(
  db: Database,
  { onWarning, lockLimitMs = lockTimeoutMs }: MigratingOptions,
): Promise<MigrationReport> {
  try {
    await db.execute(sql`SELECT set_config('lock_timeout', ${String(lockLimitMs)}, false)`);
    await takeTurn(db, onWarning);
    try {
      return await applyPending(db);
    } finally {
      await unlock(db);
    }
  } catch (thrown) {
    throw explainMigrationError(thrown);
  }
}

async function takeTurn(db: Database, onWarning: (message: string) => void): Promise<void> {
  for (;;) {
    try {
      await db.execute(sql`SELECT pg_advisory_lock(${lockKey})`);
      return;
    } catch (thrown) {
      if (databaseErrorCode(thrown) !== lockNotAvailable) throw thrown;
      onWarning('Another process is bringing the database up to date, and is waited for.');
    }
  }
}

async function unlock(db: Database): Promise<void> {
  try {
    await db.execute(sql`SELECT pg_advisory_unlock(${lockKey})`);
    // To what the address or the server has it at: others use the connection after this.
    await db.execute(sql`RESET lock_timeout`);
  } catch {
    // The connection is gone, and the lock with it; what went wrong before is what matters.
  }
}

async function applyPending(db: Database): Promise<MigrationReport> {
  const before = await readPendingMigrations(db);
  if (before.length > 0) await migrate(db, { migrationsFolder });
  const [skipped] = await readPendingMigrations(db);
  if (skipped !== undefined) {
    throw new StorageError(
      'migration_failed',
      `Migration ${skipped} is older than one that was applied before it, and would be skipped for good.`,
    );
  }
  return { applied: before, current: journal.entries.at(-1)?.tag ?? 'none' };
}

/**
 * Names of the migrations that this code has and the database does not, oldest first.
 * @throws StorageError when the database has migrations that this code does not know.
 */
export async function readPendingMigrations(executor: Executor): Promise<string[]> {
  const applied = await readAppliedTimes(executor);
  const known = new Set(journal.entries.map(({ when }) => when));
  const unknownCount = [...applied].filter((when) => !known.has(when)).length;
  if (unknownCount > 0) {
    throw new StorageError(
      'newer_than_code',
      `The database is newer than this version of Sluice: it has ${unknownCount} ` +
        `migration${unknownCount === 1 ? '' : 's'} that this version does not know. Start the newer version.`,
    );
  }
  return journal.entries.filter(({ when }) => !applied.has(when)).map(({ tag }) => tag);
}

async function readAppliedTimes(executor: Executor): Promise<Set<number>> {
  const {
    rows: [table],
  } = await executor.execute(sql`SELECT to_regclass('drizzle.__drizzle_migrations') AS name`);
  if (table?.['name'] === null) return new Set();
  const { rows } = await executor.execute(sql`SELECT created_at FROM drizzle.__drizzle_migrations`);
  return new Set(rows.map((row) => Number(row['created_at'])));
}

function explainMigrationError(thrown: unknown): unknown {
  if (thrown instanceof StorageError) return thrown;
  const said = databaseErrorMessage(thrown);
  switch (databaseErrorCode(thrown)) {
    case lockNotAvailable:
      return new StorageError(
        'migration_blocked',
        `The database could not be migrated: another connection has held a lock on a table for ${lockTimeoutMs / 1000} s.`,
        thrown,
      );
    case '42501':
      return new StorageError(
        'not_permitted',
        `The database user may not create tables: ${said}. Grant it CREATE on the database and on schema public.`,
        thrown,
      );
  }
  return new StorageError('migration_failed', `The database could not be migrated: ${said}.`, thrown);
}
