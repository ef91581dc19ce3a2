/** Going round those for whom something waits: each has its turn, however much is due for one of them. */
import { type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Executor } from '../storage/database.ts';

/** Rows that wait, each for somebody. Those that do have an index by whom they are for, `due_at` and `id`. */
export interface Waiting {
  readonly table: PgTable;
  /** The column that says whom a row is for, by number. */
  readonly whose: SQL;
  readonly isWaiting: SQL;
}

/** Of those who have a turn. */
export interface Span {
  /** All for whom something is due, where that is little. */
  readonly few: readonly number[] | undefined;
  /** Behind this one, and up to that. */
  readonly after: number;
  readonly until: number;
}

/** Behind the last one. */
export const theEnd = Number.MAX_SAFE_INTEGER;

/** Of so many that are due at most, those they are for are known before they are gone round. */
const fewDue = 2000;

const writeTime = (at: Date): SQL => sql`${at.toISOString()}::timestamptz`;

/** In their order; undefined where much is due. It costs nothing that many more are to be tried later. */
export async function findFewDue(
  executor: Executor,
  { table, whose, isWaiting }: Waiting,
  now: Date,
): Promise<readonly number[] | undefined> {
  const { rows } = await executor.execute<{ turn: string; count: string }>(sql`
    SELECT turn, count(*) FROM (
      SELECT ${whose} AS turn FROM ${table} WHERE ${isWaiting} AND due_at <= ${writeTime(now)}
      ORDER BY due_at LIMIT ${fewDue + 1}) AS due GROUP BY turn ORDER BY turn`);
  const count = rows.reduce((sum, row) => sum + Number(row.count), 0);
  return count > fewDue ? undefined : rows.map(({ turn }) => Number(turn));
}

/**
 * What stands in `WITH RECURSIVE waiting (turn) AS (…)`; null where nobody has a turn. Where much is due it goes from one
 * for whom something waits to the next, each found in the index by itself: it costs what it looks at, however many there
 * are and however much waits for one of them.
 */
export function goRound(
  { table, whose, isWaiting }: Waiting,
  { few, after: began, until }: Span,
): SQL | null {
  const known = few?.filter((turn) => turn > began && turn <= until);
  if (known?.length === 0) return null;
  if (known !== undefined) return sql`SELECT unnest(${`{${known.join(',')}}`}::bigint[])`;
  const nextAfter = (
    last: SQL,
  ) => sql`(SELECT ${whose} FROM ${table} WHERE ${isWaiting} AND ${whose} > ${last}
    ORDER BY ${whose}, due_at, id LIMIT 1)`;
  return sql`${nextAfter(sql`${began}::bigint`)}
    UNION ALL SELECT ${nextAfter(sql`waiting.turn`)} FROM waiting WHERE waiting.turn < ${until}::bigint`;
}

/** What is due of `waiting.turn`, which the index has in the order of `due_at` and `id`. */
export const isDueOfTurn = ({ whose, isWaiting }: Waiting, now: Date): SQL =>
  sql`${isWaiting} AND ${whose} = waiting.turn AND due_at <= ${writeTime(now)}`;

/**
 * Has what is walked take rows in the order of an index where there is one. A planner whose statistics are old believes
 * that next to nothing is due: it would look through all that is, for each turn, and sort what it finds. What comes after
 * it in the transaction is planned as usual.
 */
export async function keepToIndexes<Result>(
  executor: Executor,
  walk: () => Promise<Result>,
): Promise<Result> {
  const { rows } = await executor.execute<{ sort: string; incremental: string }>(sql`
    WITH usual AS MATERIALIZED (
      SELECT current_setting('enable_sort') AS sort, current_setting('enable_incremental_sort') AS incremental)
    SELECT usual.*, ${settingOf('enable_sort', 'off')}, ${settingOf('enable_incremental_sort', 'off')} FROM usual`);
  const result = await walk();
  // Where the walk failed so did the transaction, and the settings end with it.
  const { sort = 'on', incremental = 'on' } = rows[0] ?? {};
  await executor.execute(
    sql`SELECT ${settingOf('enable_sort', sort)}, ${settingOf('enable_incremental_sort', incremental)}`,
  );
  return result;
}

/** Until the transaction ends. */
const settingOf = (name: string, value: string): SQL => sql`set_config(${name}, ${value}, true)`;
