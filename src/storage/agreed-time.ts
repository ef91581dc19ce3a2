/**
 * Time that processes agree on. What cannot be made again is removed or ended by the earlier of this process's time and the
 * database's; what must be the same for all, such as until when one of them holds something or which window of a budget is
 * open, is told by the database's alone.
 */
import { type SQL, sql } from 'drizzle-orm';
import type { Clock, Timer } from '../base/clock.ts';
import type { Executor } from './database.ts';
import type { Work, WorkParts } from './work.ts';

const lookedAtEachMs = 60_000;

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
export async function laterNowMs(work: Pick<Work, 'executor' | 'clock'>): Promise<number> {
  return Math.max(work.clock.nowMs(), await readNowMs(work));
}

/** The earlier of the two: what began for either of them has begun. */
export async function earlierNowMs(work: Pick<Work, 'executor' | 'clock'>): Promise<number> {
  return Math.min(work.clock.nowMs(), await readNowMs(work));
}

async function readNowMs({ executor }: Pick<Work, 'executor'>): Promise<number> {
  const { rows } = await executor.execute<{ ms: string }>(
    sql`SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::text AS ms`,
  );
  return Number(rows[0]?.ms);
}

/**
 * The database's time for those who cannot wait for it: this process's clock, less what it was ahead by. That is looked at
 * again, behind whoever asks, each minute, since a machine's date can be put right under a running process.
 */
export class DatabaseClock implements Clock {
  readonly #parts: Omit<AgreeingParts, 'ids'>;
  #aheadMs = 0;
  #lookedAtMs: number | undefined;

  constructor(parts: Omit<AgreeingParts, 'ids'>) {
    this.#parts = parts;
  }

  /** This process's own time until it was looked at once. */
  nowMs(): number {
    if (this.#lookedAtMs !== undefined && this.monotonicMs() - this.#lookedAtMs >= lookedAtEachMs) {
      // Nobody else looks meanwhile; while the database does not answer, what is known goes on.
      this.#lookedAtMs = this.monotonicMs();
      void this.look().catch(() => {});
    }
    return this.#parts.clock.nowMs() - this.#aheadMs;
  }

  /** @returns what the database's clock shows now. @throws what the database throws. */
  async look(): Promise<number> {
    this.#aheadMs = await readAheadMs(this.#parts);
    this.#lookedAtMs = this.monotonicMs();
    return this.nowMs();
  }

  monotonicMs(): number {
    return this.#parts.clock.monotonicMs();
  }

  after(delayMs: number, run: () => void): Timer {
    return this.#parts.clock.after(delayMs, run);
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return this.#parts.clock.sleep(delayMs, signal);
  }
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
