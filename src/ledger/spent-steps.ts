/** The steps at which people are told how much of a budget or of a credit limit is spent, in percent. */
import { type SQL, sql } from 'drizzle-orm';

/**
 * The highest step that is reached; 0 below the first. The last one is reached once less than a hundredth is left: a
 * request for which too little is left is refused, so that hardly ever all is spent.
 * @param spent in nano-USD, as the limit.
 */
export function spentStep(spent: SQL, limit: SQL): SQL {
  const hundredfold = sql`(${spent})::numeric * 100`;
  return sql`CASE WHEN ${spent} <= 0 THEN 0 WHEN ${hundredfold} > (${limit})::numeric * 99 THEN 100
    WHEN ${hundredfold} >= (${limit})::numeric * 80 THEN 80 WHEN ${hundredfold} >= (${limit})::numeric * 50 THEN 50
    ELSE 0 END`;
}
