/** Makes a snapshot of the catalogue as of one moment, with the secrets of its credentials opened. */
import { asc, desc, eq, gt, lte } from 'drizzle-orm';
import { quantizations, readDataClaim } from '../base/data-policy.ts';
import type { Envelope } from '../base/envelope.ts';
import type { Database, Executor } from '../storage/database.ts';
import {
  deployments,
  modelAliases,
  models,
  priceVersions,
  providerCredentials,
  providers,
} from '../storage/schema/catalogue.ts';
import {
  type CatalogueSnapshot,
  type Credential,
  type Deployment,
  type Model,
  modelTypes,
  orderings,
  type Prices,
  type Provider,
} from './model.ts';
import { isBoundTo, placeOf } from './place.ts';
import { priceAt, toVersion } from './price-versions.ts';

export interface SnapshotReading {
  readonly snapshot: CatalogueSnapshot;
  /** Clear text by sealed text, for the next reading. */
  readonly openedSecrets: ReadonlyMap<string, string>;
  /** What had to be left out, a sentence each. */
  readonly problems: readonly string[];
}

interface ReadingSources {
  readonly db: Database;
  readonly envelope: Envelope;
  /** From the reading before, so that a secret is opened once and not at every change. */
  readonly openedSecrets: ReadonlyMap<string, string>;
  readonly nowMs: number;
}

/** Longer than a request takes: those under way find the prices of their start. */
const keptVersionsMs = 86_400_000;

export async function readSnapshot(sources: ReadingSources): Promise<SnapshotReading> {
  const { db, envelope, openedSecrets, nowMs } = sources;
  const since = new Date(nowMs - keptVersionsMs);
  const rows = await db.transaction((executor) => readRows(executor, since), {
    isolationLevel: 'repeatable read',
    accessMode: 'read only',
  });
  const problems: string[] = [];
  const opened = new Map<string, string>();
  const credentials = new Map<number, Credential[]>();
  const places = new Map(rows.providers.map((provider) => [provider.id, placeOf(provider)]));
  for (const { id, name, providerId, sealedSecret, boundTo, ...limits } of rows.credentials) {
    const place = places.get(providerId);
    if (place !== undefined && !isBoundTo(boundTo, place)) {
      problems.push(
        `credential "${name}" (${id}) was given for ${boundTo}, and its provider is now at ${place}: give it anew`,
      );
      continue;
    }
    const secret = openedSecrets.get(sealedSecret) ?? (await tryOpen(envelope, sealedSecret));
    if (secret === undefined) {
      problems.push(`credential "${name}" (${id}) was sealed under another SLUICE_SECRET: set it again`);
      continue;
    }
    opened.set(sealedSecret, secret);
    const { maxConcurrent, requestsPerMinute } = limits;
    const credential: Credential = { id, name, secret, maxConcurrent, requestsPerMinute };
    credentials.set(providerId, [...(credentials.get(providerId) ?? []), credential]);
  }
  const assembled = assembleSnapshot(rows, credentials, nowMs);
  return {
    snapshot: assembled.snapshot,
    openedSecrets: opened,
    problems: [...problems, ...assembled.problems],
  };
}

const tryOpen = (envelope: Envelope, sealed: string): Promise<string | undefined> =>
  envelope.open(sealed).catch(() => undefined);

type CatalogueRows = Awaited<ReturnType<typeof readRows>>;

/**
 * Several statements: run it in a transaction that sees one moment.
 * @param since older versions of prices are left out where a newer one was in effect then.
 */
async function readRows(executor: Executor, since: Date) {
  const { modelId, providerId, effectiveFrom, id } = priceVersions;
  return {
    providers: await executor.select().from(providers),
    credentials: await executor
      .select()
      .from(providerCredentials)
      .where(eq(providerCredentials.enabled, true))
      .orderBy(asc(providerCredentials.id)),
    models: await executor
      .select()
      .from(models)
      .where(eq(models.enabled, true))
      .orderBy(asc(models.displayOrder), asc(models.publicId)),
    prices: [
      ...(await executor
        .select()
        .from(priceVersions)
        .where(gt(effectiveFrom, since))
        .orderBy(desc(effectiveFrom), desc(id))),
      ...(await executor
        .selectDistinctOn([modelId, providerId])
        .from(priceVersions)
        .where(lte(effectiveFrom, since))
        .orderBy(modelId, providerId, desc(effectiveFrom), desc(id))),
    ],
    aliases: await executor.select().from(modelAliases).orderBy(asc(modelAliases.alias)),
    deployments: await executor.select().from(deployments).orderBy(asc(deployments.position)),
  };
}

/** @param credentials opened, by the id of their provider. */
function assembleSnapshot(
  rows: CatalogueRows,
  credentials: ReadonlyMap<number, readonly Credential[]>,
  nowMs: number,
): { snapshot: CatalogueSnapshot; problems: readonly string[] } {
  const problems: string[] = [];
  const prices = groupByModel(rows.prices);
  const aliases = groupByModel(rows.aliases);
  const deployments = groupByModel(rows.deployments);
  const providers = new Map(
    rows.providers
      .filter(({ visible }) => visible)
      .map((row): [number, Provider] => [row.id, providerOf(row, credentials.get(row.id) ?? [])]),
  );
  const byName = new Map<string, Model>();
  const models: Model[] = [];
  for (const row of rows.models) {
    const type = modelTypes.find((known) => known === row.type);
    if (type === undefined) {
      problems.push(`model "${row.publicId}" has the unknown type "${row.type}" and is left out`);
      continue;
    }
    const versions = Map.groupBy(prices.get(row.id) ?? [], ({ providerId }) => providerId);
    const priceVersions = (versions.get(null) ?? []).map(toVersion);
    const served = (deployments.get(row.id) ?? []).flatMap((deployed): Deployment[] => {
      const { providerId, upstreamId, contextWindow } = deployed;
      const provider = providers.get(providerId);
      if (provider === undefined) return [];
      return [
        {
          provider,
          upstreamId,
          contextWindow,
          weight: deployed.weight ?? 1,
          quantization: quantizations.find((known) => known === deployed.quantization) ?? null,
          priceVersions: (versions.get(providerId) ?? []).map(toVersion),
        },
      ];
    });
    const model: Model = {
      publicId: row.publicId,
      type,
      ownedBy: row.ownedBy,
      aliases: (aliases.get(row.id) ?? []).map(({ alias }) => alias),
      contextWindow: row.contextWindow,
      maxOutputTokens: row.maxOutputTokens,
      capabilities: row.capabilities,
      rescue: row.rescue,
      prices: firstPrices({ priceVersions }, served, nowMs),
      priceVersions,
      deployments: served,
      routing: orderings.find((known) => known === row.routing) ?? 'order',
      createdAtMs: row.createdAt.getTime(),
    };
    if (model.deployments.length > 0) models.push(model);
    for (const name of [model.publicId, ...model.aliases]) byName.set(name, model);
  }
  const pricesChangeAtMs = earliest(rows.prices, nowMs);
  return { snapshot: { byName, models, pricesChangeAtMs }, problems };
}

function providerOf(row: CatalogueRows['providers'][number], credentials: readonly Credential[]): Provider {
  const { id, name, kind, baseUrl, region, settings, dataPolicy, managedBy } = row;
  const dataClaim = readDataClaim(dataPolicy);
  return {
    id,
    name,
    kind,
    baseUrl,
    region,
    settings,
    credentials,
    isDeclared: managedBy !== null,
    dataClaim,
  };
}

function earliest(versions: CatalogueRows['prices'], nowMs: number): number | null {
  const toCome = versions.map(({ effectiveFrom }) => effectiveFrom.getTime()).filter((at) => at > nowMs);
  return toCome.reduce<number | null>((first, at) => (first === null || at < first ? at : first), null);
}

function groupByModel<Row extends { modelId: number }>(rows: readonly Row[]): ReadonlyMap<number, Row[]> {
  return Map.groupBy(rows, ({ modelId }) => modelId);
}

/** Of the first deployment that has any: requests go to it, or past those without a price to it. */
function firstPrices(
  model: Pick<Model, 'priceVersions'>,
  served: readonly Deployment[],
  nowMs: number,
): Prices | null {
  for (const deployment of served) {
    const found = priceAt(model, deployment, nowMs);
    if (found !== null) return found.prices;
  }
  return null;
}
