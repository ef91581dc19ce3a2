/** The time by which is removed or ended what cannot be made again: the earlier of this process's and the database's. */
import { sql } from 'drizzle-orm';
import type { Clock } from '../base/clock.ts';
import type { Executor } from './database.ts';
import type { WorkParts } from './work.ts';

export interface AgreeingParts extends WorkParts {
  /** What the database's clock shows, in milliseconds since the Unix epoch; the database is asked when this is not given. */
  readonly databaseMs?: (executor: Executor) => Promise<number>;
}

/**
 * The same parts with a clock that is no further than the database's. One machine that starts with a date of years to come
 * would otherwise remove at once whatever is kept for some days only. A clock that is behind stays: what is late is done
 * later.
 */
export async function withAgreedTime<Parts extends Omit<AgreeingParts, 'ids'>>(parts: Parts): Promise<Parts> {
  const { clock, storage, databaseMs = readDatabaseMs } = parts;
  const shownMs = await databaseMs(storage.db);
  const aheadMs = Math.max(0, clock.nowMs() - shownMs);
  return aheadMs === 0 ? parts : { ...parts, clock: setBack(clock, aheadMs) };
}

export async function readDatabaseMs(executor: Executor): Promise<number> {
  const { rows } = await executor.execute<{ ms: string }>(
    sql`SELECT floor(extract(epoch FROM now()) * 1000)::text AS ms`,
  );
  return Number(rows[0]?.ms);
}

function setBack(clock: Clock, byMs: number): Clock {
  return {
    nowMs: () => clock.nowMs() - byMs,
    monotonicMs: () => clock.monotonicMs(),
    after: (delayMs, run) => clock.after(delayMs, run),
    sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
  };
}
