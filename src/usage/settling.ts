/**
 * Settles days that are over, one of one facet at a time: makes sums of them that tell less apart, and those of weeks.
 * README.md says what for.
 */
import { and, eq, gte, sql } from 'drizzle-orm';
import type { Executor } from '../storage/database.ts';
import { longStatement } from '../storage/long-statement.ts';
import { usageDaily, usageHourly, usageSettled, usageWeekly } from '../storage/schema/usage.ts';
import { daysOf, type Facet, facets, foldedOf, settledFacets } from './facets.ts';
import { addTo, rowsOf, sumsOfSums } from './rollups.ts';

const all: readonly Facet[] = Object.values(facets);
const settled: readonly Facet[] = Object.values(settledFacets);

const dayMs = 86_400_000;
/** Requests are stored when they end, under the time at which they began: most are there by then. */
const settledAfterMs = 3_600_000;
/** 1970-01-05 was a Monday. */
const firstMondayMs = 4 * dayMs;
export const mondayBefore = (ms: number): number =>
  Math.floor((ms - firstMondayMs) / (7 * dayMs)) * 7 * dayMs + firstMondayMs;

/** In milliseconds, beginnings of days. Neither ever goes back. */
export interface SettledUntil {
  /** Days before it are settled. */
  readonly daysMs: number;
  /** Weeks that end before it or with it are. */
  readonly weeksMs: number;
}

const nothing: SettledUntil = { daysMs: firstMondayMs, weeksMs: firstMondayMs };

/** How far each facet is settled. */
export async function readSettled(executor: Executor): Promise<(facet: Facet) => SettledUntil> {
  const rows = await executor.select().from(usageSettled);
  const known = new Map(
    rows.map(({ facet, daysUntil, weeksUntil }) => [
      facet,
      { daysMs: daysUntil.getTime(), weeksMs: weeksUntil.getTime() },
    ]),
  );
  return ({ id }) => known.get(id) ?? nothing;
}

export interface Settled {
  /** True when something was done, so that there may be more; false when all is, or somebody else is at it. */
  readonly hasMore: boolean;
}

interface Step {
  readonly makes: 'days' | 'weeks';
  readonly facet: Facet;
  /** Of the facet's sums of days, those are made or added up next that begin here or later. */
  readonly fromMs: number;
  /** And before this. */
  readonly toMs: number;
}

/**
 * Makes one facet's sums of one day, or adds one day to its sums of weeks: what is furthest behind. It belongs into a
 * transaction of its own in which nobody else folds.
 */
export async function settleNext(executor: Executor, nowMs: number): Promise<Settled> {
  // A clock that is ahead would settle days that are not over, and folding into such days takes longer.
  const agreedMs = Math.min(nowMs, await readDatabaseMs(executor));
  const lastMs = Math.floor((agreedMs - settledAfterMs) / dayMs) * dayMs;
  const settledOf = await readSettled(executor);
  const steps: readonly Step[] = [
    ...settled.map((facet) => {
      return { makes: 'days', facet, fromMs: settledOf(facet).daysMs, toMs: lastMs } as const;
    }),
    ...all.map((facet) => {
      const days = daysOf(facet);
      const toMs = days.madeOf === undefined ? lastMs : Math.min(settledOf(days).daysMs, lastMs);
      return { makes: 'weeks', facet, fromMs: settledOf(facet).weeksMs, toMs } as const;
    }),
  ];
  const [next] = steps
    .filter(({ fromMs, toMs }) => fromMs < toMs)
    .toSorted((one, other) => one.fromMs - other.fromMs);
  if (next === undefined) return { hasMore: false };
  const atMs = await firstDayOf(executor, next);
  if (atMs !== undefined) await (next.makes === 'days' ? makeDay : addToWeek)(executor, next, atMs);
  await note(executor, next, atMs === undefined ? next.toMs : atMs + dayMs);
  return { hasMore: true };
}

async function readDatabaseMs(executor: Executor): Promise<number> {
  const { rows } = await executor.execute<{ ms: string }>(
    sql`SELECT floor(extract(epoch FROM now()) * 1000)::text AS ms`,
  );
  return Number(rows[0]?.ms);
}

/** Days in which nothing came are passed over; undefined where nothing did. */
async function firstDayOf(
  executor: Executor,
  { makes, facet, fromMs, toMs }: Step,
): Promise<number | undefined> {
  const [first] = await executor
    .select({ at: sql<string | null>`min(${usageDaily.bucketAt})` })
    .from(usageDaily)
    .where(
      and(
        eq(usageDaily.facet, (makes === 'days' ? foldedOf : daysOf)(facet).id),
        gte(usageDaily.bucketAt, new Date(fromMs)),
      ),
    );
  const atMs = first?.at == null ? toMs : new Date(first.at).getTime();
  return atMs < toMs ? atMs : undefined;
}

/** Anew where it was made by somebody whose note of it was lost. */
async function makeDay(executor: Executor, { facet }: Step, atMs: number): Promise<void> {
  const day = within(atMs, dayMs);
  const made = (table: 'usage_hourly' | 'usage_daily') =>
    rowsOf([facet], {
      bucket: 'bucket_at',
      from: `${table} WHERE facet = ${foldedOf(facet).id} AND ${day}`,
      summed: sumsOfSums,
    });
  if (facet.hasHours) {
    await executor.execute(sql`${longStatement}DELETE FROM ${usageHourly} WHERE ${ofFacet(facet, day)}`);
    await executor.execute(sql`${longStatement}${addTo(usageHourly, [made('usage_hourly')])}`);
  }
  await executor.execute(sql`${longStatement}DELETE FROM ${usageDaily} WHERE ${ofFacet(facet, day)}`);
  await executor.execute(sql`${longStatement}${addTo(usageDaily, [made('usage_daily')])}`);
}

/** A week is whole when its Sunday is in it. */
async function addToWeek(executor: Executor, { facet, fromMs }: Step, atMs: number): Promise<void> {
  const mondayMs = mondayBefore(atMs);
  if (fromMs <= mondayMs) {
    await executor.execute(
      sql`${longStatement}DELETE FROM ${usageWeekly} WHERE ${ofFacet(facet, within(mondayMs, 7 * dayMs))}`,
    );
  }
  const added = rowsOf([facet], {
    bucket: "date_trunc('week', bucket_at, 'UTC')",
    from: `usage_daily WHERE facet = ${daysOf(facet).id} AND ${within(atMs, dayMs)}`,
    summed: sumsOfSums,
  });
  await executor.execute(sql`${longStatement}${addTo(usageWeekly, [added])}`);
}

const within = (fromMs: number, lengthMs: number): string =>
  `bucket_at >= '${new Date(fromMs).toISOString()}' AND bucket_at < '${new Date(fromMs + lengthMs).toISOString()}'`;
const ofFacet = ({ id }: Facet, span: string) => sql.raw(`facet = ${id} AND ${span}`);

/** @throws Error where the note is not kept: without it the same would be done for ever. */
async function note(executor: Executor, { makes, facet, fromMs }: Step, untilMs: number): Promise<void> {
  const until = new Date(untilMs);
  const column = makes === 'days' ? { daysUntil: until } : { weeksUntil: until };
  const first = new Date(firstMondayMs);
  const noted = await executor
    .insert(usageSettled)
    .values({ facet: facet.id, daysUntil: first, weeksUntil: first, ...column })
    .onConflictDoUpdate({ target: usageSettled.facet, set: column })
    .returning();
  if (untilMs <= fromMs || noted.length !== 1) {
    throw new Error(`how far facet ${facet.id} is settled could not be noted`);
  }
}
