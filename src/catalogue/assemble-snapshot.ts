/** Joins the rows of one reading into the shapes that the request path looks things up in. */
import {
  type CatalogueSnapshot,
  type Credential,
  type Deployment,
  type Model,
  meters,
  modelTypes,
  type Prices,
  type Provider,
} from './model.ts';
import type { CatalogueRows } from './read-rows.ts';

/** @param credentials opened, by the id of their provider. */
export function assembleSnapshot(
  rows: CatalogueRows,
  credentials: ReadonlyMap<number, readonly Credential[]>,
): { snapshot: CatalogueSnapshot; problems: readonly string[] } {
  const problems: string[] = [];
  const prices = groupByModel(rows.prices);
  const aliases = groupByModel(rows.aliases);
  const deployments = groupByModel(rows.deployments);
  const providers = new Map(
    rows.providers.map(({ id, name, kind, baseUrl, region, settings }): [number, Provider] => [
      id,
      { id, name, kind, baseUrl, region, settings, credentials: credentials.get(id) ?? [] },
    ]),
  );
  const byName = new Map<string, Model>();
  const models: Model[] = [];
  for (const row of rows.models) {
    const type = modelTypes.find((known) => known === row.type);
    if (type === undefined) {
      problems.push(`model "${row.publicId}" has the unknown type "${row.type}" and is left out`);
      continue;
    }
    const model: Model = {
      publicId: row.publicId,
      type,
      ownedBy: row.ownedBy,
      aliases: (aliases.get(row.id) ?? []).map(({ alias }) => alias),
      contextWindow: row.contextWindow,
      maxOutputTokens: row.maxOutputTokens,
      capabilities: row.capabilities,
      prices: assemblePrices(prices.get(row.id)),
      deployments: (deployments.get(row.id) ?? []).flatMap(({ providerId, upstreamId }): Deployment[] => {
        const provider = providers.get(providerId);
        return provider === undefined ? [] : [{ provider, upstreamId }];
      }),
      createdAtMs: row.createdAt.getTime(),
    };
    if (model.deployments.length > 0) models.push(model);
    for (const name of [model.publicId, ...model.aliases]) byName.set(name, model);
  }
  return { snapshot: { byName, models }, problems };
}

function assemblePrices(rows: CatalogueRows['prices'] | undefined): Prices | null {
  if (rows === undefined) return null;
  const byMeter = new Map(rows.map(({ meter, nanoUsdPerMillion }) => [meter, nanoUsdPerMillion]));
  return Object.fromEntries(
    meters.flatMap((meter) => {
      const price = byMeter.get(meter);
      return price === undefined ? [] : [[meter, price]];
    }),
  );
}

function groupByModel<Row extends { modelId: number }>(rows: readonly Row[]): ReadonlyMap<number, Row[]> {
  return Map.groupBy(rows, ({ modelId }) => modelId);
}
