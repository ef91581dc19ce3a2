/** How large the request log and its sums are, and how they grow. */
import { sql } from 'drizzle-orm';
import type { Clock } from '../base/clock.ts';
import type { Executor } from '../storage/database.ts';
import { longStatement } from '../storage/long-statement.ts';
import { usageDaily } from '../storage/schema/usage.ts';
import { measureTable, type TableSize } from '../storage/table-size.ts';
import { facets } from './facets.ts';
import { listPartitions } from './partitions.ts';

export interface PartitionSize extends TableSize {
  readonly from: Date | null;
  readonly to: Date | null;
}

export interface UsageSize {
  /** Oldest first. */
  readonly partitions: readonly PartitionSize[];
  /** With what waits to be in them. */
  readonly sums: readonly TableSize[];
  readonly rows: number;
  readonly bytes: number;
  /** Over the whole days of UTC with requests among the last thirty; 0 where there was none. */
  readonly requestsADay: number;
  readonly bytesADay: number;
  /** Until there is twice as much, if it goes on like that and nothing is dropped; null where nothing grows. */
  readonly doublesInDays: number | null;
}

const growthDays = 30;
const dayMs = 86_400_000;

export async function measureUsage(executor: Executor, clock: Pick<Clock, 'nowMs'>): Promise<UsageSize> {
  const partitions: PartitionSize[] = [];
  for (const { name, fromMs, toMs } of await listPartitions(executor)) {
    const part = await measureTable(executor, name);
    partitions.push({ ...part, from: asDate(fromMs), to: asDate(toMs) });
  }
  const sums: TableSize[] = [];
  for (const name of ['usage_hourly', 'usage_daily', 'usage_weekly', 'usage_unsummed']) {
    sums.push(await measureTable(executor, name));
  }
  const rows = total(partitions.map((part) => part.rows));
  const bytes = total([...partitions, ...sums].map((part) => part.bytes));
  const requestsADay = await readRequestsADay(executor, clock.nowMs());
  const bytesADay = rows === 0 ? 0 : Math.round((bytes / rows) * requestsADay);
  const doublesInDays = bytesADay === 0 ? null : Math.ceil(bytes / bytesADay);
  return { partitions, sums, rows, bytes, requestsADay, bytesADay, doublesInDays };
}

async function readRequestsADay(executor: Executor, nowMs: number): Promise<number> {
  const todayMs = Math.floor(nowMs / dayMs) * dayMs;
  const { rows } = await executor.execute<{
    requests: string | null;
    days: string | null;
  }>(sql`${longStatement}
    SELECT sum(requests)::text AS requests,
      (extract(epoch FROM ${new Date(todayMs).toISOString()}::timestamptz - min(bucket_at)) / 86400)::integer::text AS days
    FROM ${usageDaily}
    WHERE facet = ${sql.raw(String(facets.models.id))} AND bucket_at < ${new Date(todayMs).toISOString()}
      AND bucket_at >= ${new Date(todayMs - growthDays * dayMs).toISOString()}`);
  const days = Number(rows[0]?.days ?? 0);
  return days === 0 ? 0 : Math.round(Number(rows[0]?.requests ?? 0) / days);
}

const asDate = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));
const total = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0);
