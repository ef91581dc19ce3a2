/** What every write to the catalogue needs, and the turn-taking that keeps two of them from crossing. */
import type { Envelope } from '../base/envelope.ts';
import { AppError, type FieldIssue } from '../base/errors.ts';
import { takeTurn, type Work } from '../storage/work.ts';

/** The change feed's topic for anything that a snapshot of the catalogue is made from. */
export const catalogueTopic = 'catalogue';

export interface CatalogueWork extends Work {
  /** Seals the secrets of credentials. */
  readonly envelope: Envelope;
}

/**
 * Holds other writers of the catalogue back until this transaction ends. Writes are rare, and what they check
 * (no name stands for two models) spans rows, so that row locks would not do.
 */
export async function lockCatalogue(work: Work): Promise<void> {
  await takeTurn(work, 'sluice catalogue');
}

export function announceWhen(changed: boolean, work: Work, what: string): void {
  if (changed) work.announce(catalogueTopic, what);
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
