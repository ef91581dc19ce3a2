/** What every write to the catalogue needs, and the turn-taking that keeps two of them from crossing. */
import { sql } from 'drizzle-orm';
import type { Envelope } from '../base/envelope.ts';
import { AppError, type FieldIssue } from '../base/errors.ts';
import type { ChangeFeed } from '../storage/change-feed.ts';
import type { Executor } from '../storage/database.ts';

/** The change feed's topic for anything that a snapshot of the catalogue is made from. */
export const catalogueTopic = 'catalogue';

export interface CatalogueWriter {
  /** A transaction: a write that is refused half-way must leave nothing behind. */
  readonly executor: Executor;
  readonly changes: ChangeFeed;
  readonly envelope: Envelope;
}

const lockName = 'sluice catalogue';

/**
 * Holds other writers of the catalogue back until this transaction ends. Writes are rare, and what they check
 * (no name stands for two models) spans rows, so that row locks would not do.
 */
export async function lockCatalogue(writer: CatalogueWriter): Promise<void> {
  await writer.executor.execute(sql`select pg_advisory_xact_lock(hashtextextended(${lockName}, 0))`);
}

export async function publishWhen(changed: boolean, writer: CatalogueWriter, what: string): Promise<void> {
  if (changed) await writer.changes.publish(writer.executor, catalogueTopic, what);
}

/** @throws AppError `validation_failed` when there is any issue. */
export function refuseIssues(issues: readonly FieldIssue[]): void {
  const [first, ...others] = issues;
  if (first === undefined) return;
  throw new AppError({
    code: 'validation_failed',
    public: issues.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; '),
    ...(others.length === 0 && { param: first.loc.join('.') }),
    fields: issues,
  });
}
