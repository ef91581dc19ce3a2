/**
 * How long the server may take to answer a statement. Those that read or write a great part of a table, and that nobody waits
 * for at a page, may take minutes: else they would fail for ever in a database that is large enough.
 */
import { type SQL, sql } from 'drizzle-orm';

const mark = '/* may take minutes */ ';

/** What such a statement begins with, before anything else. */
export const longStatement: SQL = sql.raw(mark);

/** A host that vanished says nothing, and TCP may take a quarter of an hour to notice. */
const ordinaryMs = 30_000;
const longMs = 300_000;

/** In milliseconds. */
export const statementLimitMs = (text: string): number => (text.startsWith(mark) ? longMs : ordinaryMs);
