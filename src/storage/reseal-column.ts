/** Seals a column anew under another secret. Whose column it is says so by a function of its own. */
import { and, asc, eq, gt, isNotNull } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Envelope } from '../base/envelope.ts';
import type { Database } from './database.ts';

interface SealedColumn {
  readonly table: PgTable;
  /** A number. */
  readonly key: PgColumn;
  /** Its name in the table's object. */
  readonly member: string;
  readonly column: PgColumn;
}

export interface Seals {
  readonly present: Envelope;
  /** What sealed before. */
  readonly previous: Envelope;
}

export interface Resealed {
  resealed: number;
  /** Under the present secret before. */
  kept: number;
  /** Neither secret opens them. */
  unreadable: number;
}

const rowsAtOnce = 500;

/** Each row is a write of its own, so that what was done stays when it is broken off, and it may be done again. */
export async function resealColumn(
  db: Database,
  { table, key, member, column }: SealedColumn,
  { present, previous }: Seals,
): Promise<Resealed> {
  const counts: Resealed = { resealed: 0, kept: 0, unreadable: 0 };
  for (let after: number | null = 0; after !== null; ) {
    const rows: { id: unknown; sealed: unknown }[] = await db
      .select({ id: key, sealed: column })
      .from(table)
      .where(and(gt(key, after), isNotNull(column)))
      .orderBy(asc(key))
      .limit(rowsAtOnce);
    for (const { id, sealed } of rows) {
      const text = String(sealed);
      if ((await tryOpen(present, text)) !== null) {
        counts.kept += 1;
        continue;
      }
      const plain = await tryOpen(previous, text);
      if (plain === null) {
        counts.unreadable += 1;
        continue;
      }
      // Whoever wrote another one meanwhile has the last word.
      const value = { [member]: await present.seal(plain) };
      await db
        .update(table)
        .set(value)
        .where(and(eq(key, id), eq(column, text)));
      counts.resealed += 1;
    }
    after = rows.length < rowsAtOnce ? null : Number(rows.at(-1)?.id);
  }
  return counts;
}

const tryOpen = (envelope: Envelope, sealed: string): Promise<string | null> =>
  envelope.open(sealed).catch(() => null);
