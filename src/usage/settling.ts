/** Settles days that are over: makes sums of them that tell less apart, and those of weeks. README.md says what for. */
import { and, eq, gte, sql } from 'drizzle-orm';
import type { Executor } from '../storage/database.ts';
import { usageDaily, usageHourly, usageSettled, usageWeekly } from '../storage/schema/usage.ts';
import { type Facet, facets, foldedFacets, foldedOf, settledFacets } from './facets.ts';
import { addTo, rowsOf, sumsOfSums } from './rollups.ts';

const folded: readonly Facet[] = Object.values(foldedFacets);
const settled: readonly Facet[] = Object.values(settledFacets);

const dayMs = 86_400_000;
/** Requests are stored when they end, under the time at which they began: most are there by then. */
const settledAfterMs = 3_600_000;
/** 1970-01-05 was a Monday. */
const firstMondayMs = 4 * dayMs;
export const mondayBefore = (ms: number): number =>
  Math.floor((ms - firstMondayMs) / (7 * dayMs)) * 7 * dayMs + firstMondayMs;

export interface Settled {
  /** True when there may be days left. */
  readonly hasMore: boolean;
}

/**
 * Makes the sums of days that are over, and of the week that ends with them, at most a week at once. It belongs into a
 * transaction in which nobody else folds.
 */
export async function settleDays(executor: Executor, nowMs: number): Promise<Settled> {
  const lastMs = Math.floor((nowMs - settledAfterMs) / dayMs) * dayMs;
  const settledMs = await readSettledUntil(executor);
  if (settledMs >= lastMs) return { hasMore: false };
  const fromMs = await firstUnsettled(executor, settledMs, lastMs);
  const toMs = Math.min(lastMs, mondayBefore(fromMs) + 7 * dayMs);
  if (fromMs < toMs) {
    const days = between(fromMs, toMs);
    for (const facet of settled) {
      if (facet.hasHours) await executor.execute(addTo(usageHourly, [madeOf(facet, 'usage_hourly', days)]));
      await executor.execute(addTo(usageDaily, [madeOf(facet, 'usage_daily', days)]));
    }
    if (mondayBefore(toMs) === toMs) {
      const week = between(toMs - 7 * dayMs, toMs);
      for (const facet of [...folded, ...settled]) {
        await executor.execute(addTo(usageWeekly, [weekOf(facet, week)]));
      }
    }
  }
  await executor.update(usageSettled).set({ until: new Date(toMs) });
  return { hasMore: toMs < lastMs };
}

/** In milliseconds: days before it are settled, and weeks that end before it or with it. It never goes back. */
export async function readSettledUntil(executor: Executor): Promise<number> {
  const [row] = await executor.select().from(usageSettled);
  return row?.until.getTime() ?? 0;
}

/** A week that began is settled to its end; between weeks, those in which nothing came are left out. */
async function firstUnsettled(executor: Executor, settledMs: number, lastMs: number): Promise<number> {
  if (mondayBefore(settledMs) !== settledMs) return settledMs;
  const [first] = await executor
    .select({ at: sql<string | null>`min(${usageDaily.bucketAt})` })
    .from(usageDaily)
    .where(and(eq(usageDaily.facet, facets.models.id), gte(usageDaily.bucketAt, new Date(settledMs))));
  const at = first?.at == null ? lastMs : new Date(first.at).getTime();
  return at >= lastMs ? lastMs : Math.max(settledMs, mondayBefore(at));
}

const between = (fromMs: number, toMs: number): string =>
  `bucket_at >= '${new Date(fromMs).toISOString()}' AND bucket_at < '${new Date(toMs).toISOString()}'`;

const madeOf = (facet: Facet, table: 'usage_hourly' | 'usage_daily', days: string): string =>
  rowsOf([facet], {
    bucket: 'bucket_at',
    from: `${table} WHERE facet = ${foldedOf(facet).id} AND ${days}`,
    summed: sumsOfSums,
  });

const weekOf = (facet: Facet, week: string): string =>
  rowsOf([facet], {
    bucket: "date_trunc('week', bucket_at, 'UTC')",
    from: `usage_daily WHERE facet = ${facet.id} AND ${week}`,
    summed: sumsOfSums,
  });
