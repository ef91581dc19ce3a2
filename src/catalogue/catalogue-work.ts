/** What writes to the catalogue share: one lock, announcing, refusing, and whose a row is. */
import { inArray } from 'drizzle-orm';
import type { Envelope } from '../base/envelope.ts';
import { AppError, type FieldIssue } from '../base/errors.ts';
import type { Executor } from '../storage/database.ts';
import { modelAliases, models, providers } from '../storage/schema/catalogue.ts';
import { takeLock, type Work } from '../storage/work.ts';
import type { ManagedBy, ModelDeclaration, ProviderDeclaration } from './declaration.ts';

/** The change feed's topic for anything that a snapshot of the catalogue is made from. */
export const catalogueTopic = 'catalogue';

export interface CatalogueWork extends Work {
  /** Seals the secrets of credentials. */
  readonly envelope: Envelope;
  /** Whether providers that nobody declared may be in private networks; not when left out. */
  readonly isPrivateAllowed?: boolean;
}

/**
 * Holds other writers of the catalogue back until this transaction ends. Writes are rare, and what they check
 * (no name stands for two models) spans rows, so that row locks would not do.
 */
export async function lockCatalogue(work: Work): Promise<void> {
  await takeLock(work, 'sluice catalogue');
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

/** The declared providers whose name nobody else has taken. */
export async function withoutForeignProviders(
  executor: Executor,
  managedBy: ManagedBy,
  declarations: readonly ProviderDeclaration[],
): Promise<readonly ProviderDeclaration[]> {
  const names = declarations.map(({ name }) => name);
  const rows = await executor
    .select({ name: providers.name, managedBy: providers.managedBy })
    .from(providers)
    .where(inArray(providers.name, names));
  const foreign = new Set(rows.filter((row) => row.managedBy !== managedBy).map(({ name }) => name));
  return declarations.filter(({ name }) => !foreign.has(name));
}

/** The declared models whose id is nobody else's model or alias. For models without aliases of their own. */
export async function withoutForeignModels(
  executor: Executor,
  managedBy: ManagedBy,
  declarations: readonly ModelDeclaration[],
): Promise<readonly ModelDeclaration[]> {
  const ids = declarations.map(({ id }) => id);
  const rows = await executor
    .select({ name: models.publicId, managedBy: models.managedBy })
    .from(models)
    .where(inArray(models.publicId, ids));
  const aliases = await executor
    .select({ name: modelAliases.alias })
    .from(modelAliases)
    .where(inArray(modelAliases.alias, ids));
  const foreign = new Set([
    ...rows.filter((row) => row.managedBy !== managedBy).map(({ name }) => name),
    ...aliases.map(({ name }) => name),
  ]);
  return declarations.filter(({ id }) => !foreign.has(id));
}
