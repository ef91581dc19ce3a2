/** Whose turn it is: events that nobody has spread, the oldest of each account or group before the second of any. */
import { and, asc, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import type { Executor } from '../storage/database.ts';
import { eventFacts } from '../storage/events.ts';
import { notificationEvents } from '../storage/schema/events.ts';

/** In one transaction, so that none is long. */
const eventsAtOnce = 20;

export type EventRow = typeof notificationEvents.$inferSelect;

export interface LockedEvents {
  readonly rows: readonly EventRow[];
  /** What another process holds. */
  readonly busy: readonly number[];
}

/** Accounts and groups that something waits for are gone round in this order. */
interface Place {
  readonly audience: string;
  readonly whose: number;
}

interface Candidate {
  readonly id: string;
  readonly audience: string;
  readonly whose: string;
  readonly turn: number;
}

const theBeginning: Place = { audience: '', whose: 0 };

/** Of one process, which goes round the accounts: it begins behind the one where it stopped. */
export class EventTurns {
  #after = theBeginning;

  /**
   * What is next, but for those that are `left`, locked until the work ends. They are chosen first and locked then, so
   * what is chosen may be held by somebody else: who asks leaves that and asks again.
   */
  async lock(
    executor: Executor,
    { left, isNobodysMs }: { readonly left: readonly number[]; readonly isNobodysMs: number },
  ): Promise<LockedEvents> {
    const isFree = isFreeOf(left, isNobodysMs);
    const began = this.#after;
    const found = await findWaiting(executor, { isFree, after: began, until: null });
    const heads = found.filter(({ turn }) => turn === 1).length;
    if (heads < eventsAtOnce && began !== theBeginning) {
      found.push(...(await findWaiting(executor, { isFree, after: theBeginning, until: began })));
    }
    if (found.length === 0) {
      this.#after = theBeginning;
      return { rows: [], busy: [] };
    }
    const chosen = found.toSorted((one, other) => one.turn - other.turn).slice(0, eventsAtOnce);
    const places = new Map(chosen.map(({ id }, place) => [Number(id), place]));
    const ids = [...places.keys()];
    const rows = await executor
      .select()
      .from(notificationEvents)
      .where(and(isNull(notificationEvents.spreadAt), inArray(notificationEvents.id, ids)))
      .orderBy(asc(notificationEvents.id))
      .for('update', { skipLocked: true });
    const got = new Set(rows.map(({ id }) => id));
    return {
      rows: rows.toSorted((one, other) => (places.get(one.id) ?? 0) - (places.get(other.id) ?? 0)),
      busy: ids.filter((id) => !got.has(id)),
    };
  }

  /** It was taken, or looked at: who comes next is behind its account. */
  pass({ audience, audienceId }: EventRow): void {
    this.#after = { audience, whose: audienceId ?? 0 };
  }
}

/** What this version knows, or what no newer one has taken in all the time that it was left to it. */
function isFreeOf(left: readonly number[], isNobodysMs: number): SQL {
  // One parameter each, since a statement has not more than 65,535 of them.
  const kinds = `{${Object.keys(eventFacts).join(',')}}`;
  return sql`event.spread_at IS NULL AND event.id <> ALL (${`{${left.join(',')}}`}::bigint[])
    AND (event.kind = ANY (${kinds}::text[]) OR event.created_at < ${new Date(isNobodysMs).toISOString()}::timestamptz)`;
}

/**
 * From one account or group that waits to the next, each found in the index by itself: however much waits for one of
 * them, the others are found behind it. @returns of each of the first ones as many as one turn may take.
 */
async function findWaiting(
  executor: Executor,
  { isFree, after, until }: { readonly isFree: SQL; readonly after: Place; readonly until: Place | null },
): Promise<Candidate[]> {
  const place = sql`event.audience, coalesce(event.audience_id, 0)`;
  const isBefore = (sign: '<' | '<=') =>
    until === null
      ? sql`true`
      : sql`(waiting.audience, waiting.whose) ${sql.raw(sign)} (${until.audience}::text, ${until.whose}::bigint)`;
  const oldest = (count: number) => sql`SELECT event.id FROM ${notificationEvents} AS event
    WHERE event.audience = waiting.audience AND coalesce(event.audience_id, 0) = waiting.whose AND ${isFree}
    ORDER BY ${place}, event.id LIMIT ${count}`;
  const { rows } = await executor.execute<Candidate & Record<string, unknown>>(sql`
    WITH RECURSIVE waiting (audience, whose, place) AS (
      (SELECT ${place}, 1 FROM ${notificationEvents} AS event
        WHERE event.spread_at IS NULL AND (${place}) > (${after.audience}::text, ${after.whose}::bigint)
        ORDER BY ${place} LIMIT 1)
      UNION ALL
      SELECT next.audience, next.whose, waiting.place + 1 FROM waiting CROSS JOIN LATERAL (
        SELECT event.audience, coalesce(event.audience_id, 0) AS whose FROM ${notificationEvents} AS event
        WHERE event.spread_at IS NULL AND (${place}) > (waiting.audience, waiting.whose)
        ORDER BY ${place} LIMIT 1) AS next
      WHERE ${isBefore('<')}
    ), heads AS (
      SELECT waiting.* FROM waiting CROSS JOIN LATERAL (${oldest(1)}) AS head
      WHERE ${isBefore('<=')} LIMIT ${eventsAtOnce}
    )
    SELECT few.id, waiting.audience, waiting.whose,
      (row_number() OVER (PARTITION BY waiting.place ORDER BY few.id))::int AS turn
    FROM heads AS waiting CROSS JOIN LATERAL (${oldest(eventsAtOnce)}) AS few
    ORDER BY turn, waiting.place`);
  return [...rows];
}
