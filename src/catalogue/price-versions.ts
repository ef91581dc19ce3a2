/** What a request pays by: the version of the prices that held when it began, at the provider that serves it. */
import type { priceVersions } from '../storage/schema/catalogue.ts';
import { type Deployment, isMeter, type Model, type Prices, type PriceVersion } from './model.ts';

/** A version that has prices. */
export interface PricesInEffect extends PriceVersion {
  readonly prices: Prices;
}

/**
 * @param deployment who serves; null where nobody was asked, for the model's own prices.
 * @param atMs the start of the request.
 * @returns null where nothing had a price then: it is not served to those who pay.
 */
export function priceAt(
  { priceVersions }: Pick<Model, 'priceVersions'>,
  deployment: Pick<Deployment, 'priceVersions'> | null,
  atMs: number,
): PricesInEffect | null {
  const own = deployment === null ? null : versionAt(deployment.priceVersions, atMs);
  return own ?? versionAt(priceVersions, atMs);
}

/** Newest first, and seldom more than the one that holds: the first comparison finds it. */
function versionAt(versions: readonly PriceVersion[], atMs: number): PricesInEffect | null {
  for (const version of versions) if (version.fromMs <= atMs) return hasPrices(version) ? version : null;
  return null;
}

const hasPrices = (version: PriceVersion): version is PricesInEffect => version.prices !== null;

/** Prices are one object until the catalogue is read anew. */
const free = new WeakMap<Prices, boolean>();

/** Whether nothing can ever be charged by them. */
export function areFree(prices: Prices): boolean {
  const known = free.get(prices);
  if (known !== undefined) return known;
  const isFree = Object.values(prices).every((price) => price === 0n);
  free.set(prices, isFree);
  return isFree;
}

/** As a row keeps them: decimal text, since a number of JSON is not exact. */
export function writePrices(prices: Prices | null): Readonly<Record<string, string>> | null {
  if (prices === null) return null;
  return Object.fromEntries(
    Object.entries(prices).flatMap(([meter, price]) => (price === undefined ? [] : [[meter, `${price}`]])),
  );
}

export const toVersion = (row: typeof priceVersions.$inferSelect): PriceVersion => ({
  id: row.id,
  fromMs: row.effectiveFrom.getTime(),
  prices: readPrices(row.prices),
});

/** Meters that only a newer version of this program knows are left out. */
export function readPrices(stored: Readonly<Record<string, string>> | null): Prices | null {
  if (stored === null) return null;
  return Object.fromEntries(
    Object.entries(stored).flatMap(([meter, price]) => (isMeter(meter) ? [[meter, BigInt(price)]] : [])),
  );
}
