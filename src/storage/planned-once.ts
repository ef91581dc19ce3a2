/**
 * Statements that PostgreSQL plans once a connection, in place of at every execution: for the few that come all the time
 * and take longer to plan than to carry out. Their texts must be few, since a connection keeps the plan of each.
 */
import { createHash } from 'node:crypto';
import { type SQL, sql } from 'drizzle-orm';

const mark = '/* planned once */ ';

/** What such a statement begins with, before anything else. */
export const plannedOnce: SQL = sql.raw(mark);

/** By which a connection knows the statement again; undefined for all others. */
export function nameOfPlan(text: string): string | undefined {
  return text.startsWith(mark) ? createHash('sha1').update(text).digest('base64url') : undefined;
}
