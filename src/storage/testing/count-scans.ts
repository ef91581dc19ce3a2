/** How much a statement looks at, for tests of what it costs that no other work on the machine can disturb. */
import { sql } from 'drizzle-orm';
import type { Executor } from '../database.ts';

/** Of a table and its indexes, begun on this connection: what a transaction began is the difference of two. */
export async function countScans(executor: Executor, table: string): Promise<number> {
  const { rows } = await executor.execute<{ scans: string }>(sql`
    SELECT sum(pg_stat_get_xact_numscans(part)) AS scans FROM (
      SELECT ${table}::regclass::oid AS part
      UNION ALL SELECT indexrelid FROM pg_index WHERE indrelid = ${table}::regclass) AS parts`);
  return Number(rows[0]?.scans ?? 0);
}

/** Rows of a table that were read by way of its indexes, as `countScans` counts. */
export async function countRowsRead(executor: Executor, table: string): Promise<number> {
  const { rows } = await executor.execute<{ read: string }>(sql`
    SELECT sum(pg_stat_get_xact_tuples_fetched(part)) AS read FROM (
      SELECT ${table}::regclass::oid AS part
      UNION ALL SELECT indexrelid FROM pg_index WHERE indrelid = ${table}::regclass) AS parts`);
  return Number(rows[0]?.read ?? 0);
}
