/** Who something is due for, where that is little: asked before all that waits is gone round. */
import { type SQL, sql } from 'drizzle-orm';
import type { Executor } from '../storage/database.ts';

/** Of so many that are due at most, those they are for are known before they are gone round. */
const fewDue = 2000;

/**
 * In their order; undefined where much is due. It costs nothing that many more are to be tried later.
 * @param due selects `turn`, the number of whom each is for, by the time at which it is due.
 */
export async function findFewDue(executor: Executor, due: SQL): Promise<readonly number[] | undefined> {
  const { rows } = await executor.execute<{ turn: string; count: string }>(sql`
    SELECT turn, count(*) FROM (${due} LIMIT ${fewDue + 1}) AS due GROUP BY turn ORDER BY turn`);
  const count = rows.reduce((sum, row) => sum + Number(row.count), 0);
  return count > fewDue ? undefined : rows.map(({ turn }) => Number(turn));
}
