/** What the usage page and its JSON are asked in their address: read into a plan of reports, and written into links. */
import { z } from 'zod';
import { AppError } from '../../../base/errors.ts';
import type { Scope } from '../../../base/scope.ts';
import {
  hasHours,
  mostLabelCharacters,
  type UsageDimension,
  type UsageReportAsked,
  type UsageStep,
} from '../../../usage/index.ts';
import { orEmpty } from '../../form-readers.ts';
import type { ErrorsWords } from '../../languages/errors/en.ts';
import { dayField, idField, keyNumberField } from '../../route.ts';

export const usagePath = '/dashboard/usage';

const text = z
  .string()
  .trim()
  .min(1)
  .max(mostLabelCharacters)
  .regex(/^[^\0]*$/);

export const metrics = ['spend', 'requests', 'tokens', 'errors', 'latency', 'first', 'cached'] as const;
export type Metric = (typeof metrics)[number];
export const groupings = [
  'none',
  'kind',
  'model',
  'provider',
  'key',
  'person',
  'organisation',
  'department',
  'project',
  'tag',
  'end_user',
  'status',
] as const;
export type Grouping = (typeof groupings)[number];
export const steps = ['hour', 'day', 'week', 'month'] as const;
export const ranges = ['today', '7d', '30d', '90d', '365d'] as const;
export type UsageRange = (typeof ranges)[number];

export const usageQuery = z.object({
  metric: orEmpty(z.enum(metrics)).describe('Spend when not given'),
  by: z
    .preprocess(
      // As programs often call a person.
      (given) => (given === '' ? undefined : given === 'user' ? 'person' : given),
      z.enum(groupings).optional(),
    )
    .describe('Model when not given; kind is of tokens alone'),
  every: orEmpty(z.enum(steps)).describe('By the length of the span when not given'),
  range: orEmpty(z.enum(ranges)).describe('Up to now; 30 days when no range and no day is given'),
  from: orEmpty(dayField).describe('The first day, in UTC'),
  to: orEmpty(dayField).describe('The last day, in UTC'),
  model: orEmpty(text),
  provider: orEmpty(text),
  key: orEmpty(keyNumberField),
  person: orEmpty(idField),
  organisation: orEmpty(idField),
  department: orEmpty(idField),
  project: orEmpty(idField),
  tag: orEmpty(text),
  end_user: orEmpty(text),
  status: orEmpty(z.coerce.number().int().min(100).max(599)),
});
export type UsageQuery = z.output<typeof usageQuery>;

export const filterNames = [
  'model',
  'provider',
  'key',
  'person',
  'organisation',
  'department',
  'project',
  'tag',
  'end_user',
  'status',
] as const;
export type FilterName = (typeof filterNames)[number];

const dimensions: Readonly<Record<FilterName, UsageDimension>> = {
  ...{ model: 'model', provider: 'provider', key: 'key', person: 'user', organisation: 'organisation' },
  ...{ department: 'department', project: 'project', tag: 'tag', end_user: 'endUser', status: 'status' },
};

export interface UsagePlan {
  readonly metric: Metric;
  readonly by: Grouping;
  readonly every: UsageStep;
  readonly fromMs: number;
  /** Of a span that is not over, now. */
  readonly toMs: number;
  readonly isOver: boolean;
  /** As long, and just before; null where its sums could not be told of just as long. */
  readonly before: SpanBefore | null;
  /** The same of what it is told by, of which there may be sums of days alone. */
  readonly groupsBefore: SpanBefore | null;
  readonly dimension: UsageDimension | undefined;
  readonly where: NonNullable<UsageReportAsked['where']>;
}

export interface SpanBefore {
  readonly from: Date;
  readonly to: Date;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const daysOf: Readonly<Record<UsageRange, number>> = { today: 1, '7d': 7, '30d': 30, '90d': 90, '365d': 365 };
const mostHours = 32 * 24;
const mostDays = 1000;

/** @throws AppError `validation_failed` for what cannot be asked together. */
export function planOf(query: UsageQuery, scope: Scope, nowMs: number): UsagePlan {
  const { metric = 'spend', by = 'model' } = query;
  if (by === 'kind' && metric !== 'tokens') throw wrong('by', 'kind_of_tokens');
  if (hasBoth(query, by)) throw wrong('by', 'labels_apart');
  const { fromMs, endMs } = spanOf(query, nowMs);
  if (fromMs >= endMs || fromMs > nowMs) throw wrong('from', 'span_empty');
  if (endMs - fromMs > mostDays * dayMs) throw wrong('from', 'span_long');
  const dimension = by === 'none' || by === 'kind' ? undefined : dimensions[by];
  const where = Object.fromEntries(filterNames.map((name) => [dimensions[name], query[name]]));
  const hasSumsOfHours = hasHours(scope, { by: dimension, where });
  const isHourly = hasSumsOfHours && endMs - fromMs <= mostHours * hourMs;
  if (query.every === 'hour' && !isHourly) {
    throw wrong('every', 'no_hours');
  }
  const toMs = Math.min(endMs, nowMs);
  return {
    ...{ metric, by, fromMs, toMs, isOver: endMs <= nowMs, dimension, where },
    every: query.every ?? usualStep(endMs - fromMs, isHourly),
    before: spanBefore(fromMs, toMs, hasHours(scope, { where }) ? hourMs : dayMs),
    groupsBefore: spanBefore(fromMs, toMs, hasSumsOfHours ? hourMs : dayMs),
  };
}

/** In a shorter span, half a step more or less would look like a change of what was used. */
const leastStepsCompared = 10;

/**
 * The span before, to the nearest step that there are sums of.
 * @returns null where it would be another length by more than a twentieth.
 */
export function spanBefore(fromMs: number, toMs: number, stepMs: number): SpanBefore | null {
  const lengthMs = toMs - fromMs;
  // Back by whole days, so that a part of today is compared with that part of a day.
  const backMs = Math.ceil(lengthMs / dayMs) * dayMs;
  if (lengthMs % stepMs !== 0 && lengthMs < leastStepsCompared * stepMs) return null;
  const endMs = Math.round((toMs - backMs) / stepMs) * stepMs;
  return { from: new Date(fromMs - backMs), to: new Date(endMs) };
}

const hasBoth = ({ tag, end_user: endUser }: UsageQuery, by: Grouping): boolean =>
  (tag !== undefined || by === 'tag') && (endUser !== undefined || by === 'end_user');

function spanOf({ range = '30d', from, to }: UsageQuery, nowMs: number): { fromMs: number; endMs: number } {
  const tomorrowMs = Math.floor(nowMs / dayMs) * dayMs + dayMs;
  if (from === undefined && to === undefined)
    return { fromMs: tomorrowMs - daysOf[range] * dayMs, endMs: tomorrowMs };
  const endMs = to === undefined ? tomorrowMs : Date.parse(to) + dayMs;
  return { fromMs: from === undefined ? endMs - daysOf[range] * dayMs : Date.parse(from), endMs };
}

function usualStep(lengthMs: number, isHourly: boolean): UsageStep {
  const days = lengthMs / dayMs;
  if (days <= 2 && isHourly) return 'hour';
  return days <= 62 ? 'day' : days <= 200 ? 'week' : 'month';
}

/** The sentence for each is in `languages/errors`. */
const wrong = (field: keyof UsageQuery, type: keyof ErrorsWords['fields']): AppError =>
  new AppError({
    code: 'validation_failed',
    public: field,
    param: field,
    fields: [{ loc: ['query', field], msg: type, type }],
  });

/** The page, or something below it, with some of what is asked changed. */
export function usageAt(
  query: UsageQuery,
  changes: Partial<Record<keyof UsageQuery, string | undefined>> = {},
  path = usagePath,
): string {
  const fields = new URLSearchParams();
  for (const name of Object.keys(usageQuery.shape)) {
    const value: unknown = Reflect.has(changes, name) ? Reflect.get(changes, name) : Reflect.get(query, name);
    if (value !== undefined) fields.set(name, String(value));
  }
  return fields.size === 0 ? path : `${path}?${fields}`;
}

/** The requests that a figure was made from. @param group of the grouping; undefined for all of them. */
export function requestsAt(query: UsageQuery, plan: UsagePlan, group?: string | null): string | null {
  const fields = new URLSearchParams();
  for (const name of filterNames) {
    const value = query[name];
    if (value !== undefined) fields.set(name, String(value));
  }
  if (group !== undefined && plan.dimension !== undefined) {
    // The log has no filter for what is nothing.
    if (group === null) return null;
    fields.set(plan.by, group);
  }
  fields.set('from', dayOf(plan.fromMs));
  fields.set('to', dayOf(plan.toMs - 1));
  // One status that was asked for says more.
  if (plan.metric === 'errors' && !fields.has('status')) fields.set('status', 'failed');
  return `/dashboard/request-log?${fields}`;
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
