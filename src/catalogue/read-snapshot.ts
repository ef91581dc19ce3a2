/** Makes a snapshot of the catalogue as of one moment, with the secrets of its credentials opened. */
import { asc, eq } from 'drizzle-orm';
import type { Envelope } from '../base/envelope.ts';
import type { Database, Executor } from '../storage/database.ts';
import {
  deployments,
  modelAliases,
  modelPrices,
  models,
  providerCredentials,
  providers,
} from '../storage/schema/catalogue.ts';
import {
  type CatalogueSnapshot,
  type Credential,
  type Deployment,
  isMeter,
  type Model,
  modelTypes,
  type Prices,
  type Provider,
} from './model.ts';

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
}

export async function readSnapshot({
  db,
  envelope,
  openedSecrets,
}: ReadingSources): Promise<SnapshotReading> {
  const rows = await db.transaction(readRows, { isolationLevel: 'repeatable read', accessMode: 'read only' });
  const problems: string[] = [];
  const opened = new Map<string, string>();
  const credentials = new Map<number, Credential[]>();
  for (const { id, name, providerId, sealedSecret } of rows.credentials) {
    const secret = openedSecrets.get(sealedSecret) ?? (await tryOpen(envelope, sealedSecret));
    if (secret === undefined) {
      problems.push(`credential "${name}" (${id}) was sealed under another SLUICE_SECRET: set it again`);
      continue;
    }
    opened.set(sealedSecret, secret);
    credentials.set(providerId, [...(credentials.get(providerId) ?? []), { id, name, secret }]);
  }
  const assembled = assembleSnapshot(rows, credentials);
  return {
    snapshot: assembled.snapshot,
    openedSecrets: opened,
    problems: [...problems, ...assembled.problems],
  };
}

const tryOpen = (envelope: Envelope, sealed: string): Promise<string | undefined> =>
  envelope.open(sealed).catch(() => undefined);

export type CatalogueRows = Awaited<ReturnType<typeof readRows>>;

/** Several statements: run it in a transaction that sees one moment. */
export async function readRows(executor: Executor) {
  return {
    providers: await executor.select().from(providers).where(eq(providers.visible, true)),
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
    prices: await executor.select().from(modelPrices),
    aliases: await executor.select().from(modelAliases).orderBy(asc(modelAliases.alias)),
    deployments: await executor.select().from(deployments).orderBy(asc(deployments.position)),
  };
}

/** @param credentials opened, by the id of their provider. */
function assembleSnapshot(
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
      deployments: (deployments.get(row.id) ?? []).flatMap((row): Deployment[] => {
        const { upstreamId, contextWindow } = row;
        const provider = providers.get(row.providerId);
        return provider === undefined ? [] : [{ provider, upstreamId, contextWindow }];
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
  const known = rows.flatMap(({ meter, nanoUsdPerMillion }) =>
    isMeter(meter) ? [[meter, nanoUsdPerMillion] as const] : [],
  );
  return Object.fromEntries(known);
}

function groupByModel<Row extends { modelId: number }>(rows: readonly Row[]): ReadonlyMap<number, Row[]> {
  return Map.groupBy(rows, ({ modelId }) => modelId);
}
