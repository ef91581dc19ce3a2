/** Usage records for tests, stored by the statement that a batch is written with. */
import { sql } from 'drizzle-orm';
import type { Executor } from '../../storage/database.ts';
import { storeUsage, type UsageRecord } from '../index.ts';

/** @returns the request ids that were new. */
export async function insertUsage(
  executor: Executor,
  records: readonly UsageRecord[],
): Promise<readonly string[]> {
  const { rows } = await executor.execute<{ request_id: string }>(
    sql`${storeUsage(records)} RETURNING request_id::text AS request_id`,
  );
  return rows.map((row) => row.request_id);
}
