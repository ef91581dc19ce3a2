/** Whose turn it is: deliveries that are due, taken of one webhook after the other and of no owner many at once. */
import { and, asc, eq, gt, inArray, isNull, sql } from 'drizzle-orm';
import { type AgreeingParts, readAheadMs, withDatabaseTime } from '../storage/agreed-time.ts';
import { notificationEvents } from '../storage/schema/events.ts';
import { webhookDeliveries, webhooks } from '../storage/schema/webhooks.ts';
import { transact, type Work } from '../storage/work.ts';
import {
  findFewDue,
  goRound,
  isDueOfTurn,
  keepToIndexes,
  type Span,
  theEnd,
  type Waiting,
} from './going-round.ts';

export const deliveryTopic = 'webhook-delivery';

/** Longer than a try may take. */
const claimMs = 2 * 60_000;
/** Under way at once for an organisation or a person, in one process: whose receivers are slow holds up few. */
const mostOfOwner = 4;

const deliveries: Waiting = {
  table: webhookDeliveries,
  whose: sql`webhook_id`,
  isWaiting: sql`delivered_at IS NULL AND failed_at IS NULL`,
};

/** One that is to be tried now, by this process alone. */
export interface ClaimedDelivery {
  readonly id: number;
  readonly createdAt: Date;
  /** This one counted. */
  readonly tries: number;
  /** By the database's time. */
  readonly claimedAt: Date;
  /** By which the claim is known: who comes later finds another. */
  readonly claimedUntil: Date;
  readonly webhook: typeof webhooks.$inferSelect;
  readonly event: typeof notificationEvents.$inferSelect;
}

interface Candidate extends Record<string, unknown> {
  readonly id: string;
  readonly webhook: string;
  /** An organisation's number, or a person's below zero. */
  readonly owner: string;
}

/** Of one process, which goes round: it begins behind the webhook where it stopped. */
export class WebhookTurns {
  readonly #parts: AgreeingParts;
  /** How many are under way, by owner. */
  readonly #underWay = new Map<number, number>();
  #after = 0;

  constructor(parts: AgreeingParts) {
    this.#parts = parts;
  }

  /**
   * At most `count` that are due. They are nobody else's for two minutes of the database's time, and their owner's place is
   * taken until `end`.
   */
  async claim(count: number): Promise<ClaimedDelivery[]> {
    const agreed = await withDatabaseTime(this.#parts);
    // Of the moment in which they are looked for: a connection can be waited for, and a claim must not begin lapsed.
    const { chosen, ...claim } = await transact(agreed, async (work) => {
      const claimedAt = new Date(work.clock.nowMs());
      const claimedUntil = new Date(claimedAt.getTime() + claimMs);
      const found = await this.#choose(work, { now: claimedAt, count });
      const ids = found.map(({ id }) => Number(id));
      if (ids.length > 0) {
        await work.executor
          .update(webhookDeliveries)
          .set({ tries: sql`${webhookDeliveries.tries} + 1`, dueAt: claimedUntil })
          .where(inArray(webhookDeliveries.id, ids));
      }
      return { chosen: ids, claimedAt, claimedUntil };
    });
    if (chosen.length === 0) return [];
    const claimed = await this.#read(chosen, claim);
    for (const { webhook } of claimed) this.#count(ownerOf(webhook), 1);
    return claimed;
  }

  /** Its try is over. */
  end({ webhook }: ClaimedDelivery): void {
    this.#count(ownerOf(webhook), -1);
  }

  #count(owner: number, by: number): void {
    const count = (this.#underWay.get(owner) ?? 0) + by;
    if (count === 0) this.#underWay.delete(owner);
    else this.#underWay.set(owner, count);
  }

  async #choose(
    work: Work,
    { now, count }: { readonly now: Date; readonly count: number },
  ): Promise<readonly Candidate[]> {
    const few = await findFewDue(work.executor, deliveries, now);
    return await keepToIndexes(work.executor, () => this.#takeTurns(work, { now, few, count }));
  }

  async #takeTurns(
    work: Work,
    { now, few, count }: Pick<Span, 'few'> & { readonly now: Date; readonly count: number },
  ): Promise<readonly Candidate[]> {
    const began = this.#after;
    const places = new Map(this.#underWay);
    const take = (candidates: readonly Candidate[], most: number) => {
      const taken: Candidate[] = [];
      for (const candidate of candidates) {
        if (taken.length === most) break;
        const owner = Number(candidate.owner);
        const busy = places.get(owner) ?? 0;
        this.#after = Number(candidate.webhook);
        if (busy >= mostOfOwner) continue;
        places.set(owner, busy + 1);
        taken.push(candidate);
      }
      return taken;
    };
    const behind = { few, after: began, until: theEnd, now, count, places };
    const first = take(await this.#findDue(work, behind), count);
    if (first.length === count || began === 0) {
      if (first.length === 0) this.#after = 0;
      return first;
    }
    const left = count - first.length;
    const second = await this.#findDue(work, { few, after: 0, until: began, now, count: left, places });
    const all = [...first, ...take(second, left)];
    if (all.length === 0) this.#after = 0;
    return all;
  }

  async #findDue(
    { executor }: Work,
    {
      now,
      count,
      places,
      ...span
    }: Span & { readonly now: Date; readonly count: number; readonly places: ReadonlyMap<number, number> },
  ): Promise<readonly Candidate[]> {
    const full = [...places].filter(([, busy]) => busy >= mostOfOwner).map(([owner]) => owner);
    const isFull = full.length === 0 ? sql`false` : sql`hook.owner IN (${sql.join(full, sql`, `)})`;
    const waiting = goRound(deliveries, span);
    if (waiting === null) return [];
    const { rows } = await executor.execute<Candidate>(sql`
      WITH RECURSIVE waiting (turn) AS (${waiting})
      SELECT due.id, waiting.turn AS webhook, hook.owner
      FROM waiting
        CROSS JOIN LATERAL (SELECT coalesce(organisation_id, -user_id) AS owner FROM ${webhooks}
          WHERE id = waiting.turn LIMIT 1) AS hook
        CROSS JOIN LATERAL (SELECT id FROM ${webhookDeliveries}
          WHERE ${isDueOfTurn(deliveries, now)} AND NOT (${isFull})
          ORDER BY due_at, id LIMIT ${mostOfOwner} FOR UPDATE SKIP LOCKED) AS due
      WHERE waiting.turn <= ${span.until}::bigint
      LIMIT ${count * mostOfOwner}`);
    return rows;
  }

  async #read(
    ids: readonly number[],
    claim: Pick<ClaimedDelivery, 'claimedAt' | 'claimedUntil'>,
  ): Promise<ClaimedDelivery[]> {
    const rows = await this.#parts.storage.db
      .select()
      .from(webhookDeliveries)
      .innerJoin(webhooks, eq(webhooks.id, webhookDeliveries.webhookId))
      .innerJoin(notificationEvents, eq(notificationEvents.id, webhookDeliveries.eventId))
      .where(inArray(webhookDeliveries.id, [...ids]))
      .orderBy(asc(webhookDeliveries.id));
    return rows.map(({ webhook_deliveries: { id, createdAt, tries }, webhooks: webhook, ...row }) => ({
      ...{ id, createdAt, tries, ...claim, webhook },
      event: row.notification_events,
    }));
  }
}

const ownerOf = ({ organisationId, userId }: ClaimedDelivery['webhook']): number =>
  organisationId ?? -(userId ?? 0);

/**
 * When the next one is due, in milliseconds since the epoch by this process's clock; null when none waits.
 * @param afterMs what is due until then is left out, since somebody is at it.
 */
export async function nextDeliveryDueMs(
  parts: AgreeingParts,
  afterMs: number | null,
): Promise<number | null> {
  const aheadMs = await readAheadMs(parts);
  const [row] = await parts.storage.db
    .select({ dueAt: webhookDeliveries.dueAt })
    .from(webhookDeliveries)
    .where(
      and(
        isNull(webhookDeliveries.deliveredAt),
        isNull(webhookDeliveries.failedAt),
        afterMs === null ? undefined : gt(webhookDeliveries.dueAt, new Date(afterMs - aheadMs)),
      ),
    )
    .orderBy(asc(webhookDeliveries.dueAt))
    .limit(1);
  return row === undefined ? null : row.dueAt.getTime() + aheadMs;
}
