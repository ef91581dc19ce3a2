/** What the request log is asked in its address: read into a filter, and written into links. */
import { z } from 'zod';
import { readNanoUsd } from '../../../base/money.ts';
import { mostLabelCharacters, type UsageFilter } from '../../../usage/index.ts';
import type { FieldSentence } from '../../field-sentences.ts';
import { orEmpty } from '../../form-readers.ts';
import { dayField, idField, keyNumberField } from '../../route.ts';
import { typedUsd, withPoint } from '../../typed-amount.ts';

export const logPath = '/dashboard/request-log';

/** A database takes no text with a null in it. */
const text = z
  .string()
  .trim()
  .min(1)
  .max(mostLabelCharacters)
  .regex(/^[^\0]*$/);

const seconds = z.preprocess(
  (given) => (typeof given === 'string' && given.length <= mostLabelCharacters ? withPoint(given) : given),
  z.coerce.number().min(0).max(1_000_000),
);

export const ranges = ['hour', 'day', 'week', 'month', 'all'] as const;
export const statusChoices = ['ok', 'failed', '4xx', '5xx'] as const;

export const logQuery = z.object({
  id: orEmpty(
    z
      .string()
      .trim()
      .toLowerCase()
      .regex(/^[0-9a-f-]{1,36}$/, 'request_id' satisfies FieldSentence)
      .describe('The request id, or its beginning'),
  ),
  range: orEmpty(z.enum(ranges)).describe('Up to now; the last 7 days when no range and no day is given'),
  from: orEmpty(dayField).describe('The first day, in UTC'),
  to: orEmpty(dayField).describe('The last day, in UTC'),
  status: orEmpty(
    z.union([z.enum(statusChoices), z.string().regex(/^[1-5]\d\d$/, 'not_status' satisfies FieldSentence)]),
  ),
  error: orEmpty(text).describe('The code of the error'),
  model: orEmpty(text),
  provider: orEmpty(text),
  key: orEmpty(keyNumberField),
  person: orEmpty(idField),
  organisation: orEmpty(idField),
  department: orEmpty(idField),
  project: orEmpty(idField),
  session: orEmpty(text),
  tag: orEmpty(text),
  end_user: orEmpty(text),
  min_cost: orEmpty(typedUsd.describe('In USD, at least')),
  min_seconds: orEmpty(seconds.describe('Of its duration, at least')),
});

/** The page of the list, beside its filter. */
export const pageQuery = logQuery.extend({
  before: orEmpty(z.guid()).describe('The last request id of the page before'),
  after: orEmpty(z.guid()).describe('The first request id of the page behind'),
});

export type LogQuery = z.output<typeof logQuery>;
export type PageQuery = z.output<typeof pageQuery>;

const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;
/** Longer ones begin with a whole hour or day, so that the bars above the list are of as many requests as are in it. */
const lengths = {
  hour: { lengthMs: hourMs, beginsMs: 1 },
  day: { lengthMs: dayMs, beginsMs: hourMs },
  week: { lengthMs: 7 * dayMs, beginsMs: dayMs },
  month: { lengthMs: 30 * dayMs, beginsMs: dayMs },
} as const;

/** Of the filter; days win over a range. Both ends are null where all time is asked for. */
export function spanOf(
  { range, from, to }: Pick<LogQuery, 'range' | 'from' | 'to'>,
  nowMs: number,
): { readonly fromMs: number | null; readonly toMs: number | null } {
  if (from !== undefined || to !== undefined) {
    return {
      fromMs: from === undefined ? null : Date.parse(from),
      toMs: to === undefined ? null : Date.parse(to) + dayMs,
    };
  }
  if (range === 'all') return { fromMs: null, toMs: null };
  const { lengthMs, beginsMs } = lengths[range ?? 'week'];
  const fromMs = nowMs - lengthMs;
  return { fromMs: fromMs - (fromMs % beginsMs), toMs: null };
}

export function filterOf(query: LogQuery, nowMs: number): UsageFilter {
  const { fromMs, toMs } = spanOf(query, nowMs);
  const digits = query.id?.replaceAll('-', '');
  return {
    ...(fromMs === null ? {} : { from: new Date(fromMs) }),
    ...(toMs === null ? {} : { to: new Date(toMs) }),
    // A request id is found whenever it was.
    ...(digits === undefined || digits === '' ? {} : { idBegins: digits, ...anyTime(query) }),
    ...statusOf(query.status),
    errorCode: query.error,
    model: query.model,
    provider: query.provider,
    keyId: query.key,
    userId: query.person,
    organisationId: query.organisation,
    departmentId: query.department,
    projectId: query.project,
    sessionId: query.session,
    tag: query.tag,
    endUser: query.end_user,
    minCostNanoUsd: query.min_cost === undefined ? undefined : readNanoUsd(query.min_cost),
    minDurationMs: query.min_seconds === undefined ? undefined : query.min_seconds * 1000,
  };
}

const anyTime = ({ range, from, to }: LogQuery) =>
  range === undefined && from === undefined && to === undefined ? { from: undefined, to: undefined } : {};

function statusOf(status: LogQuery['status']): Pick<UsageFilter, 'status' | 'statuses' | 'failed'> {
  switch (status) {
    case undefined:
      return {};
    case 'ok':
      return { failed: false };
    case 'failed':
      return { failed: true };
    case '4xx':
      return { statuses: [400, 499] };
    case '5xx':
      return { statuses: [500, 599] };
    default:
      return { status: Number(status) };
  }
}

/** As the address carries it, in one order; without what stands for nothing. */
export function writeQuery(query: PageQuery): string {
  const fields = new URLSearchParams();
  for (const name of Object.keys(pageQuery.shape)) {
    const value: unknown = Reflect.get(query, name);
    if (value !== undefined) fields.set(name, String(value));
  }
  return fields.size === 0 ? '' : `?${fields}`;
}

/** The list with some of the filter changed, from its newest page on. */
export function listAt(
  query: PageQuery,
  changes: Partial<Record<keyof PageQuery, string | undefined>> = {},
): string {
  return `${logPath}${writeQuery({ ...query, before: undefined, after: undefined, ...(changes as Partial<PageQuery>) })}`;
}

/** The same list before a request of it, or after one. */
export function withCursor(
  query: PageQuery,
  cursor: { readonly before?: string | undefined; readonly after?: string | undefined },
): string {
  const here = listAt(query);
  const [name, id] = cursor.before === undefined ? ['after', cursor.after] : ['before', cursor.before];
  return `${here}${here.includes('?') ? '&' : '?'}${name}=${id}`;
}

/** A request beside the page of the list that it stands on. */
export const requestAt = (query: PageQuery, requestId: string): string =>
  `${logPath}/${requestId}${writeQuery(query)}`;

/** When a request began, of which its id tells. */
export const timeOf = (id: string): Date =>
  new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16));

/** The id that follows on one, so that what comes before it includes that one. */
export function idBehind(id: string): string {
  const digits = id.replaceAll('-', '');
  const next = (BigInt(`0x${digits}`) + 1n).toString(16).padStart(32, '0');
  // Behind the very last there is none.
  return (next.length > 32 ? digits : next).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
