/** Writes models with their prices, aliases and deployments, touching only what differs. */
import { and, eq, inArray, notInArray } from 'drizzle-orm';
import { modelAliases, models } from '../storage/schema/catalogue.ts';
import { checkModels, type ManagedBy, type ModelDeclaration } from './declaration.ts';
import { writeModelParts } from './model-parts.ts';
import { findNameConflicts } from './names.ts';
import { type CatalogueWriter, lockCatalogue, publishWhen, refuseIssues } from './writer.ts';

/**
 * Makes each declared model exist, enabled and with exactly the declared values; providers must exist.
 * @param managedBy who declares them; the rows are theirs from now on.
 * @returns whether anything changed; nothing is published otherwise.
 * @throws AppError `validation_failed`; `loc` begins with the index in the list.
 */
export async function upsertModels(
  writer: CatalogueWriter,
  managedBy: ManagedBy | null,
  declarations: readonly ModelDeclaration[],
): Promise<boolean> {
  refuseIssues(checkModels(declarations));
  if (declarations.length === 0) return false;
  await lockCatalogue(writer);
  refuseIssues(await findNameConflicts(writer.executor, declarations));
  const { ids, changed } = await upsertRows(writer, managedBy, declarations);
  const partsChanged = await writeModelParts(writer.executor, ids, declarations);
  await publishWhen(changed || partsChanged, writer, 'models');
  return changed || partsChanged;
}

async function upsertRows(
  { executor }: CatalogueWriter,
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
  displayOrder: declaration.displayOrder,
  enabled: true,
  managedBy,
});

/**
 * Disables the manager's models that it declares no more and frees their aliases for others.
 * @returns the ids of those that were enabled until now.
 */
export async function disableUndeclaredModels(
  writer: CatalogueWriter,
  managedBy: ManagedBy,
  declaredIds: readonly string[],
): Promise<readonly string[]> {
  await lockCatalogue(writer);
  const disabled = await writer.executor
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
  await writer.executor.delete(modelAliases).where(inArray(modelAliases.modelId, ids));
  await publishWhen(true, writer, 'models');
  return disabled.map(({ publicId }) => publicId);
}
