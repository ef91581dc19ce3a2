/**
 * Time that processes agree on. What cannot be made again is removed or ended by the earlier of this process's time and the
 * database's; what one process writes for others to compare with, such as until when it holds something, is told by the
 * database's alone.
 */
import { type SQL, sql } from 'drizzle-orm';
import type { Clock } from '../base/clock.ts';
import type { Executor } from './database.ts';
import type { Work, WorkParts } from './work.ts';

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
  return setBack(parts, Math.max(0, await readAheadMs(parts)));
}

/**
 * The same parts with the database's time, be this process's ahead of it or behind: two whose clocks are apart would each
 * take what the other has just claimed, or leave what is due.
 */
export async function withDatabaseTime<Parts extends Omit<AgreeingParts, 'ids'>>(
  parts: Parts,
): Promise<Parts> {
  return setBack(parts, await readAheadMs(parts));
}

/** How far this process's clock is ahead of the database's, in milliseconds; below zero where it is behind. */
export async function readAheadMs({
  clock,
  storage,
  databaseMs = readDatabaseMs,
}: Omit<AgreeingParts, 'ids'>): Promise<number> {
  const shownMs = await databaseMs(storage.db);
  return clock.nowMs() - shownMs;
}

/**
 * The later of this process's time and the database's at this moment, in milliseconds: what is in effect for either of them
 * is not to come any more.
 */
export async function laterNowMs({ executor, clock }: Pick<Work, 'executor' | 'clock'>): Promise<number> {
  const { rows } = await executor.execute<{ ms: string }>(
    sql`SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::text AS ms`,
  );
  return Math.max(clock.nowMs(), Number(rows[0]?.ms));
}

/** Now, as a statement writes what is due at once: never later than the database's time, by which it is looked for. */
export const agreedNow = (clock: Clock): SQL =>
  sql`least(${new Date(clock.nowMs()).toISOString()}::timestamptz, date_trunc('milliseconds', now()))`;

export async function readDatabaseMs(executor: Executor): Promise<number> {
  const { rows } = await executor.execute<{ ms: string }>(
    sql`SELECT floor(extract(epoch FROM now()) * 1000)::text AS ms`,
  );
  return Number(rows[0]?.ms);
}

function setBack<Parts extends { readonly clock: Clock }>(parts: Parts, byMs: number): Parts {
  if (byMs === 0) return parts;
  const { clock } = parts;
  const adjusted: Clock = {
    nowMs: () => clock.nowMs() - byMs,
    monotonicMs: () => clock.monotonicMs(),
    after: (delayMs, run) => clock.after(delayMs, run),
    sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
  };
  return { ...parts, clock: adjusted };
}
