/** Writes models so that their rows say what is declared, touching only what differs, and keeps one name to one model. */
import { and, eq, inArray, isNull, notInArray, or } from 'drizzle-orm';
import type { FieldIssue } from '../base/errors.ts';
import type { Executor } from '../storage/database.ts';
import { deployments, modelAliases, models, providers } from '../storage/schema/catalogue.ts';
import type { Work } from '../storage/work.ts';
import { announceWhen, lockCatalogue, refuseIssues } from './catalogue-work.ts';
import { checkModels, type ManagedBy, type ModelDeclaration } from './declaration.ts';
import { writeModelParts } from './model-parts.ts';

/**
 * Makes each declared model exist, enabled and with exactly the declared values; providers must exist.
 * @param managedBy who declares them; the rows are theirs from now on.
 * @returns whether anything changed; nothing is published otherwise.
 * @throws AppError `validation_failed`; `loc` begins with the index in the list.
 */
export async function upsertModels(
  work: Work,
  managedBy: ManagedBy | null,
  declarations: readonly ModelDeclaration[],
): Promise<boolean> {
  refuseIssues(checkModels(declarations));
  if (declarations.length === 0) return false;
  await lockCatalogue(work);
  refuseIssues(await findNameConflicts(work.executor, declarations));
  const { ids, changed } = await upsertRows(work, managedBy, declarations);
  const partsChanged = await writeModelParts(work, managedBy, { ids, declarations });
  announceWhen(changed || partsChanged, work, 'models');
  return changed || partsChanged;
}

async function upsertRows(
  { executor }: Work,
  managedBy: ManagedBy | null,
  declarations: readonly ModelDeclaration[],
): Promise<{ ids: ReadonlyMap<string, number>; changed: boolean }> {
  const publicIds = declarations.map(({ id }) => id);
  const stored = await executor.select().from(models).where(inArray(models.publicId, publicIds));
  const storedById = new Map(stored.map((row) => [row.publicId, row]));
  const ids = new Map(stored.map(({ publicId, id }) => [publicId, id]));
  const missing: (typeof models.$inferInsert)[] = [];
  let changed = false;
  for (const declaration of declarations) {
    const wanted = rowOf(declaration, managedBy);
    const found = storedById.get(declaration.id);
    if (found === undefined) {
      missing.push(wanted);
      continue;
    }
    const { id, createdAt, ...present } = found;
    if (Bun.deepEquals(present, wanted)) continue;
    await executor.update(models).set(wanted).where(eq(models.id, id));
    changed = true;
  }
  if (missing.length === 0) return { ids, changed };
  const inserted = await executor
    .insert(models)
    .values(missing)
    .returning({ id: models.id, publicId: models.publicId });
  for (const { publicId, id } of inserted) ids.set(publicId, id);
  return { ids, changed: true };
}

const rowOf = (declaration: ModelDeclaration, managedBy: ManagedBy | null) => ({
  publicId: declaration.id,
  type: declaration.type,
  ownedBy: declaration.ownedBy,
  contextWindow: declaration.contextWindow,
  maxOutputTokens: declaration.maxOutputTokens,
  capabilities: [...declaration.capabilities],
  rescue: declaration.rescue ?? false,
  // The usual one is no value, as it is of rows from before there were others.
  routing: declaration.routing === undefined || declaration.routing === 'order' ? null : declaration.routing,
  displayOrder: declaration.displayOrder,
  enabled: true,
  managedBy,
});

/**
 * Disables the manager's models that it declares no more and frees their aliases for others.
 * @returns the ids of those that were enabled until now.
 */
export async function disableUndeclaredModels(
  work: Work,
  managedBy: ManagedBy,
  declaredIds: readonly string[],
): Promise<readonly string[]> {
  await lockCatalogue(work);
  const disabled = await work.executor
    .update(models)
    .set({ enabled: false })
    .where(
      and(
        eq(models.managedBy, managedBy),
        eq(models.enabled, true),
        notInArray(models.publicId, [...declaredIds]),
      ),
    )
    .returning({ id: models.id, publicId: models.publicId });
  if (disabled.length === 0) return [];
  const ids = disabled.map(({ id }) => id);
  await work.executor.delete(modelAliases).where(inArray(modelAliases.modelId, ids));
  announceWhen(true, work, 'models');
  return disabled.map(({ publicId }) => publicId);
}

/** The manager's enabled models that one of the providers serves, under the address that is given. */
export async function listModelsOf(
  executor: Executor,
  managedBy: ManagedBy,
  servers: readonly { readonly name: string; readonly baseUrl: string | null }[],
): Promise<readonly { readonly id: string; readonly server: string }[]> {
  const isServer = servers.map(({ name, baseUrl }) =>
    and(
      eq(providers.name, name),
      baseUrl === null ? isNull(providers.baseUrl) : eq(providers.baseUrl, baseUrl),
    ),
  );
  if (isServer.length === 0) return [];
  return await executor
    .select({ id: models.publicId, server: providers.name })
    .from(models)
    .innerJoin(deployments, eq(deployments.modelId, models.id))
    .innerJoin(providers, eq(providers.id, deployments.providerId))
    .where(and(eq(models.managedBy, managedBy), eq(models.enabled, true), or(...isServer)));
}

/**
 * An alias may take the id of a disabled model, so that a successor can answer to its old name; the other way
 * round, an id is refused while another model's alias has it.
 */
async function findNameConflicts(
  executor: Executor,
  declarations: readonly ModelDeclaration[],
): Promise<FieldIssue[]> {
  const declaredIds = new Set(declarations.map(({ id }) => id));
  const declaredAliases = declarations.flatMap(({ aliases }) => aliases);
  const aliasOwners = await findAliasOwners(executor, [...declaredIds, ...declaredAliases]);
  const enabledIds = await findEnabledIds(executor, declaredAliases);
  return declarations.flatMap((model, index) => {
    const idHolder = aliasOwners.get(model.id);
    return [
      ...(idHolder === undefined || declaredIds.has(idHolder)
        ? []
        : [conflict([index, 'id'], `"${model.id}" is already an alias of model "${idHolder}"`)]),
      ...model.aliases.flatMap((alias, at) => {
        const holder = aliasOwners.get(alias);
        const loc = [index, 'aliases', at];
        if (enabledIds.has(alias)) return [conflict(loc, `"${alias}" is the id of another model`)];
        if (holder === undefined || declaredIds.has(holder)) return [];
        return [conflict(loc, `"${alias}" is already an alias of model "${holder}"`)];
      }),
    ];
  });
}

async function findAliasOwners(
  executor: Executor,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await executor
    .select({ alias: modelAliases.alias, publicId: models.publicId })
    .from(modelAliases)
    .innerJoin(models, eq(models.id, modelAliases.modelId))
    .where(inArray(modelAliases.alias, [...names]));
  return new Map(rows.map(({ alias, publicId }) => [alias, publicId]));
}

async function findEnabledIds(executor: Executor, names: readonly string[]): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set();
  const rows = await executor
    .select({ publicId: models.publicId })
    .from(models)
    .where(and(eq(models.enabled, true), inArray(models.publicId, [...names])));
  return new Set(rows.map(({ publicId }) => publicId));
}

const conflict = (loc: readonly (string | number)[], msg: string): FieldIssue => ({
  loc,
  msg,
  type: 'name_taken',
});
