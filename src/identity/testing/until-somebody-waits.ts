/** For tests of works that meet in a database which does several at a time. */
import { sql } from 'drizzle-orm';
import type { Executor } from '../../storage/database.ts';

const mostLooks = 100_000;

/** Looks until a work waits for what another has locked. */
export async function untilSomebodyWaits(executor: Executor): Promise<void> {
  for (let looks = 0; looks < mostLooks; looks += 1) {
    const { rows } = await executor.execute<{ waiting: number }>(sql`
      SELECT count(*)::int AS waiting FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`);
    if ((rows[0]?.waiting ?? 0) > 0) return;
  }
  throw new Error('nobody waits');
}
