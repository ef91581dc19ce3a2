/** Versions of prices as people set, list and withdraw them. */
import { and, asc, eq, gt, isNull } from 'drizzle-orm';
import { AppError } from '../base/errors.ts';
import { laterNowMs } from '../storage/agreed-time.ts';
import type { Executor } from '../storage/database.ts';
import { deployments, models, priceVersions, providers } from '../storage/schema/catalogue.ts';
import type { Work } from '../storage/work.ts';
import { announceWhen, lockCatalogue, refuseIssues } from './catalogue-work.ts';
import { checkPrices } from './declaration.ts';
import { beginning } from './declared-prices.ts';
import { type Meter, modelTypes, type Prices, type PriceVersion } from './model.ts';
import { type PricesInEffect, priceAt, readPrices, writePrices } from './price-versions.ts';

/** A version as it is listed, with the names of what it is for. */
export interface ListedVersion {
  readonly id: number;
  readonly model: string;
  /** Null holds at every provider without prices of its own. */
  readonly provider: string | null;
  readonly from: Date;
  readonly prices: Prices | null;
  readonly note: string | null;
  readonly managedBy: string | null;
  readonly createdAt: Date;
}

/** In order of model, provider and time; of several of the same moment the last holds. */
export async function listPriceVersions(
  executor: Executor,
  { model }: { readonly model?: string | undefined } = {},
): Promise<readonly ListedVersion[]> {
  const rows = await executor
    .select({ version: priceVersions, model: models.publicId, provider: providers.name })
    .from(priceVersions)
    .innerJoin(models, eq(models.id, priceVersions.modelId))
    .leftJoin(providers, eq(providers.id, priceVersions.providerId))
    .where(model === undefined ? undefined : eq(models.publicId, model))
    .orderBy(
      asc(models.publicId),
      asc(providers.name),
      asc(priceVersions.effectiveFrom),
      asc(priceVersions.id),
    );
  return rows.map(({ version, model, provider }) => ({
    id: version.id,
    model,
    provider,
    from: version.effectiveFrom,
    prices: readPrices(version.prices),
    note: version.note,
    managedBy: version.managedBy,
    createdAt: version.createdAt,
  }));
}

/** Every version there is, to find those that hold at moments of the past. */
export class PriceBook {
  readonly #versions: ReadonlyMap<string, readonly PriceVersion[]>;

  constructor(versions: readonly ListedVersion[]) {
    const newestFirst = versions
      .toReversed()
      .map((version) => ({ ...version, fromMs: version.from.getTime() }));
    this.#versions = Map.groupBy(newestFirst, placeOf);
  }

  static async read(executor: Executor, of: { readonly model?: string | undefined }): Promise<PriceBook> {
    return new PriceBook(await listPriceVersions(executor, of));
  }

  /** What a request pays that began then, at the provider that served it; null where nothing had a price. */
  at(model: string, provider: string, atMs: number): PricesInEffect | null {
    const of = (place: string | null) => ({
      priceVersions: this.#versions.get(placeOf({ model, provider: place })) ?? [],
    });
    return priceAt(of(null), of(provider), atMs);
  }
}

export interface NewPrices {
  readonly model: string;
  readonly provider: string | null;
  /** Null means from now on. A date of the past corrects it: what was charged stays until it is rated again. */
  readonly from: Date | null;
  /** Those that are not named stay as they are then; null takes one away. */
  readonly changes: Readonly<Partial<Record<Meter, bigint | null>>>;
  readonly note: string | null;
}

/**
 * Sets prices by hand, as a version more. One that is to come at the very same moment is replaced.
 * @returns the version as it is listed.
 * @throws AppError not_found or validation_failed.
 */
export async function setPrices(work: Work, wanted: NewPrices): Promise<ListedVersion> {
  const { executor } = work;
  await lockCatalogue(work);
  const { modelId, type, providerId } = await findTarget(executor, wanted);
  const now = new Date(await laterNowMs(work));
  const known = await listPriceVersions(executor, { model: wanted.model });
  const ofProvider = known.filter(({ provider }) => provider === wanted.provider);
  const isFirst = known.length === 0 && wanted.from === null;
  const from = wanted.from ?? (isFirst ? beginning : now);
  const at = (versions: readonly ListedVersion[]) => versions.findLast((each) => each.from <= from)?.prices;
  const before = at(ofProvider) ?? at(known.filter(({ provider }) => provider === null)) ?? {};
  const prices = merge(before, wanted.changes);
  refuseIssues(checkPrices(type, prices, ['prices']));
  const isToCome = and(
    eq(priceVersions.modelId, modelId),
    providerId === null ? isNull(priceVersions.providerId) : eq(priceVersions.providerId, providerId),
    eq(priceVersions.effectiveFrom, from),
    gt(priceVersions.effectiveFrom, now),
  );
  await executor.delete(priceVersions).where(isToCome);
  const [made] = await executor
    .insert(priceVersions)
    .values({
      ...{ modelId, providerId, effectiveFrom: from, note: wanted.note, createdAt: now },
      prices: writePrices(prices),
    })
    .returning({ id: priceVersions.id });
  if (made === undefined) throw new Error('the version that was just made is not there');
  announceWhen(true, work, 'models');
  const { model, provider, note } = wanted;
  const written = Object.entries(prices).map(([meter, price]) => `${meter} ${price}`);
  work.note({
    ...{ action: 'price.set', subject: { kind: 'model', id: modelId, label: model }, owner: 'house' },
    details: { provider, from: from.toISOString(), nanoUsdPerMillion: written },
  });
  return { id: made.id, model, provider, from, prices, note, managedBy: null, createdAt: now };
}

function merge(before: Prices, changes: NewPrices['changes']): Prices {
  const merged = { ...before, ...changes };
  return Object.fromEntries(Object.entries(merged).filter(([, price]) => price != null));
}

async function findTarget(executor: Executor, { model, provider }: NewPrices) {
  const [found] = await executor
    .select({ id: models.id, type: models.type })
    .from(models)
    .where(eq(models.publicId, model));
  const type = modelTypes.find((each) => each === found?.type);
  if (found === undefined || type === undefined) {
    throw new AppError({ code: 'not_found', public: `There is no model ${model}. An alias has no price.` });
  }
  if (provider === null) return { modelId: found.id, type, providerId: null };
  const [served] = await executor
    .select({ id: providers.id })
    .from(providers)
    .where(eq(providers.name, provider));
  if (served === undefined) {
    throw new AppError({ code: 'not_found', public: `There is no provider ${provider}.` });
  }
  return { modelId: found.id, type, providerId: served.id };
}

/** Takes back a version that is to come. @throws AppError not_found, or conflict where it is or was in effect. */
export async function withdrawPrices(work: Work, id: number): Promise<void> {
  const { executor } = work;
  await lockCatalogue(work);
  const [row] = await executor.select().from(priceVersions).where(eq(priceVersions.id, id));
  if (row === undefined) {
    throw new AppError({ code: 'not_found', public: `There is no version ${id} of prices.` });
  }
  if (row.effectiveFrom.getTime() <= (await laterNowMs(work))) {
    throw new AppError({
      code: 'conflict',
      public: `Version ${id} is or was in effect and stays as it is. Set other prices instead.`,
    });
  }
  await executor.delete(priceVersions).where(eq(priceVersions.id, id));
  const [model] = await executor
    .select({ label: models.publicId })
    .from(models)
    .where(eq(models.id, row.modelId));
  work.note({
    ...{ action: 'price.withdrawn', subject: { kind: 'model', id: row.modelId, ...model }, owner: 'house' },
    details: { version: id, from: row.effectiveFrom.toISOString() },
  });
  announceWhen(true, work, 'models');
}

/** A model that somebody serves, and those of its providers at which it has no price. */
export interface Unpriced {
  readonly model: string;
  readonly providers: readonly string[];
  /** No provider of it has a price: who pays is refused the model. */
  readonly isWhole: boolean;
}

/** What lacks a price at a moment, in order of the models' names. */
export async function findUnpriced(executor: Executor, at: Date): Promise<readonly Unpriced[]> {
  const served = await executor
    .select({ model: models.publicId, provider: providers.name })
    .from(deployments)
    .innerJoin(models, and(eq(models.id, deployments.modelId), eq(models.enabled, true)))
    .innerJoin(providers, and(eq(providers.id, deployments.providerId), eq(providers.visible, true)))
    .orderBy(asc(models.publicId), asc(deployments.position));
  const inEffect = new Map<string, ListedVersion>();
  for (const version of await listPriceVersions(executor)) {
    if (version.from <= at) inEffect.set(placeOf(version), version);
  }
  const hasPrice = (model: string, provider: string | null) =>
    inEffect.get(placeOf({ model, provider }))?.prices != null;
  return [...Map.groupBy(served, ({ model }) => model)].flatMap(([model, rows]) => {
    if (hasPrice(model, null)) return [];
    const lacking = rows.map(({ provider }) => provider).filter((provider) => !hasPrice(model, provider));
    const isWhole = lacking.length === rows.length;
    return lacking.length === 0 ? [] : [{ model, providers: lacking, isWhole }];
  });
}

const placeOf = ({ model, provider }: Pick<ListedVersion, 'model' | 'provider'>) =>
  JSON.stringify([model, provider]);
