/** The loop that finds, for each event, who wants to be told of it, and queues a mail or a delivery for each, once. */
import { and, asc, eq, inArray, isNull, lt, lte, notInArray, or, type SQL, sql } from 'drizzle-orm';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { eventFacts, eventTopic } from '../storage/events.ts';
import { notificationContacts, notificationPreferences } from '../storage/schema/contacts.ts';
import { notificationEvents } from '../storage/schema/events.ts';
import { users } from '../storage/schema/identity.ts';
import { mailOutbox } from '../storage/schema/notifications.ts';
import { webhookDeliveries, webhooks } from '../storage/schema/webhooks.ts';
import { transact, type Work, type WorkParts } from '../storage/work.ts';
import { DueLoop } from './due-loop.ts';
import { outboxTopic } from './outbox.ts';
import { readEvent, type ToldEvent } from './told-event.ts';
import { deliveryTopic } from './webhook-turns.ts';

/** In one transaction, so that none is long. */
const eventsAtOnce = 20;
/** Of those that wait, the oldest, among which accounts take turns. */
const comparedAtOnce = 2000;
const usualContactsAtOnce = 1000;
/** More than somebody reads. What happens beyond is to be seen in the account, and webhooks are told of it. */
export const mostMailsADay = 50;
const dayMs = 86_400_000;
const keptMs = 90 * dayMs;
const cleaningMs = 3_600_000;
/** As long as an update of all processes may take: what this version cannot read is left to a newer one meanwhile. */
const leftToNewerMs = dayMs;
const removedAtOnce = 1000;

type EventRow = typeof notificationEvents.$inferSelect;

export class EventSpreader {
  readonly #parts: WorkParts;
  readonly #loop: DueLoop;
  #cleanedAtMs = Number.NEGATIVE_INFINITY;

  /** It begins at once. Any number of processes may have one on one database. */
  constructor(parts: WorkParts & { readonly clock: Clock; readonly log: Log }) {
    this.#parts = parts;
    this.#loop = new DueLoop({
      ...parts,
      changes: parts.storage.changes,
      topic: eventTopic,
      failure: 'events could not be spread; it is tried again in a minute',
      round: (isClosing) => this.#round(isClosing),
    });
  }

  async close(): Promise<void> {
    await this.#loop.stop();
  }

  async #round(isClosing: () => boolean): Promise<null> {
    while (!isClosing()) if ((await spreadEvents(this.#parts)) === 0) break;
    const nowMs = this.#parts.clock.nowMs();
    if (nowMs - this.#cleanedAtMs >= cleaningMs && !isClosing()) {
      await removeOldEvents(this.#parts);
      this.#cleanedAtMs = nowMs;
    }
    return null;
  }
}

/**
 * A turn of those that wait: the oldest of each account or group before the second of any, and what was begun before and
 * has still more contacts after all that was not. @returns how many it took; each may have to be taken again.
 */
export async function spreadEvents(parts: WorkParts, contactsAtOnce = usualContactsAtOnce): Promise<number> {
  for (const left: number[] = []; ; ) {
    const { taken, unreadable } = await spreadSome(parts, contactsAtOnce, left);
    if (taken > 0 || unreadable.length === 0) return taken;
    // All of these are left to a newer process, which finds them free as soon as this transaction is over.
    left.push(...unreadable);
  }
}

function spreadSome(
  parts: WorkParts,
  contactsAtOnce: number,
  left: readonly number[],
): Promise<{ taken: number; unreadable: readonly number[] }> {
  return transact(parts, async (work) => {
    const isNobodysMs = work.clock.nowMs() - leftToNewerMs;
    const unreadable: number[] = [];
    let [taken, contacts] = [0, 0];
    for (const row of await lockNext(work.executor, { left, isNobodysMs })) {
      const event = readEvent(row);
      if (event === undefined && row.createdAt.getTime() >= isNobodysMs) {
        unreadable.push(row.id);
        continue;
      }
      contacts += await spread(work, row, event, contactsAtOnce);
      taken += 1;
      if (contacts >= contactsAtOnce) break;
    }
    return { taken, unreadable };
  });
}

async function lockNext(
  executor: Work['executor'],
  { left, isNobodysMs }: { readonly left: readonly number[]; readonly isNobodysMs: number },
): Promise<readonly EventRow[]> {
  const oldest = executor
    .select({
      id: notificationEvents.id,
      isBegun: sql<boolean>`${notificationEvents.spreadTo} > 0`.as('is_begun'),
      turn: sql`row_number() OVER (PARTITION BY ${notificationEvents.audience}, ${notificationEvents.audienceId}
        ORDER BY ${notificationEvents.id})`.as('turn'),
    })
    .from(notificationEvents)
    .where(
      and(
        isNull(notificationEvents.spreadAt),
        left.length === 0 ? undefined : notInArray(notificationEvents.id, [...left]),
        or(
          inArray(notificationEvents.kind, Object.keys(eventFacts)),
          lt(notificationEvents.createdAt, new Date(isNobodysMs)),
        ),
        lte(
          notificationEvents.id,
          sql`(SELECT max(id) FROM (SELECT id FROM ${notificationEvents}
          WHERE spread_at IS NULL ORDER BY id LIMIT ${comparedAtOnce + left.length}) AS oldest)`,
        ),
      ),
    )
    .as('oldest');
  const next = await executor
    .select({ id: oldest.id })
    .from(oldest)
    .orderBy(oldest.turn, oldest.isBegun, oldest.id)
    .limit(eventsAtOnce);
  const ids = next.map(({ id }) => id);
  if (ids.length === 0) return [];
  const rows = await executor
    .select()
    .from(notificationEvents)
    .where(and(isNull(notificationEvents.spreadAt), inArray(notificationEvents.id, ids)))
    .orderBy(asc(notificationEvents.id))
    .for('update', { skipLocked: true });
  return rows.toSorted((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
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

/** Accounts whose own address is not known to be theirs are told nothing, and none is that is gone. */
const canBeTold = sql`${users.removedAt} IS NULL AND ${users.status} <> 'unverified'`;

const isActive = sql`${users.status} = 'active'`;

/** Whose contacts are told. Of what is not their own account's, those are told who may still act on it. */
function recipientsOf({ audience, audienceId }: EventRow): SQL {
  switch (audience) {
    case 'account':
      return sql`${users.id} = ${audienceId}`;
    case 'organisation':
      return sql`${isActive} AND ${users.organisationId} = ${audienceId}
        AND ${users.role} IN ('org_owner', 'org_admin')`;
    case 'department':
      return sql`${isActive} AND ${users.organisationId} = (SELECT organisation_id FROM departments WHERE id = ${audienceId})
        AND (${users.role} IN ('org_owner', 'org_admin')
          OR (${users.role} = 'department_admin' AND ${users.departmentId} = ${audienceId}))`;
    default:
      return sql`${isActive} AND ${users.role} IN ('platform_owner', 'platform_admin')`;
  }
}

/**
 * Of contacts of an account with one address the first is told, and each of so many events within a day and no more, so
 * that neither many contacts nor many events are a way to flood somebody.
 */
async function queueMails(
  { executor, clock, announce }: Work,
  row: EventRow,
  { preference, contactsAtOnce }: Pick<ToldEvent, 'preference'> & { readonly contactsAtOnce: number },
): Promise<{ count: number; last: number }> {
  if (preference === null) return { count: 0, last: 0 };
  const now = new Date(clock.nowMs()).toISOString();
  const yesterday = new Date(clock.nowMs() - dayMs).toISOString();
  const { rows } = await executor.execute<{ count: number; last: string | null }>(sql`
    WITH wanting AS (
      SELECT DISTINCT ON (contact.user_id, lower(contact.email)) contact.id, contact.user_id, contact.email, coalesce(contact.language, ${users.language}, 'en') AS language
      FROM ${notificationContacts} AS contact
        JOIN ${users} ON ${users.id} = contact.user_id
        JOIN ${notificationPreferences} AS preference ON preference.user_id = contact.user_id
          AND preference.contact_id = contact.id AND preference.medium = 'email'
          AND preference.kind = ${preference} AND preference.enabled
      WHERE ${recipientsOf(row)} AND ${canBeTold}
      ORDER BY contact.user_id, lower(contact.email), contact.id
    ), told AS (
      SELECT * FROM wanting WHERE id > ${row.spreadTo} ORDER BY id LIMIT ${contactsAtOnce}
    ), counted AS (
      SELECT told.*, (SELECT count(*) FROM (
        SELECT 1 FROM ${mailOutbox} AS mail WHERE mail.contact_id = told.id AND mail.created_at > ${yesterday}::timestamptz
        ORDER BY mail.id DESC LIMIT ${mostMailsADay}) AS lately) AS lately
      FROM told
    ), queued AS (
      INSERT INTO ${mailOutbox} (message_id, recipient, language, kind, event_id, contact_id, account_id, last_of_day, due_at, created_at)
      SELECT gen_random_uuid(), email, language, ${row.kind}, ${row.id}, id, user_id, lately = ${mostMailsADay - 1}, ${now}::timestamptz, ${now}::timestamptz
      FROM counted WHERE lately < ${mostMailsADay} ORDER BY id ON CONFLICT DO NOTHING
    )
    SELECT count(*)::int AS count, max(id)::text AS last FROM told`);
  const { count = 0, last = null } = rows[0] ?? {};
  if (count > 0) announce(outboxTopic, 'queued');
  return { count, last: Number(last ?? 0) };
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
      return sql`hook.organisation_id = (SELECT organisation_id FROM departments WHERE id = ${audienceId})`;
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
        .where(and(lt(notificationEvents.createdAt, before)))
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
