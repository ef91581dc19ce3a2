/** Makes the versions of prices say what is declared: a version more where it differs from the one in effect. */
import { asc, inArray } from 'drizzle-orm';
import { laterNowMs } from '../storage/agreed-time.ts';
import { priceVersions } from '../storage/schema/catalogue.ts';
import type { Work } from '../storage/work.ts';
import type { ManagedBy, PriceChange } from './declaration.ts';
import type { Prices } from './model.ts';
import { readPrices, writePrices } from './price-versions.ts';

/** What is declared for a model, at one provider or at any. */
export interface DeclaredPrices {
  readonly modelId: number;
  readonly providerId: number | null;
  /** Those that hold unless one of the changes does; null where there are none. */
  readonly prices: Prices | null;
  readonly changes: readonly PriceChange[];
}

type Row = typeof priceVersions.$inferSelect;
type NewRow = typeof priceVersions.$inferInsert;

/**
 * Of a model's first version, so that it holds for all that was used before it. A provider's own first one begins when it
 * is written where the model had a price until then, which is what was charged.
 */
export const beginning = new Date(0);

/** @returns whether any row was written. */
export async function declarePrices(
  work: Work,
  managedBy: ManagedBy | null,
  declared: readonly DeclaredPrices[],
): Promise<boolean> {
  const { executor } = work;
  const modelIds = [...new Set(declared.map(({ modelId }) => modelId))];
  const stored = await executor
    .select()
    .from(priceVersions)
    .where(inArray(priceVersions.modelId, modelIds))
    .orderBy(asc(priceVersions.effectiveFrom), asc(priceVersions.id));
  const lanes = Map.groupBy(stored, laneOf);
  // What another process wrote may be to come by this one's clock only, and the database keeps what is in effect.
  const now = new Date(await laterNowMs(work));
  const withdrawn: number[] = [];
  const wanted: NewRow[] = [];
  for (const lane of declared) {
    const present = lanes.get(laneOf(lane)) ?? [];
    const ofModel = lanes.get(laneOf({ ...lane, providerId: null })) ?? [];
    const hadPrice = ofModel.some((row) => row.effectiveFrom <= now && readPrices(row.prices) !== null);
    const difference = compare(present, lane, { managedBy, now, first: hadPrice ? now : beginning });
    withdrawn.push(...difference.withdrawn);
    const { modelId, providerId } = lane;
    for (const { from, prices } of difference.wanted) {
      wanted.push({ modelId, providerId, effectiveFrom: from, prices: writePrices(prices), managedBy });
    }
  }
  if (withdrawn.length > 0) await executor.delete(priceVersions).where(inArray(priceVersions.id, withdrawn));
  if (wanted.length > 0) await executor.insert(priceVersions).values(wanted);
  return withdrawn.length > 0 || wanted.length > 0;
}

const laneOf = ({ modelId, providerId }: Pick<Row, 'modelId' | 'providerId'>) => `${modelId} ${providerId}`;

interface Version {
  readonly from: Date;
  readonly prices: Prices | null;
}

/** @param present in order of time. */
function compare(
  present: readonly Row[],
  { prices, changes }: DeclaredPrices,
  { managedBy, now, first }: Pick<Wanting, 'managedBy' | 'now' | 'first'>,
): { readonly withdrawn: readonly number[]; readonly wanted: readonly Version[] } {
  const declared = changes.toSorted((a, b) => a.from.getTime() - b.from.getTime());
  const toCome = declared.filter(({ from }) => from > now);
  const planned = present.filter((row) => row.effectiveFrom > now && row.managedBy === managedBy);
  const withdrawn = planned.filter((row) => !toCome.some((change) => isSame(row, change)));
  const missing = toCome.filter((change) => !planned.some((row) => isSame(row, change)));
  return {
    withdrawn: withdrawn.map(({ id }) => id),
    wanted: [...wantedNow(present, { prices, changes: declared, managedBy, now, first }), ...missing],
  };
}

interface Wanting {
  readonly prices: Prices | null;
  /** In order of time. */
  readonly changes: readonly Version[];
  readonly managedBy: ManagedBy | null;
  readonly now: Date;
  /** From when the first version holds. */
  readonly first: Date;
}

/** What has to be written so that what is in effect is what is declared for now. */
function wantedNow(
  present: readonly Row[],
  { prices, changes, managedBy, now, first }: Wanting,
): readonly Version[] {
  const past = changes.filter(({ from }) => from <= now);
  const inEffect = present.findLast(({ effectiveFrom }) => effectiveFrom <= now);
  if (inEffect === undefined) {
    if (prices === null) return past;
    // Behind what was charged until now a change that is dated holds as it says, and the price before it nowhere.
    if (first > beginning && past.length > 0) return past;
    return [{ from: first, prices }, ...past];
  }
  const dated = past.at(-1);
  const wanted = dated === undefined ? prices : dated.prices;
  if (arePricesEqual(readPrices(inEffect.prices), wanted)) return [];
  if (!mayReplace(inEffect, managedBy, wanted)) return [];
  const isLater = dated !== undefined && dated.from > inEffect.effectiveFrom;
  return [{ from: isLater ? dated.from : now, prices: wanted }];
}

/** The shipped list gives way to people and to the file; nobody's saying nothing takes away what another has set. */
function mayReplace(inEffect: Row, managedBy: ManagedBy | null, wanted: Prices | null): boolean {
  if (managedBy === null || inEffect.managedBy === managedBy) return true;
  return managedBy === 'file' && wanted !== null;
}

const isSame = (row: Row, { from, prices }: Version): boolean =>
  row.effectiveFrom.getTime() === from.getTime() && arePricesEqual(readPrices(row.prices), prices);

const arePricesEqual = (left: Prices | null, right: Prices | null): boolean =>
  Bun.deepEquals(writePrices(left), writePrices(right));
