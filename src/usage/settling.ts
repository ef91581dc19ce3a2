/**
 * Settles days that are over, one of one facet at a time: makes sums of them that tell less apart, and those of weeks.
 * README.md says what for.
 */
import { and, eq, gte, sql } from 'drizzle-orm';
import { readDatabaseMs } from '../storage/agreed-time.ts';
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
const weekMs = 7 * dayMs;
/** 1970-01-05 was a Monday. */
const firstMondayMs = 4 * dayMs;
export const mondayBefore = (ms: number): number =>
  Math.floor((ms - firstMondayMs) / weekMs) * weekMs + firstMondayMs;

/** In milliseconds. Neither ever goes back. */
export interface SettledUntil {
  /** The beginning of a day. Days before it are settled. */
  readonly daysMs: number;
  /** The beginning of a day: weeks that end before it or with it are settled. A Monday, but where a version before was at a week. */
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
  /** Those are made next that begin here or later. */
  readonly fromMs: number;
  /** And before this. */
  readonly toMs: number;
}

/**
 * Makes one facet's sums of one day, or those of one week from its days: what is furthest behind. It belongs into a
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
      const daysToMs = days.madeOf === undefined ? lastMs : Math.min(settledOf(days).daysMs, lastMs);
      const fromMs = mondayBefore(settledOf(facet).weeksMs);
      return { makes: 'weeks', facet, fromMs, toMs: mondayBefore(daysToMs) } as const;
    }),
  ];
  const [next] = steps
    .filter(({ fromMs, toMs }) => fromMs < toMs)
    .toSorted((one, other) => one.fromMs - other.fromMs);
  if (next === undefined) return { hasMore: false };
  await note(executor, next, await make(executor, next));
  return { hasMore: true };
}

/** @returns until when there is nothing left to make. */
async function make(executor: Executor, step: Step): Promise<number> {
  const dayAtMs = await firstDayOf(executor, step);
  if (dayAtMs === undefined) return step.toMs;
  if (step.makes === 'days') {
    await makeDay(executor, step, dayAtMs);
    return dayAtMs + dayMs;
  }
  const mondayMs = mondayBefore(dayAtMs);
  await makeWeek(executor, step, mondayMs);
  return mondayMs + weekMs;
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

/** Whole and at once, so that its rows lie together. Anew where it was made already, or in part by a version before. */
async function makeWeek(executor: Executor, { facet }: Step, mondayMs: number): Promise<void> {
  const week = within(mondayMs, weekMs);
  const made = rowsOf([facet], {
    bucket: "date_trunc('week', bucket_at, 'UTC')",
    from: `usage_daily WHERE facet = ${daysOf(facet).id} AND ${week}`,
    summed: sumsOfSums,
  });
  await executor.execute(sql`${longStatement}DELETE FROM ${usageWeekly} WHERE ${ofFacet(facet, week)}`);
  await executor.execute(sql`${longStatement}${addTo(usageWeekly, [made])}`);
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
