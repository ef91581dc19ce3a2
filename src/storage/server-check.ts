/** Asks a database whether it is one that this code can work with. */
import { sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { StorageError } from './storage-error.ts';
import { withinTime } from './time-limit.ts';

const oldestMajorVersion = 15;

/** @returns its version, such as `15.14`. @throws StorageError for an old one, and what the driver throws. */
export async function readServerVersion(db: Database, limitMs: number): Promise<string> {
  const asked = db.execute(sql`SELECT current_setting('server_version') AS version`);
  // A server may take the question and never answer it.
  const {
    rows: [row],
  } = await withinTime(asked, limitMs, () => noAnswer(limitMs));
  const version = String(row?.['version'] ?? '');
  if (Number.parseInt(version, 10) >= oldestMajorVersion) return version.split(' ')[0] ?? version;
  throw new StorageError(
    'too_old',
    `PostgreSQL ${version} is too old: version ${oldestMajorVersion} or newer is needed.`,
  );
}

/** @returns how long the database took to answer, in milliseconds. */
export async function measureAnswerMs(db: Database, limitMs: number): Promise<number> {
  const startedMs = performance.now();
  await withinTime(
    db.execute(sql`SELECT 1`).then(() => undefined),
    limitMs,
    () => noAnswer(limitMs),
  );
  return performance.now() - startedMs;
}

function noAnswer(limitMs: number): StorageError {
  return new StorageError('unreachable', `The database did not answer within ${limitMs / 1000} s.`);
}
