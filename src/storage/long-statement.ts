/**
 * How long the server may take to answer a statement. Those that read or write a great part of a table, and that nobody waits
 * for at a page, may take minutes: else they would fail for ever in a database that is large enough.
 */
import { type SQL, sql } from 'drizzle-orm';

const longMark = '/* may take minutes */ ';
const hoursMark = '/* may take hours */ ';

/** What such a statement begins with, before anything else. */
export const longStatement: SQL = sql.raw(longMark);
/** For what an operator asks of all that there ever was, of a database that serves others beside them. */
export const hoursStatement: SQL = sql.raw(hoursMark);

/** A host that vanished says nothing, and TCP may take a quarter of an hour to notice. */
const ordinaryMs = 30_000;
const longMs = 300_000;
const hoursMs = 86_400_000;

/** In milliseconds. */
export function statementLimitMs(text: string): number {
  if (text.startsWith(longMark)) return longMs;
  return text.startsWith(hoursMark) ? hoursMs : ordinaryMs;
}
