/** How large a table is. */
import { sql } from 'drizzle-orm';
import type { Executor } from './database.ts';
import { longStatement } from './long-statement.ts';

export interface TableSize {
  readonly name: string;
  /** About so many, as the database reckons. */
  readonly rows: number;
  /** With its indexes. */
  readonly bytes: number;
}

/** Below it counting is as quick as asking. */
const countedBytes = 64 * 1024 ** 2;

export async function measureTable(executor: Executor, name: string): Promise<TableSize> {
  const { rows } = await executor.execute<{ rows: string; bytes: string }>(sql`
    SELECT reltuples::bigint::text AS rows, pg_total_relation_size(oid)::text AS bytes
    FROM pg_class WHERE oid = ${name}::regclass`);
  const [told] = rows;
  const bytes = Number(told?.bytes ?? 0);
  const reckoned = Number(told?.rows ?? -1);
  // Below zero where the database has not looked yet.
  if (bytes > countedBytes && reckoned >= 0) return { name, rows: reckoned, bytes };
  const counted = await executor.execute<{ count: string }>(
    sql`${longStatement}SELECT count(*)::text AS count FROM ${sql.identifier(name)}`,
  );
  return { name, rows: Number(counted.rows[0]?.count ?? 0), bytes };
}
