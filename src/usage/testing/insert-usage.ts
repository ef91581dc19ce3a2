/** Usage records for tests, stored by the statement that a batch is written with. */
import { createHash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { Executor } from '../../storage/database.ts';
import { noteUnsummed, storeUsage, type UsageRecord } from '../index.ts';
import { firstRequestIdAt } from '../time-prefix.ts';

/** A request id that a test can call by a name: the same for the same name. */
export function requestIdOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** A request id of this time, as they are made for requests; one of many. */
export function requestIdAt(at: Date): string {
  return `${firstRequestIdAt(at.getTime()).slice(0, 14)}7${crypto.randomUUID().slice(15)}`;
}

/** @returns the request ids that were new. */
export async function insertUsage(
  executor: Executor,
  records: readonly UsageRecord[],
): Promise<readonly string[]> {
  const { rows } = await executor.execute<{ request_id: string }>(
    sql`WITH stored AS (${storeUsage(records)} RETURNING *), ${noteUnsummed('stored')}
      SELECT request_id::text AS request_id FROM stored`,
  );
  return rows.map((row) => row.request_id);
}
