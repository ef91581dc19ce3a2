/**
 * The token log: what happens to providers' credentials, written behind the requests. What comes alike within a moment
 * is one row with a count, so that a storm is a few rows; a database that is away costs what does not fit, and no request.
 */
import { and, desc, eq, gte, inArray, lt, sql } from 'drizzle-orm';
import type { Clock, Timer } from '../base/clock.ts';
import { describeThrown } from '../base/errors.ts';
import { Keeper } from '../base/keeper.ts';
import type { Log } from '../base/log.ts';
import { type AgreeingParts, withAgreedTime } from '../storage/agreed-time.ts';
import type { Executor } from '../storage/database.ts';
import { tokenEvents } from '../storage/schema/token-events.ts';
import { transact, type WorkParts } from '../storage/work.ts';
import type { PoolEvent } from './pool-events.ts';

const writeAfterMs = 2000;
const retryAfterMs = 10_000;
/** Of different events that wait to be written. */
const mostWaiting = 1000;
const rowsAtOnce = 200;

interface Waiting extends PoolEvent {
  readonly atMs: number;
  readonly count: number;
}

export class TokenLog {
  readonly #parts: WorkParts & { readonly log: Log };
  #waiting = new Map<string, Waiting>();
  #dropped = 0;
  #timer: Timer | null = null;
  #writing: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(parts: WorkParts & { readonly log: Log }) {
    this.#parts = parts;
  }

  add(event: PoolEvent): void {
    if (this.#isClosed) return;
    this.#merge({ ...event, atMs: this.#parts.clock.nowMs(), count: 1 });
    this.#writeAfter(writeAfterMs);
  }

  /** Writes what waits. It never rejects: what could not be written is tried again. */
  flush(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = null;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async close(): Promise<void> {
    await this.flush();
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  #merge(event: Waiting): void {
    const { provider, keyName, model, kind, source, errorKind } = event;
    const name = JSON.stringify([provider, keyName, model, kind, source, errorKind]);
    const before = this.#waiting.get(name);
    if (before === undefined && this.#waiting.size >= mostWaiting) {
      this.#dropped += event.count;
      return;
    }
    const durationMs =
      before?.durationMs == null ? event.durationMs : Math.max(before.durationMs, event.durationMs ?? 0);
    const count = (before?.count ?? 0) + event.count;
    const atMs = Math.min(before?.atMs ?? event.atMs, event.atMs);
    this.#waiting.set(name, { ...event, atMs, durationMs, count });
  }

  #writeAfter(ms: number): void {
    if (this.#timer !== null || this.#isClosed) return;
    this.#timer = this.#parts.clock.after(ms, () => void this.flush());
  }

  async #write(): Promise<void> {
    if (this.#waiting.size === 0) return;
    const { log } = this.#parts;
    const waiting = [...this.#waiting.values()];
    this.#waiting = new Map();
    try {
      await transact(this.#parts, async ({ executor }) => {
        for (let at = 0; at < waiting.length; at += rowsAtOnce) {
          const rows = waiting
            .slice(at, at + rowsAtOnce)
            .map(({ atMs, ...row }) => ({ ...row, at: new Date(atMs) }));
          await executor.insert(tokenEvents).values(rows);
        }
      });
      if (this.#dropped > 0)
        log.warn('events of credentials were not kept: too many', { count: this.#dropped });
      this.#dropped = 0;
    } catch (error) {
      log.warn('events of credentials could not be written; it is tried again', {
        detail: describeThrown(error),
      });
      for (const event of waiting) this.#merge(event);
      this.#writeAfter(retryAfterMs);
    }
  }
}

/** By the parameters of `/api/admin/token-logs`; what is left out or empty selects all. */
export interface TokenLogQuery {
  readonly provider?: string;
  readonly keyName?: string;
  readonly kinds?: readonly string[];
  readonly source?: string;
  readonly errorKind?: string;
  /** Milliseconds since the epoch; 0 for none. */
  readonly sinceMs?: number;
  readonly windowHours?: number;
  readonly limit?: number;
  readonly offset?: number;
}

export interface LoggedEvent extends Omit<PoolEvent, 'kind' | 'source' | 'errorKind'> {
  readonly id: number;
  readonly atMs: number;
  readonly kind: string;
  readonly source: string;
  readonly errorKind: string | null;
  readonly count: number;
}

const hourMs = 3_600_000;
const mostRows = 1000;
const farthestOffset = 100_000;
const bounded = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value));

/** Newest first. */
export async function readTokenLog(
  db: Executor,
  query: TokenLogQuery,
  clock: Pick<Clock, 'nowMs'>,
): Promise<readonly LoggedEvent[]> {
  const { provider = '', keyName = '', kinds = [], source = '', errorKind = '', sinceMs = 0 } = query;
  const { windowHours = 24, limit = 100, offset = 0 } = query;
  const windowMs = bounded(windowHours, 1, 24 * 366) * hourMs;
  const since = new Date(Math.max(bounded(sinceMs, 0, clock.nowMs()), clock.nowMs() - windowMs));
  const rows = await db
    .select()
    .from(tokenEvents)
    .where(
      and(
        gte(tokenEvents.at, since),
        provider === '' ? undefined : eq(tokenEvents.provider, provider),
        keyName === '' ? undefined : eq(tokenEvents.keyName, keyName),
        kinds.length === 0 ? undefined : inArray(tokenEvents.kind, [...kinds]),
        source === '' ? undefined : eq(tokenEvents.source, source),
        errorKind === '' ? undefined : eq(tokenEvents.errorKind, errorKind),
      ),
    )
    .orderBy(desc(tokenEvents.at), desc(tokenEvents.id))
    .limit(bounded(limit, 1, mostRows))
    .offset(bounded(offset, 0, farthestOffset));
  return rows.map(({ at, ...row }) => ({ ...row, atMs: at.getTime() }));
}

const dayMs = 86_400_000;
const deletedAtOnce = 5000;
/** Whatever their age: of more than these the oldest go. */
const mostKept = 500_000;

/** Old events go: once an hour, a few thousand a statement. */
export function tokenLogKeeper({
  keptDays,
  mostEvents = mostKept,
  ...parts
}: AgreeingParts & { readonly log: Log; readonly keptDays: number; readonly mostEvents?: number }): Keeper {
  const { clock, log } = parts;
  return new Keeper({
    clock,
    log,
    pauseMs: hourMs,
    failure: 'old events of credentials could not be removed; it is tried again in an hour',
    async round(closing) {
      const agreed = await withAgreedTime(parts);
      const before = new Date(agreed.clock.nowMs() - keptDays * dayMs);
      for (let count = deletedAtOnce; count === deletedAtOnce && !closing.aborted; ) {
        count = await transact(parts, ({ executor }) => removeOld(executor, before, mostEvents));
      }
    },
  });
}

async function removeOld(executor: Executor, before: Date, mostEvents: number): Promise<number> {
  // Ids grow with time, and gaps in them only keep fewer.
  const old = sql`${tokenEvents.id} IN (
    SELECT ${tokenEvents.id} FROM ${tokenEvents}
    WHERE ${lt(tokenEvents.at, before)}
      OR ${tokenEvents.id} <= (SELECT max(${tokenEvents.id}) FROM ${tokenEvents}) - ${mostEvents}::bigint
    ORDER BY ${tokenEvents.at} LIMIT ${deletedAtOnce})`;
  const removed = await executor.delete(tokenEvents).where(old).returning({ id: tokenEvents.id });
  return removed.length;
}
