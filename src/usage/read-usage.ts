/** Reads usage records back. */
import { and, desc, eq, sql } from 'drizzle-orm';
import type { Executor } from '../storage/database.ts';
import { usageRecords } from '../storage/schema/usage.ts';
import type { StoredUsageRecord } from './record.ts';

export interface UsageFilter {
  readonly keyId?: number;
  readonly userId?: number;
  readonly payerId?: number;
  /** At most this many, the newest; 100 when not given. */
  readonly limit?: number;
}

/** Newest first. */
export async function readUsage(
  executor: Executor,
  filter: UsageFilter = {},
): Promise<readonly StoredUsageRecord[]> {
  const { keyId, userId, payerId, limit = 100 } = filter;
  return await executor
    .select()
    .from(usageRecords)
    .where(
      and(
        keyId === undefined ? undefined : eq(usageRecords.keyId, keyId),
        userId === undefined ? undefined : eq(usageRecords.userId, userId),
        payerId === undefined ? undefined : eq(usageRecords.payerId, payerId),
      ),
    )
    .orderBy(desc(usageRecords.startedAt), desc(usageRecords.requestId))
    .limit(limit);
}

/** Everything that a payer's wallet was ever charged, in nano-USD. */
export async function sumCharged(executor: Executor, payerId: number): Promise<bigint> {
  const [row] = await executor
    .select({ total: sql<string>`coalesce(sum(${usageRecords.chargedNanoUsd}), 0)::text` })
    .from(usageRecords)
    .where(eq(usageRecords.payerId, payerId));
  return BigInt(row?.total ?? 0);
}
