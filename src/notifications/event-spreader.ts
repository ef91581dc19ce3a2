/** The loop that finds, for each event, who wants to be told of it, and queues a mail or a delivery for each, once. */
import { eq, inArray, lt, type SQL, sql } from 'drizzle-orm';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { type AgreeingParts, withAgreedTime, withDatabaseTime } from '../storage/agreed-time.ts';
import { eventTopic } from '../storage/events.ts';
import { notificationEvents } from '../storage/schema/events.ts';
import { departments, users } from '../storage/schema/identity.ts';
import { webhookDeliveries, webhooks } from '../storage/schema/webhooks.ts';
import { transact, type Work, type WorkParts } from '../storage/work.ts';
import { DueLoop } from './due-loop.ts';
import { type EventRow, EventTurns } from './event-turns.ts';
import { forgetTellings, queueMails } from './told-contacts.ts';
import { readEvent, type ToldEvent } from './told-event.ts';
import { deliveryTopic } from './webhook-turns.ts';

const usualContactsAtOnce = 1000;
const dayMs = 86_400_000;
const keptMs = 90 * dayMs;
const cleaningMs = 3_600_000;
/** As long as an update of all processes may take: what this version cannot read is left to a newer one meanwhile. */
const leftToNewerMs = dayMs;
const removedAtOnce = 1000;

export class EventSpreader {
  readonly #parts: AgreeingParts;
  readonly #loop: DueLoop;
  readonly #turns = new EventTurns();
  /** By the clock that never goes back, so that one which is set right does not keep it from cleaning. */
  #cleanedAtMs = Number.NEGATIVE_INFINITY;

  /** It begins at once. Any number of processes may have one on one database. */
  constructor(parts: AgreeingParts & { readonly clock: Clock; readonly log: Log }) {
    this.#parts = parts;
    this.#loop = new DueLoop({
      ...parts,
      changes: parts.storage.changes,
      topic: eventTopic,
      failure: 'events could not be spread; it is tried again soon',
      round: (isClosing) => this.#round(isClosing),
    });
  }

  async close(): Promise<void> {
    await this.#loop.stop();
  }

  async #round(isClosing: () => boolean): Promise<null> {
    // What is queued is looked for, and counted within a day, by the database's time.
    while (!isClosing()) {
      if ((await spreadEvents(await withDatabaseTime(this.#parts), usualContactsAtOnce, this.#turns)) === 0)
        break;
    }
    const nowMs = this.#parts.clock.monotonicMs();
    if (nowMs - this.#cleanedAtMs >= cleaningMs && !isClosing()) {
      const agreed = await withAgreedTime(this.#parts);
      await removeOldEvents(agreed);
      await forgetTellings(agreed);
      this.#cleanedAtMs = nowMs;
    }
    return null;
  }
}

/**
 * A turn of those that wait: the oldest of each account or group before the second of any. What a process that hangs holds
 * waits for it alone. @returns how many it took; each may have to be taken again.
 */
export async function spreadEvents(
  parts: WorkParts,
  contactsAtOnce = usualContactsAtOnce,
  turns = new EventTurns(),
): Promise<number> {
  for (const left: number[] = []; ; ) {
    const { taken, others } = await spreadSome(parts, { contactsAtOnce, turns, left });
    if (taken > 0 || others.length === 0) return taken;
    left.push(...others);
  }
}

interface Turn {
  readonly contactsAtOnce: number;
  readonly turns: EventTurns;
  readonly left: readonly number[];
}

/** @returns `others` that are somebody else's: which another process holds, or a newer one can read. */
function spreadSome(
  parts: WorkParts,
  { contactsAtOnce, turns, left }: Turn,
): Promise<{ taken: number; others: readonly number[] }> {
  return transact(parts, async (work) => {
    const isNobodysMs = work.clock.nowMs() - leftToNewerMs;
    const { rows, busy } = await turns.lock(work.executor, { left, isNobodysMs });
    const others = [...busy];
    let [taken, contacts] = [0, 0];
    for (const row of rows) {
      turns.pass(row);
      const event = readEvent(row);
      if (event === undefined && row.createdAt.getTime() >= isNobodysMs) {
        others.push(row.id);
        continue;
      }
      contacts += await spread(work, row, event, contactsAtOnce);
      taken += 1;
      if (contacts >= contactsAtOnce) break;
    }
    return { taken, others };
  });
}

/** @returns to how many contacts. */
async function spread(
  work: Work,
  row: EventRow,
  event: ToldEvent | undefined,
  contactsAtOnce: number,
): Promise<number> {
  const mails =
    event === undefined ? { count: 0, last: 0 } : await queueMails(work, row, { ...event, contactsAtOnce });
  const isWhole = mails.count < contactsAtOnce;
  if (event?.isForWebhooks === true && isWhole) await queueDeliveries(work, row, event);
  await work.executor
    .update(notificationEvents)
    .set(isWhole ? { spreadAt: new Date(work.clock.nowMs()) } : { spreadTo: mails.last })
    .where(eq(notificationEvents.id, row.id));
  return mails.count;
}

/** Those of an account are its organisation's where it has one, and its own, made before it joined, then rest. */
function webhooksOf({ audience, audienceId }: EventRow): SQL {
  switch (audience) {
    case 'account':
      return sql`(hook.user_id = (SELECT id FROM ${users} WHERE id = ${audienceId} AND organisation_id IS NULL)
        OR hook.organisation_id = (SELECT organisation_id FROM ${users} WHERE id = ${audienceId}))`;
    case 'organisation':
      return sql`hook.organisation_id = ${audienceId}`;
    case 'department':
      return sql`hook.organisation_id = (SELECT organisation_id FROM ${departments} WHERE id = ${audienceId})`;
    default:
      return sql`hook.user_id IN (SELECT id FROM ${users}
        WHERE role IN ('platform_owner', 'platform_admin') AND status = 'active' AND organisation_id IS NULL)`;
  }
}

/**
 * One that is paused keeps what it missed among what failed, from where it can be sent again. The webhooks are held until
 * the deliveries are there, so that who pauses or switches off one at this moment comes before or finds them.
 */
async function queueDeliveries(
  { executor, clock, announce }: Work,
  row: EventRow,
  { kind }: ToldEvent,
): Promise<void> {
  const now = new Date(clock.nowMs()).toISOString();
  const { rowCount } = await executor.execute(sql`
    INSERT INTO ${webhookDeliveries} (webhook_id, event_id, due_at, failed_at, created_at)
    SELECT hook.id, ${row.id}, ${now}::timestamptz,
      CASE WHEN hook.paused_at IS NULL THEN NULL ELSE ${now}::timestamptz END, ${now}::timestamptz
    FROM ${webhooks} AS hook
    WHERE ${webhooksOf(row)} AND hook.enabled AND (hook.events IS NULL OR ${kind} = ANY (hook.events))
    FOR SHARE OF hook
    ON CONFLICT DO NOTHING`);
  if ((rowCount ?? 0) > 0) announce(deliveryTopic, 'queued');
}

/** With the mails and deliveries of it, which were over long ago. */
async function removeOldEvents(parts: WorkParts): Promise<void> {
  const before = new Date(parts.clock.nowMs() - keptMs);
  for (let count = removedAtOnce; count === removedAtOnce; ) {
    count = await transact(parts, async ({ executor }) => {
      const old = executor
        .select({ id: notificationEvents.id })
        .from(notificationEvents)
        .where(lt(notificationEvents.createdAt, before))
        .orderBy(notificationEvents.createdAt)
        .limit(removedAtOnce);
      const removed = await executor
        .delete(notificationEvents)
        .where(inArray(notificationEvents.id, old))
        .returning({ id: notificationEvents.id });
      return removed.length;
    });
  }
}
