/** Reads usage records back. */
import { and, desc, eq } from 'drizzle-orm';
import type { Scope } from '../base/scope.ts';
import type { Executor } from '../storage/database.ts';
import { usageRecords } from '../storage/schema/usage.ts';
import { withinScope } from '../storage/within-scope.ts';
import { readAttempts } from './attempt-list.ts';
import type { StoredUsageRecord } from './record.ts';

export interface UsageFilter {
  readonly keyId?: number;
  readonly userId?: number;
  readonly payerId?: number;
  /** At most this many, the newest; 100 when not given. */
  readonly limit?: number;
}

const owning = {
  user: usageRecords.userId,
  organisation: usageRecords.organisationId,
  department: usageRecords.departmentId,
};

/** Newest first. */
export async function readUsage(
  scope: Scope,
  executor: Executor,
  filter: UsageFilter = {},
): Promise<readonly StoredUsageRecord[]> {
  const { keyId, userId, payerId, limit = 100 } = filter;
  const rows = await executor
    .select()
    .from(usageRecords)
    .where(
      and(
        withinScope(scope, owning),
        keyId === undefined ? undefined : eq(usageRecords.keyId, keyId),
        userId === undefined ? undefined : eq(usageRecords.userId, userId),
        payerId === undefined ? undefined : eq(usageRecords.payerId, payerId),
      ),
    )
    .orderBy(desc(usageRecords.startedAt), desc(usageRecords.requestId))
    .limit(limit);
  return rows.map(toRecord);
}

function toRecord(row: typeof usageRecords.$inferSelect): StoredUsageRecord {
  const attemptRecords = readAttempts(row.attempts);
  return {
    ...row,
    cacheReadTokens: row.cacheReadTokens ?? 0,
    cacheWrite5mTokens: row.cacheWrite5mTokens ?? 0,
    cacheWrite1hTokens: row.cacheWrite1hTokens ?? 0,
    reasoningTokens: row.reasoningTokens ?? 0,
    audioMs: row.audioMs ?? 0,
    characters: row.characters ?? 0,
    rerankUnits: row.rerankUnits ?? 0,
    extras: row.extras ?? undefined,
    attempts: attemptRecords.length,
    attemptRecords,
  };
}
