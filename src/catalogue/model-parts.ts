/** The rows that hang on a model: its aliases and deployments, replaced whole where they differ, and its prices. */
import { asc, inArray } from 'drizzle-orm';
import type { Executor } from '../storage/database.ts';
import { deployments, modelAliases, providers } from '../storage/schema/catalogue.ts';
import type { Work } from '../storage/work.ts';
import { refuseIssues } from './catalogue-work.ts';
import type { ManagedBy, ModelDeclaration } from './declaration.ts';
import { type DeclaredPrices, declarePrices } from './declared-prices.ts';

type AliasRow = typeof modelAliases.$inferInsert;
type DeploymentRow = typeof deployments.$inferInsert;

/**
 * @param ids the row of each declared model.
 * @returns whether any row was written.
 * @throws AppError `validation_failed` when a deployment names a provider that does not exist.
 */
export async function writeModelParts(
  work: Work,
  managedBy: ManagedBy | null,
  { ids, declarations }: { ids: ReadonlyMap<string, number>; declarations: readonly ModelDeclaration[] },
): Promise<boolean> {
  const { executor } = work;
  const providerIds = await findProviders(executor, declarations);
  const targets = declarations.flatMap((declaration) => {
    const modelId = ids.get(declaration.id);
    return modelId === undefined ? [] : [{ declaration, modelId }];
  });
  const prices = targets.flatMap(({ declaration, modelId }) => pricesOf(declaration, modelId, providerIds));
  const aliases = targets.flatMap(({ declaration, modelId }) =>
    declaration.aliases.toSorted().map((alias): AliasRow => ({ alias, modelId })),
  );
  const served = targets.flatMap(({ declaration, modelId }) =>
    deploymentRows(declaration, modelId, providerIds),
  );
  const modelIds = targets.map(({ modelId }) => modelId);
  const pricesChanged = await declarePrices(work, managedBy, prices);
  const aliasesChanged = await replaceAliases(executor, modelIds, aliases);
  const deploymentsChanged = await replaceDeployments(executor, modelIds, served);
  return pricesChanged || aliasesChanged || deploymentsChanged;
}

function pricesOf(
  { prices, priceChanges = [], deployments }: ModelDeclaration,
  modelId: number,
  providerIds: ReadonlyMap<string, number>,
): DeclaredPrices[] {
  return [
    { modelId, providerId: null, prices, changes: priceChanges },
    ...deployments.flatMap(({ provider, prices: own = null, priceChanges: changes = [] }) => {
      const providerId = providerIds.get(provider);
      return providerId === undefined ? [] : [{ modelId, providerId, prices: own, changes }];
    }),
  ];
}

function deploymentRows(
  declaration: ModelDeclaration,
  modelId: number,
  providerIds: ReadonlyMap<string, number>,
): DeploymentRow[] {
  return declaration.deployments.flatMap((declared, position) => {
    const { provider, upstreamId, contextWindow = null, weight = null, quantization = null } = declared;
    const providerId = providerIds.get(provider);
    if (providerId === undefined) return [];
    return [{ modelId, providerId, position, upstreamId, contextWindow, weight, quantization }];
  });
}

async function findProviders(
  executor: Executor,
  declarations: readonly ModelDeclaration[],
): Promise<ReadonlyMap<string, number>> {
  const names = new Set(declarations.flatMap((model) => model.deployments.map(({ provider }) => provider)));
  if (names.size === 0) return new Map();
  const found = await executor
    .select({ id: providers.id, name: providers.name })
    .from(providers)
    .where(inArray(providers.name, [...names]));
  const ids = new Map(found.map(({ name, id }) => [name, id]));
  refuseIssues(
    declarations.flatMap((model, index) =>
      model.deployments.flatMap(({ provider }, at) =>
        ids.has(provider)
          ? []
          : [
              {
                loc: [index, 'providers', at, 'provider'],
                msg: `there is no provider "${provider}"`,
                type: 'missing_reference',
              },
            ],
      ),
    ),
  );
  return ids;
}

async function replaceAliases(executor: Executor, modelIds: number[], wanted: AliasRow[]): Promise<boolean> {
  const present = await executor.select().from(modelAliases).where(inArray(modelAliases.modelId, modelIds));
  const stale = differingModels(modelIds, present, wanted, ({ alias }) => alias);
  if (stale.length === 0) return false;
  await executor.delete(modelAliases).where(inArray(modelAliases.modelId, stale));
  const rows = wanted.filter(({ modelId }) => stale.includes(modelId));
  if (rows.length > 0) await executor.insert(modelAliases).values(rows);
  return true;
}

async function replaceDeployments(
  executor: Executor,
  modelIds: number[],
  wanted: DeploymentRow[],
): Promise<boolean> {
  const present = await executor
    .select()
    .from(deployments)
    .where(inArray(deployments.modelId, modelIds))
    .orderBy(asc(deployments.position));
  const stale = differingModels(modelIds, present, wanted, ({ position }) => String(position));
  if (stale.length === 0) return false;
  await executor.delete(deployments).where(inArray(deployments.modelId, stale));
  const rows = wanted.filter(({ modelId }) => stale.includes(modelId));
  if (rows.length > 0) await executor.insert(deployments).values(rows);
  return true;
}

/** The models whose rows are not exactly the wanted ones, whatever order the database returned them in. */
function differingModels<Row extends { modelId: number }>(
  modelIds: readonly number[],
  present: readonly Row[],
  wanted: readonly Row[],
  keyOf: (row: Row) => string,
): number[] {
  const rowsOf = (rows: readonly Row[], modelId: number) =>
    new Map(rows.filter((row) => row.modelId === modelId).map((row) => [keyOf(row), row]));
  return modelIds.filter((modelId) => !Bun.deepEquals(rowsOf(present, modelId), rowsOf(wanted, modelId)));
}
