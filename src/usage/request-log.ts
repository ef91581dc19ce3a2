/** Reads the request log, newest first, a page at a time; every page costs a bounded amount of work. */
import { and, arrayContains, asc, desc, eq, gt, gte, lt, lte, not, type SQL, sql } from 'drizzle-orm';
import { everybody, type Scope } from '../base/scope.ts';
import type { Executor } from '../storage/database.ts';
import { usageRatings, usageRecords } from '../storage/schema/usage.ts';
import { withinScope } from '../storage/within-scope.ts';
import { asRated } from './ratings.ts';
import type { StoredUsageRecord } from './record.ts';
import { firstRequestIdAt } from './time-prefix.ts';
import { readAttempts } from './usage-row.ts';

export interface UsageFilter {
  readonly keyId?: number | undefined;
  readonly userId?: number | undefined;
  readonly payerId?: number | undefined;
  readonly requestId?: string | undefined;
  readonly organisationId?: number | undefined;
  readonly departmentId?: number | undefined;
  readonly projectId?: number | undefined;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly status?: number | undefined;
  /** From the first status to the last. */
  readonly statuses?: readonly [number, number] | undefined;
  /** Whether it was answered with an error, or ended with one. */
  readonly failed?: boolean | undefined;
  readonly errorCode?: string | undefined;
  readonly minCostNanoUsd?: bigint | undefined;
  readonly minDurationMs?: number | undefined;
  /** What the request id begins with, in hexadecimal digits without hyphens. */
  readonly idBegins?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly endUser?: string | undefined;
  /** The one that charged it. */
  readonly journalId?: number | undefined;
  readonly tag?: string | undefined;
  /** The time in the request's id, which is when it came; `to` is not in it any more. */
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

export interface UsagePageAsked extends UsageFilter {
  /** A page's `next`; the newest page when not given. */
  readonly before?: string | undefined;
  /** Those that came after this one, the oldest of them; for who goes back. */
  readonly after?: string | undefined;
  /** So many rows it looks through at most for those that fit; 20,000 when not given. */
  readonly mostScanned?: number | undefined;
  /** At most this many; 100 when not given, 1000 at most. */
  readonly limit?: number | undefined;
}

export interface UsagePage {
  readonly records: readonly StoredUsageRecord[];
  /**
   * Of the page behind this one, which goes on from `after` where that was given; null at the end. A page before the end
   * may have few records, or none.
   */
  readonly next: string | null;
}

const mostRecords = 1000;
/** So many rows a page looks through for those that fit. */
const mostScanned = 20_000;

const owning = {
  user: usageRecords.userId,
  organisation: usageRecords.organisationId,
  department: usageRecords.departmentId,
};

export async function readUsagePage(
  scope: Scope,
  executor: Executor,
  asked: UsagePageAsked,
): Promise<UsagePage> {
  const limit = Math.max(1, Math.min(asked.limit ?? 100, mostRecords));
  const reach = reachOf(scope, asked);
  const narrowing = narrowingOf(asked);
  const { requestId } = usageRecords;
  const isBack = asked.after !== undefined;
  const order = isBack ? asc(requestId) : desc(requestId);
  const edge =
    narrowing === undefined
      ? undefined
      : await findEdgeWithin(scope, executor, asked, {
          order,
          scanned: asked.mostScanned ?? mostScanned,
        });
  const until = edge === undefined ? undefined : isBack ? lte(requestId, edge) : gte(requestId, edge);
  const rows = await executor
    .select()
    .from(usageRecords)
    .where(and(reach, narrowing, until))
    .orderBy(order)
    .limit(limit + 1);
  const records = await asRated(executor, rows.slice(0, limit).map(toRecord));
  const next = rows.length > limit ? (records.at(-1)?.requestId ?? null) : (edge ?? null);
  return { records: isBack ? records.toReversed() : records, next };
}

/** The newest, at most 100 when `limit` is not given. */
export async function readUsage(
  scope: Scope,
  executor: Executor,
  { limit = 100, ...filter }: UsageFilter & { readonly limit?: number } = {},
): Promise<readonly StoredUsageRecord[]> {
  const rows = await executor
    .select()
    .from(usageRecords)
    .where(and(reachOf(scope, filter), narrowingOf(filter)))
    .orderBy(desc(usageRecords.requestId))
    .limit(limit);
  return asRated(executor, rows.map(toRecord));
}

/** What an index finds in order. */
function reachOf(
  scope: Scope,
  { userId, organisationId, requestId, idBegins, from, to, before, after }: UsagePageAsked,
): SQL | undefined {
  const ids = idBegins === undefined ? undefined : idsBeginning(idBegins);
  return and(
    ids === undefined ? undefined : gte(usageRecords.requestId, ids.first),
    ids === undefined ? undefined : lte(usageRecords.requestId, ids.last),
    after === undefined ? undefined : gt(usageRecords.requestId, after),
    withinScope(scope, owning),
    userId === undefined ? undefined : eq(usageRecords.userId, userId),
    requestId === undefined ? undefined : eq(usageRecords.requestId, requestId),
    organisationId === undefined ? undefined : eq(usageRecords.organisationId, organisationId),
    from === undefined ? undefined : gte(usageRecords.requestId, firstRequestIdAt(from.getTime())),
    to === undefined ? undefined : lt(usageRecords.requestId, firstRequestIdAt(to.getTime())),
    before === undefined ? undefined : lt(usageRecords.requestId, before),
  );
}

const narrowingColumns = [
  ['keyId', usageRecords.keyId],
  ['payerId', usageRecords.payerId],
  ['departmentId', usageRecords.departmentId],
  ['projectId', usageRecords.projectId],
  ['model', usageRecords.model],
  ['provider', usageRecords.provider],
  ['status', usageRecords.status],
  ['sessionId', usageRecords.sessionId],
  ['endUser', usageRecords.endUser],
  ['journalId', usageRecords.journalId],
] as const;

/** What has to be looked for among the rows. */
function narrowingOf(filter: UsageFilter): SQL | undefined {
  const conditions = narrowingColumns.flatMap(([name, column]) => {
    const value = filter[name];
    return value === undefined ? [] : [eq(column, value)];
  });
  const { tag, statuses, failed, errorCode, minCostNanoUsd, minDurationMs } = filter;
  return and(
    ...conditions,
    tag === undefined ? undefined : arrayContains(usageRecords.tags, [tag]),
    statuses === undefined ? undefined : gte(usageRecords.status, statuses[0]),
    statuses === undefined ? undefined : lte(usageRecords.status, statuses[1]),
    failed === undefined ? undefined : failed ? hasFailed : not(hasFailed),
    errorCode === undefined ? undefined : eq(usageRecords.errorCode, errorCode),
    minCostNanoUsd === undefined ? undefined : gte(costInForce, minCostNanoUsd),
    minDurationMs === undefined ? undefined : gte(usageRecords.durationMs, minDurationMs),
  );
}

/** What was rated anew is found by what it costs now. */
const costInForce = sql<bigint>`coalesce((SELECT ${usageRatings.costNanoUsd} FROM ${usageRatings}
  WHERE ${usageRatings.requestId} = ${usageRecords.requestId} AND ${usageRatings.inForce}), ${usageRecords.costNanoUsd})`;

/** As the sums count errors. */
const hasFailed = sql`(${usageRecords.status} >= 400 OR ${usageRecords.errorCode} IS NOT NULL)`;

function idsBeginning(digits: string): { readonly first: string; readonly last: string } {
  return { first: writeId(digits.padEnd(idDigits, '0')), last: writeId(digits.padEnd(idDigits, 'f')) };
}

const idDigits = 32;
const writeId = (digits: string): string =>
  digits.slice(0, idDigits).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

interface Walk {
  readonly order: SQL;
  /** So many rows. */
  readonly scanned: number;
}

/** The last row that this page looks at; undefined when it reaches the end. */
async function findEdgeWithin(
  scope: Scope,
  executor: Executor,
  asked: UsagePageAsked,
  walk: Walk,
): Promise<string | undefined> {
  const reach = reachOf(scope, asked);
  if (asked.userId === undefined) return findEdge(executor, reach, walk);
  // Of a person and of a group the database knows which share of all rows each has, and not that they are the same rows: it
  // would walk through everybody's. Where the person's last row is not the group's its id is not for who asks.
  const edge = await findEdge(executor, reachOf(everybody, { ...asked, organisationId: undefined }), walk);
  if (edge === undefined) return undefined;
  const { requestId } = usageRecords;
  const within = await executor
    .select({ requestId })
    .from(usageRecords)
    .where(and(reach, eq(requestId, edge)));
  return within.length > 0 ? edge : findEdge(executor, reach, walk);
}

/** Undefined where there are fewer rows. */
async function findEdge(
  executor: Executor,
  walked: SQL | undefined,
  { order, scanned }: Walk,
): Promise<string | undefined> {
  const [row] = await executor
    .select({ requestId: usageRecords.requestId })
    .from(usageRecords)
    .where(walked)
    .orderBy(order)
    .offset(scanned - 1)
    .limit(1);
  return row?.requestId;
}

export function toRecord(row: typeof usageRecords.$inferSelect): StoredUsageRecord {
  const attemptRecords = readAttempts(row.attempts);
  const { sessionId, endUser, tags, journalId, ...rest } = row;
  const isLabelled = sessionId !== null || endUser !== null || tags !== null;
  return {
    ...rest,
    ...(journalId === null ? undefined : { journalId }),
    ...(isLabelled ? { labels: { sessionId, endUser, tags: tags ?? [] } } : undefined),
    cacheReadTokens: row.cacheReadTokens ?? 0,
    cacheWrite5mTokens: row.cacheWrite5mTokens ?? 0,
    cacheWrite1hTokens: row.cacheWrite1hTokens ?? 0,
    reasoningTokens: row.reasoningTokens ?? 0,
    audioMs: row.audioMs ?? 0,
    characters: row.characters ?? 0,
    rerankUnits: row.rerankUnits ?? 0,
    extras: row.extras ?? undefined,
    exempt: row.exempt ?? false,
    attempts: attemptRecords.length,
    attemptRecords,
  };
}
