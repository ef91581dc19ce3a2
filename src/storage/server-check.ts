/** Asks a database whether it is one that this code can work with. */
import { sql } from 'drizzle-orm';
import type { Clock } from '../base/clock.ts';
import type { Database } from './database.ts';
import { StorageError } from './storage-error.ts';

const oldestMajorVersion = 15;

export interface AnswerLimit {
  readonly limitMs: number;
  readonly clock: Clock;
}

/** @returns its version, such as `15.14`. @throws StorageError for an old one, and what the driver throws. */
export async function readServerVersion(db: Database, limit: AnswerLimit): Promise<string> {
  const asked = db.execute(sql`SELECT current_setting('server_version') AS version`);
  // A server may take the question and never answer it.
  const {
    rows: [row],
  } = await answerWithin(asked, limit);
  const version = String(row?.['version'] ?? '');
  if (Number.parseInt(version, 10) >= oldestMajorVersion) return version.split(' ')[0] ?? version;
  throw new StorageError(
    'too_old',
    `PostgreSQL ${version} is too old: version ${oldestMajorVersion} or newer is needed.`,
  );
}

/**
 * @returns how long the database took to answer, in milliseconds.
 * @throws StorageError for one that does not answer, or takes no writes, as a standby does.
 */
export async function measureAnswerMs(db: Database, limit: AnswerLimit): Promise<number> {
  const startedMs = limit.clock.monotonicMs();
  const asked = db.execute(sql`SELECT current_setting('transaction_read_only') AS is_read_only`);
  const {
    rows: [row],
  } = await answerWithin(asked, limit);
  if (row?.['is_read_only'] === 'on') {
    throw new StorageError('unreachable', 'The database takes no writes: the address leads to a standby.');
  }
  return limit.clock.monotonicMs() - startedMs;
}

/** Settles like `work`, or rejects when the limit has passed; the work itself is not stopped. */
async function answerWithin<Value>(
  work: PromiseLike<Value>,
  { limitMs, clock }: AnswerLimit,
): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = clock.after(limitMs, () => {
    reject(new StorageError('unreachable', `The database did not answer within ${limitMs / 1000} s.`));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    timer.cancel();
  }
}
