/** The request log's partitions: made ahead of time, and dropped when what is in them is older than it is kept. */
import { sql } from 'drizzle-orm';
import { Keeper } from '../base/keeper.ts';
import type { Log } from '../base/log.ts';
import { type AgreeingParts, withAgreedTime } from '../storage/agreed-time.ts';
import type { Executor } from '../storage/database.ts';
import { longStatement } from '../storage/long-statement.ts';
import { takeLock, transact, type WorkParts } from '../storage/work.ts';
import { deleteRatings } from './ratings.ts';
import { firstRequestIdAt, timeOfRequestId } from './time-prefix.ts';

export const partitionSpans = ['month', 'day'] as const;
export type PartitionSpan = (typeof partitionSpans)[number];

export interface PartitionSettings {
  readonly span: PartitionSpan;
  /** How long rows are kept, in days; null keeps them for good. */
  readonly retentionDays: number | null;
}

export interface PartitionReport {
  readonly made: readonly string[];
  readonly dropped: readonly string[];
  /** Rows that lay where everything lies that has no partition. */
  readonly deletedRows: number;
}

export interface Partition {
  readonly name: string;
  /** When the time begins that it is for; null without a beginning. */
  readonly fromMs: number | null;
  /** Null for what lies in no other. */
  readonly toMs: number | null;
}

const dayMs = 86_400_000;
/** Far enough that a server which is not restarted for weeks, or stands still, never lacks one. */
const ahead = { month: 2, day: 7 } as const;
/** Partitions of a day are not made for more than these when nobody made any for long. */
const mostMade = 100;
const lockTimeoutMs = 5_000;
const deletedAtOnce = 10_000;
const rowsWithoutPartition = 'usage_records_default';
const pauseMs = 3_600_000;

interface PartitionKeeperParts extends AgreeingParts {
  readonly log: Log;
  readonly settings: PartitionSettings;
}

/** While a server runs, at its start and once an hour. Nobody waits for its first round: rows that have no partition yet are stored all the same. */
export function partitionKeeper({ settings, ...parts }: PartitionKeeperParts): Keeper {
  const { clock, log } = parts;
  return new Keeper({
    clock,
    log,
    pauseMs,
    failure: 'the partitions of the request log could not be kept; it is tried again in an hour',
    async round() {
      const { made, dropped, deletedRows } = await keepPartitions(await withAgreedTime(parts), settings);
      if (made.length > 0) log.info('partitions of the request log were made', { detail: made.join(', ') });
      if (dropped.length + deletedRows > 0) {
        const detail = `${dropped.join(', ') || 'no partition'}, and ${deletedRows} rows without one`;
        log.info('requests older than they are kept were dropped', { detail });
      }
    },
  });
}

/**
 * Safe when several processes do it at once, and beside requests: whoever waits for the table longer than some seconds
 * gives up, since everybody else would wait behind.
 */
export async function keepPartitions(
  parts: WorkParts,
  { span, retentionDays }: PartitionSettings,
): Promise<PartitionReport> {
  const nowMs = parts.clock.nowMs();
  const made: string[] = [];
  const dropped: string[] = [];
  for (let count = 0; count < mostMade; count += 1) {
    const name = await makeNext(parts, { span, nowMs });
    if (name === undefined) break;
    made.push(name);
  }
  if (retentionDays === null) return { made, dropped, deletedRows: 0 };
  const oldestMs = nowMs - retentionDays * dayMs;
  for (;;) {
    const name = await dropOldest(parts, oldestMs);
    if (name === undefined) break;
    dropped.push(name);
  }
  // A partition goes as a whole, and until then its rows need their ratings: without them they would be rated again.
  const [first] = await listPartitions(parts.storage.db);
  const keptFromMs = first === undefined || first.toMs === null ? oldestMs : (first.fromMs ?? 0);
  await deleteRatings(parts.storage.db, Math.min(oldestMs, keptFromMs));
  return { made, dropped, deletedRows: await deleteStray(parts, oldestMs) };
}

/** Oldest first; the one without bounds last. */
export async function listPartitions(executor: Executor): Promise<readonly Partition[]> {
  const { rows } = await executor.execute<{ name: string; bounds: string }>(sql`
    SELECT child.relname AS name, pg_get_expr(child.relpartbound, child.oid) AS bounds
    FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid
    WHERE inhparent = 'usage_records'::regclass`);
  const partitions = rows.map(({ name, bounds }) => ({ name, ...readBounds(bounds) }));
  const last = Number.POSITIVE_INFINITY;
  return partitions.sort((one, other) => (one.toMs ?? last) - (other.toMs ?? last));
}

/** As the database writes them: FOR VALUES FROM ('…') TO ('…'), or DEFAULT. */
function readBounds(bounds: string): { fromMs: number | null; toMs: number | null } {
  const [, from, to] = /FROM \((?:MINVALUE|'([^']*)')\) TO \('([^']*)'\)/.exec(bounds) ?? [];
  return {
    fromMs: from === undefined ? null : timeOfRequestId(from),
    toMs: to === undefined ? null : timeOfRequestId(to),
  };
}

interface Wanted {
  readonly span: PartitionSpan;
  readonly nowMs: number;
}

/** The one behind the newest there is. @returns undefined when there are enough. */
function makeNext(parts: WorkParts, { span, nowMs }: Wanted): Promise<string | undefined> {
  return transact(parts, async (work) => {
    const { executor } = work;
    await takeLock(work, 'usage partitions');
    const ends = (await listPartitions(executor)).flatMap(({ toMs }) => toMs ?? []);
    const fromMs = ends.at(-1) ?? startOf(span, nowMs, 0);
    if (fromMs >= startOf(span, nowMs, ahead[span])) return undefined;
    // Where none was made for long, all that time is one.
    const toMs = Math.max(startOf(span, fromMs, 1), startOf(span, nowMs, 0));
    const name = `usage_records_${new Date(fromMs).toISOString().slice(0, 10).replaceAll('-', '_')}`;
    const from = firstRequestIdAt(fromMs);
    const to = firstRequestIdAt(toMs);
    await executor.execute(sql`SELECT set_config('lock_timeout', ${String(lockTimeoutMs)}, true)`);
    // Otherwise a row of that time could still come into the one without bounds, and attaching would fail.
    await executor.execute(
      sql`LOCK TABLE ${sql.identifier(rowsWithoutPartition)} IN SHARE ROW EXCLUSIVE MODE`,
    );
    // Attaching one that is there already keeps requests out for less than making it in its place would.
    await executor.execute(
      sql`CREATE TABLE ${sql.identifier(name)} (LIKE usage_records INCLUDING DEFAULTS INCLUDING INDEXES)`,
    );
    await executor.execute(sql`${longStatement}
      WITH moved AS (
        DELETE FROM ${sql.identifier(rowsWithoutPartition)} WHERE request_id >= ${from} AND request_id < ${to} RETURNING *
      ) INSERT INTO ${sql.identifier(name)} SELECT * FROM moved`);
    await executor.execute(sql`${longStatement}
      ALTER TABLE usage_records ATTACH PARTITION ${sql.identifier(name)}
      FOR VALUES FROM (${sql.raw(`'${from}'`)}) TO (${sql.raw(`'${to}'`)})`);
    return name;
  });
}

/** The beginning of the month or day, so many of them later. */
function startOf(span: PartitionSpan, ms: number, later: number): number {
  const at = new Date(ms);
  if (span === 'month') return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + later);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + later);
}

/** @returns undefined when none is old enough as a whole. */
function dropOldest(parts: WorkParts, oldestMs: number): Promise<string | undefined> {
  return transact(parts, async (work) => {
    const { executor } = work;
    await takeLock(work, 'usage partitions');
    const [oldest] = await listPartitions(executor);
    if (oldest === undefined || oldest.toMs === null || oldest.toMs > oldestMs) return undefined;
    await executor.execute(sql`SELECT set_config('lock_timeout', ${String(lockTimeoutMs)}, true)`);
    await executor.execute(sql`ALTER TABLE usage_records DETACH PARTITION ${sql.identifier(oldest.name)}`);
    await executor.execute(sql`DROP TABLE ${sql.identifier(oldest.name)}`);
    return oldest.name;
  });
}

/** A little at a time, so that nobody waits for it. */
async function deleteStray({ storage }: WorkParts, oldestMs: number): Promise<number> {
  const stray = sql.identifier(rowsWithoutPartition);
  for (let deleted = 0; ; ) {
    const { rowCount } = await storage.db.execute(sql`
      DELETE FROM ${stray} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${stray} WHERE started_at < ${new Date(oldestMs).toISOString()} LIMIT ${deletedAtOnce}))`);
    deleted += rowCount ?? 0;
    if ((rowCount ?? 0) < deletedAtOnce) return deleted;
  }
}
