/** One name, one model: which declared names already stand for something else in the database. */
import { and, eq, inArray } from 'drizzle-orm';
import type { FieldIssue } from '../base/errors.ts';
import type { Executor } from '../storage/database.ts';
import { modelAliases, models } from '../storage/schema/catalogue.ts';
import type { ModelDeclaration } from './declaration.ts';

/**
 * An alias may take the id of a disabled model, so that a successor can answer to its old name; the other way
 * round, an id is refused while another model's alias has it.
 */
export async function findNameConflicts(
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
