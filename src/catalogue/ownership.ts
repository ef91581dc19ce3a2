/** Which rows a modest manager may write: those that do not exist yet and those that are its own. */
import { inArray } from 'drizzle-orm';
import type { Executor } from '../storage/database.ts';
import { modelAliases, models, providers } from '../storage/schema/catalogue.ts';
import type { ManagedBy, ModelDeclaration, ProviderDeclaration } from './declaration.ts';

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
