/** Requests that are stored and not yet in the sums: noted by the statement that stores them, folded into the sums after it. */
import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { Database, Executor } from '../storage/database.ts';
import { longStatement } from '../storage/long-statement.ts';
import { usageRecords, usageUnsummed } from '../storage/schema/usage.ts';
import { addToRollups, settledUntil } from './rollups.ts';
import { type Settled, settleNext } from './settling.ts';

const { corrects, ...ofRequests } = getTableColumns(usageUnsummed);
const columns = Object.values(ofRequests)
  .map(({ name }) => `"${name}"`)
  .join(', ');

/**
 * Parts of a WITH, for the statement that stores usage rows.
 * @param stored names the part before that has the rows which are new, with all their columns.
 */
export function noteUnsummed(stored: string): SQL {
  return sql`usage_noted AS (
    INSERT INTO ${usageUnsummed} (${sql.raw(columns)}) SELECT ${sql.raw(`${columns} FROM ${stored}`)}
  )`;
}

/**
 * Lets the sums follow requests that cost otherwise now. What else they counted stays as it is.
 * @param differences a query with `request_id`, and what it costs and is charged more as `cost` and `charged`.
 */
export async function noteCorrections(executor: Executor, differences: SQL): Promise<void> {
  const told = ['organisation_id', 'department_id', 'project_id', 'user_id', 'payer_id', 'key_id', 'model']
    .concat(['provider', 'started_at', 'status', 'streamed', 'error_code', 'end_user', 'tags'])
    .join(', ');
  await executor.execute(sql`
    INSERT INTO ${usageUnsummed} (${sql.raw(told)}, ${sql.identifier(corrects.name)},
      cost_nano_usd, charged_nano_usd, input_tokens, output_tokens, duration_ms)
    SELECT ${sql.raw(told)}, true, difference.cost, difference.charged, 0, 0, 0
    FROM (${differences}) AS difference JOIN ${usageRecords} USING (request_id)`);
}

export interface Folded {
  /** How many requests are in the sums now that were not. */
  readonly requests: number;
  /** True when there may be more; false also when somebody else is at it. */
  readonly hasMore: boolean;
}

/**
 * Moves requests into the sums, so many at most, in one transaction: whoever reads both sees each once. When somebody
 * else is at it nothing is done, so that nobody waits for a row of sums.
 */
export function foldUnsummed(executor: Executor, atMost: number): Promise<Folded> {
  return underLock(executor, { requests: 0, hasMore: false }, async (transaction) => {
    const next = await readNext(transaction, atMost);
    if (!next.any) return { requests: 0, hasMore: false };
    // What is not late is folded by a statement that is planned in half the time.
    const wanted = next.late ? sql`` : sql.raw(`WHERE started_at >= coalesce(${settledUntil}, '-infinity')`);
    const { rows } = await transaction.execute<{ requests: string }>(sql`${longStatement}
      WITH taken AS (
        DELETE FROM ${usageUnsummed}
        WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${usageUnsummed} ${wanted} LIMIT ${atMost}))
        RETURNING *
      ),
      ${addToRollups({ stored: 'taken', mayBeLate: next.late })}
      SELECT count(*)::text AS requests FROM taken`);
    const requests = Number(rows[0]?.requests ?? 0);
    return { requests, hasMore: requests === atMost };
  });
}

/** Whether there is anything to fold, and whether some of it is of days that are settled. */
async function readNext(
  transaction: Executor,
  atMost: number,
): Promise<{ readonly any: boolean; readonly late: boolean }> {
  const { rows } = await transaction.execute<{ any: boolean; late: boolean }>(sql`
    SELECT count(*) > 0 AS any, coalesce(min(started_at) < ${sql.raw(settledUntil)}, false) AS late
    FROM (SELECT started_at FROM ${usageUnsummed} LIMIT ${atMost}) AS next`);
  return rows[0] ?? { any: false, late: false };
}

/** Settles a day of one facet that is over, in one transaction; when somebody else is at the sums nothing is done. */
export function settleUsage(executor: Executor, nowMs: number): Promise<Settled> {
  return underLock(executor, { hasMore: false }, (transaction) => settleNext(transaction, nowMs));
}

/** Only one folds or settles at a time. What is read comes after the lock, whatever isolation the database is set to. */
function underLock<Result>(
  executor: Executor,
  otherwise: Result,
  work: (transaction: Executor) => Promise<Result>,
): Promise<Result> {
  return executor.transaction(
    async (transaction) => {
      const { rows } = await transaction.execute<{ is_ours: boolean }>(
        sql`SELECT pg_try_advisory_xact_lock(hashtextextended('usage sums', 0)) AS is_ours`,
      );
      return rows[0]?.is_ours === true ? await work(transaction) : otherwise;
    },
    { isolationLevel: 'read committed' },
  );
}

/** From here on what was folded takes more room than it is worth. */
const wornBytes = 4 * 1024 ** 2;

/** Makes the room of rows that were folded free again, which the embedded database never does by itself. */
export async function vacuumUnsummed(db: Database): Promise<void> {
  const { rows } = await db.execute<{ bytes: string }>(
    sql`SELECT pg_relation_size('usage_unsummed')::text AS bytes`,
  );
  if (Number(rows[0]?.bytes ?? 0) < wornBytes) return;
  await db.execute(sql`${longStatement}VACUUM (SKIP_LOCKED) ${usageUnsummed}`);
}
