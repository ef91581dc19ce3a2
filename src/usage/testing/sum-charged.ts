/** What the rows say that a payer was charged, for tests that hold it against the wallet. */
import { eq, sql } from 'drizzle-orm';
import type { Executor } from '../../storage/database.ts';
import { usageRecords } from '../../storage/schema/usage.ts';

/** Everything that a payer's wallet was ever charged, in nano-USD. */
export async function sumCharged(executor: Executor, payerId: number): Promise<bigint> {
  const [row] = await executor
    .select({ total: sql<string>`coalesce(sum(${usageRecords.chargedNanoUsd}), 0)::text` })
    .from(usageRecords)
    .where(eq(usageRecords.payerId, payerId));
  return BigInt(row?.total ?? 0);
}
