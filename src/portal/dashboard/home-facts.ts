/** What the overview shows of usage: a span with its sums, those of the span before, their course, and their models. */
import type { Scope } from '../../base/scope.ts';
import { readUsageReport, type UsageReport } from '../../usage/index.ts';
import type { PortalServices } from '../services.ts';
import { spanBefore } from './usage/usage-query.ts';

export const periods = [1, 7, 30] as const;
export type PeriodDays = (typeof periods)[number];
export type Sums = UsageReport['rows'][number];

export const readPeriod = (text: string | undefined): PeriodDays =>
  periods.find((days) => String(days) === text) ?? 30;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** As many as the palette tells apart; the others belong together. */
const mostModels = 5;

/** So many days up to now, the last of which is today as UTC has it. */
export function spanOf(days: PeriodDays, nowMs: number): { readonly from: Date; readonly to: Date } {
  return { from: new Date(Math.floor(nowMs / dayMs) * dayMs - (days - 1) * dayMs), to: new Date(nowMs + 1) };
}

export interface HomeFacts {
  /** The first and the last day of its span, as the request log is asked for them. */
  readonly logDays: LogDays;
  /** Null where there was no request. */
  readonly now: Sums | null;
  readonly before: Sums | null;
  /** Hours of today, or days; oldest first, with those without a request. */
  readonly course: readonly CoursePoint[];
  /** The dearest first, a value for each point of the course; the last is all others. */
  readonly models: readonly ModelCourse[];
}

export interface LogDays {
  readonly from: string;
  readonly to: string;
}

export interface CoursePoint {
  readonly atMs: number;
  readonly sums: Sums | null;
}

export interface ModelCourse {
  /** Null is all others. */
  readonly model: string | null;
  readonly costsNanoUsd: readonly bigint[];
}

export async function readHomeFacts(
  scope: Scope,
  executor: PortalServices['storage']['db'],
  { days, nowMs }: { readonly days: PeriodDays; readonly nowMs: number },
): Promise<HomeFacts> {
  const span = spanOf(days, nowMs);
  const startMs = span.from.getTime();
  const back = spanBefore(startMs, nowMs + 1, hourMs);
  const every = days === 1 ? 'hour' : 'day';
  const [before, course, byModel] = await Promise.all([
    back === null ? null : readUsageReport(scope, executor, back),
    readUsageReport(scope, executor, { ...span, every, totalled: true }),
    // People's models are summed by the day alone, so that today is one column of them.
    readUsageReport(scope, executor, {
      ...span,
      every: 'day',
      by: 'model',
      limit: mostModels + 1,
      timed: false,
    }),
  ]);
  const stepMs = days === 1 ? hourMs : dayMs;
  const points = Array.from({ length: Math.ceil((nowMs + 1 - startMs) / stepMs) }, (_, index) => {
    const atMs = startMs + index * stepMs;
    return { atMs, sums: course.rows.find(({ at }) => at?.getTime() === atMs) ?? null };
  });
  return {
    logDays: { from: writeDay(span.from), to: writeDay(new Date(nowMs)) },
    now: course.total,
    before: before?.rows[0] ?? null,
    course: points,
    models: coursesOf(byModel, days === 1 ? [{ atMs: startMs, sums: course.total }] : points),
  };
}

const writeDay = (at: Date): string => at.toISOString().slice(0, 10);

function coursesOf({ rows }: UsageReport, points: readonly CoursePoint[]): readonly ModelCourse[] {
  const costs = new Map<string, bigint>();
  for (const { group, costNanoUsd } of rows) {
    costs.set(group ?? '', (costs.get(group ?? '') ?? 0n) + costNanoUsd);
  }
  const dearest = [...costs].toSorted(([, one], [, other]) => (one < other ? 1 : one > other ? -1 : 0));
  const told = dearest.slice(0, mostModels).map(([model]) => {
    const ofModel = new Map(
      rows.filter(({ group }) => (group ?? '') === model).map((row) => [row.at?.getTime(), row.costNanoUsd]),
    );
    return { model, costsNanoUsd: points.map(({ atMs }) => ofModel.get(atMs) ?? 0n) };
  });
  if (dearest.length <= mostModels) return told;
  // What is left of the whole: the report tells the dearest alone.
  const others = points.map(({ sums }, index) => {
    const left = told.reduce(
      (sum, { costsNanoUsd }) => sum - (costsNanoUsd[index] ?? 0n),
      sums?.costNanoUsd ?? 0n,
    );
    return left > 0n ? left : 0n;
  });
  return [...told, { model: null, costsNanoUsd: others }];
}
