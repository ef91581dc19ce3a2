/** Reads the request log, newest first, a page at a time; every page costs a bounded amount of work. */
import { and, arrayContains, desc, eq, gte, lt, type SQL } from 'drizzle-orm';
import type { Scope } from '../base/scope.ts';
import type { Executor } from '../storage/database.ts';
import { usageRecords } from '../storage/schema/usage.ts';
import { withinScope } from '../storage/within-scope.ts';
import { readAttempts } from './attempt-list.ts';
import { asRated } from './ratings.ts';
import type { StoredUsageRecord } from './record.ts';
import { firstRequestIdAt } from './time-prefix.ts';

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
  readonly sessionId?: string | undefined;
  readonly endUser?: string | undefined;
  readonly tag?: string | undefined;
  /** The time in the request's id, which is when it came; `to` is not in it any more. */
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

export interface UsagePageAsked extends UsageFilter {
  /** A page's `next`; the newest page when not given. */
  readonly before?: string | undefined;
  /** At most this many; 100 when not given, 1000 at most. */
  readonly limit?: number | undefined;
}

export interface UsagePage {
  readonly records: readonly StoredUsageRecord[];
  /** Of the page behind this one; null at the end. A page before the end may have few records, or none. */
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
  const edge = narrowing === undefined ? undefined : await findEdge(executor, reach);
  const rows = await executor
    .select()
    .from(usageRecords)
    .where(and(reach, narrowing, edge === undefined ? undefined : gte(usageRecords.requestId, edge)))
    .orderBy(desc(usageRecords.requestId))
    .limit(limit + 1);
  const records = await asRated(executor, rows.slice(0, limit).map(toRecord));
  const isCut = rows.length > limit;
  return { records, next: isCut ? (records.at(-1)?.requestId ?? null) : (edge ?? null) };
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
  { userId, organisationId, requestId, from, to, before }: UsagePageAsked,
): SQL | undefined {
  return and(
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
] as const;

/** What has to be looked for among the rows. */
function narrowingOf(filter: UsageFilter): SQL | undefined {
  const conditions = narrowingColumns.flatMap(([name, column]) => {
    const value = filter[name];
    return value === undefined ? [] : [eq(column, value)];
  });
  return and(
    ...conditions,
    filter.tag === undefined ? undefined : arrayContains(usageRecords.tags, [filter.tag]),
  );
}

/** The last row that this page looks at; undefined when it reaches the end. */
async function findEdge(executor: Executor, reach: SQL | undefined): Promise<string | undefined> {
  const [row] = await executor
    .select({ requestId: usageRecords.requestId })
    .from(usageRecords)
    .where(reach)
    .orderBy(desc(usageRecords.requestId))
    .offset(mostScanned - 1)
    .limit(1);
  return row?.requestId;
}

export function toRecord(row: typeof usageRecords.$inferSelect): StoredUsageRecord {
  const attemptRecords = readAttempts(row.attempts);
  const { sessionId, endUser, tags, ...rest } = row;
  const isLabelled = sessionId !== null || endUser !== null || tags !== null;
  return {
    ...rest,
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
