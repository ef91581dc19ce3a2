/** Mails of events that wait while the address of their contact is changed, or the contact is removed. */
import { type SQL, sql } from 'drizzle-orm';
import type { Executor } from '../storage/database.ts';
import { notificationContacts, notificationPreferences } from '../storage/schema/contacts.ts';
import { notificationEvents } from '../storage/schema/events.ts';
import { users } from '../storage/schema/identity.ts';
import { mailOutbox, toldAddresses } from '../storage/schema/notifications.ts';
import type { Work } from '../storage/work.ts';
import { outboxTopic } from './mail-turns.ts';
import { aboutHeldBack, dayMs, hashOf, mostMailsADay } from './told-contacts.ts';
import { readEvent } from './told-event.ts';

/** A mail and where it goes instead, as it was when it was claimed. */
interface Moved extends Record<string, unknown> {
  readonly id: string;
  readonly event_id: string;
  readonly user_id: string;
  /** The address that it was queued for, which its contact has left. */
  readonly recipient: string;
  readonly recipient_hash: string;
  readonly email: string;
  readonly address_hash: string;
  /** Whether the new address is the account's own. */
  readonly own: boolean;
  /** Whether a try may have delivered it to the address that was left. */
  readonly may_be_there: boolean;
  readonly kind: string;
  readonly last_of_day: boolean;
  readonly created_at: string;
  readonly facts: Record<string, unknown>;
}

/**
 * Mails that wait go where their contacts can be reached now. Another address than the one that a mail was queued for is
 * held to the same bounds, so that no thousand contacts become one address while their mails wait: those that it may not
 * be told are removed. The address that was left is told by way of another contact that has it; where there is none it
 * counts as not told, unless the mail may have arrived there.
 * @param ids mails that the work has locked.
 */
export async function followContacts(work: Work, ids: readonly number[]): Promise<void> {
  const moved = await findMoved(work.executor, ids);
  if (moved.length === 0) return;
  const table = tableOf(moved);
  await tellByOthers(work, table);
  await forgetLeft(work.executor, table);
  await move(work, table);
}

/** Of mails of events that wait for a contact: what is left to be told when it is gone. */
export type LeftMails = readonly Moved[];

/** @param contactId of one that the work has locked, so that nothing is queued for it until the work ends. */
export async function findMailsOf(executor: Executor, contactId: number): Promise<LeftMails> {
  await executor.execute(sql`
    SELECT FROM ${mailOutbox} WHERE contact_id = ${contactId} AND ${isWaiting} ORDER BY id FOR UPDATE`);
  return await findWaiting(executor, sql`mail.contact_id = ${contactId}`);
}

/**
 * Of a mail that is tried at this moment and whose contact has stopped its kind. Of what is not the account's alone nothing
 * is left: whose mail that was may be none of those any more who are told.
 */
export async function findStopped(
  executor: Executor,
  { id, unknownTries }: { readonly id: number; readonly unknownTries: number },
): Promise<LeftMails> {
  const found = await findWaiting(executor, sql`mail.id = ${id} AND event.audience = 'account'`);
  // The try of this moment is counted already, and sent nothing.
  return found.map((one) => ({ ...one, may_be_there: unknownTries > 0 }));
}

async function findWaiting(executor: Executor, condition: SQL): Promise<LeftMails> {
  const { rows } = await executor.execute<Moved>(sql`
    SELECT ${columnsOfMoved} FROM ${mailOutbox} AS mail JOIN ${notificationContacts} AS contact ON contact.id = mail.contact_id
      JOIN ${users} ON ${users.id} = contact.user_id JOIN ${notificationEvents} AS event ON event.id = mail.event_id
    WHERE ${condition} AND ${isWaiting}`);
  return rows;
}

/**
 * Its contact is gone, or wants to know no more: another that has the address and wants to know is told in its place, of what
 * may not have arrived there.
 */
export async function handOn(work: Work, left: LeftMails): Promise<void> {
  if (left.length > 0) await tellByOthers(work, tableOf(left));
}

const isWaiting = sql`sent_at IS NULL AND failed_at IS NULL`;

/** Of `mail`, its `contact` and its `event`. */
const columnsOfMoved = sql`mail.id::text, mail.event_id::text, contact.user_id::text, mail.recipient, contact.email,
  ${hashOf(sql`contact.user_id`, sql`mail.recipient`)} AS recipient_hash,
  ${hashOf(sql`contact.user_id`, sql`contact.email`)} AS address_hash,
  lower(contact.email) = lower(${users.email}) AS own,
  mail.tries <> mail.failed_tries AS may_be_there, event.kind, mail.last_of_day, mail.created_at::text, event.facts`;

/** An address that only its case was changed of is the same one: its mails are addressed anew and are not moved. */
async function findMoved(executor: Executor, ids: readonly number[]): Promise<readonly Moved[]> {
  const isClaimed = sql`mail.id IN (${sql.join([...ids], sql`, `)}) AND contact.id = mail.contact_id`;
  const { rows } = await executor.execute<Moved>(sql`
    WITH respelled AS (
      UPDATE ${mailOutbox} AS mail SET recipient = contact.email FROM ${notificationContacts} AS contact
      WHERE ${isClaimed} AND contact.email <> mail.recipient AND lower(contact.email) = lower(mail.recipient)
    )
    SELECT ${columnsOfMoved}
    FROM ${mailOutbox} AS mail JOIN ${notificationContacts} AS contact ON ${isClaimed}
      JOIN ${users} ON ${users.id} = contact.user_id JOIN ${notificationEvents} AS event ON event.id = mail.event_id
    WHERE lower(contact.email) <> lower(mail.recipient)`);
  return rows;
}

/** What follows goes by what was found, also where a contact is changed once more meanwhile. */
function tableOf(moved: readonly Moved[]): SQL {
  const rows = moved.map(({ facts, ...row }) => ({
    ...row,
    preference: readEvent({ kind: row.kind, facts })?.preference ?? null,
  }));
  return sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS moved (id bigint, event_id bigint, user_id bigint,
    recipient text, recipient_hash text, email text, address_hash text, own boolean, may_be_there boolean, kind text,
    last_of_day boolean, created_at timestamptz, preference text)`;
}

/** Whether somebody who has the address that was left has a mail of the event that goes there. */
const isToldThere = sql`EXISTS (SELECT FROM ${notificationContacts} AS holder
  JOIN ${mailOutbox} AS same ON same.contact_id = holder.id AND same.event_id = moved.event_id
  WHERE holder.user_id = moved.user_id AND lower(holder.email) = lower(moved.recipient)
    AND lower(same.recipient) = lower(moved.recipient))`;

/** One value and no join: of an account with many contacts a join would go through all who want to know. */
const wantsToKnow = sql`(SELECT preference.enabled FROM ${notificationPreferences} AS preference
  WHERE preference.user_id = moved.user_id AND preference.contact_id = contact.id
    AND preference.medium = 'email' AND preference.kind = moved.preference)`;

/**
 * Of contacts with one address one is told for all. When it moves or is removed, the next that wants to know is. The address was counted
 * when the mail was queued for it; the account's own was not, and is now if it is another's.
 */
async function tellByOthers(work: Work, table: SQL): Promise<void> {
  // A contact that was removed at this moment is not seen any more by what asks anew, but the next with its address.
  while (await tellNext(work, table));
}

/** @returns whether some of those who are next were removed before they could be held. */
async function tellNext({ executor, clock, announce }: Work, table: SQL): Promise<boolean> {
  const now = writeTime(clock.nowMs());
  const { rows } = await executor.execute<{ queued: number; gone: number }>(sql`
    WITH next AS (
      SELECT DISTINCT ON (moved.user_id, moved.event_id, moved.recipient_hash) moved.user_id, moved.event_id,
        moved.recipient_hash, lower(contact.email) = lower(${users.email}) AS own, contact.id, contact.email,
        coalesce(contact.language, ${users.language}, 'en') AS language, moved.kind, moved.last_of_day, moved.created_at
      FROM ${table} JOIN ${notificationContacts} AS contact ON contact.user_id = moved.user_id
          AND lower(contact.email) = lower(moved.recipient)
        JOIN ${users} ON ${users.id} = moved.user_id
      WHERE NOT moved.may_be_there AND ${wantsToKnow} AND NOT ${isToldThere} AND NOT EXISTS (SELECT FROM ${mailOutbox} AS other
        WHERE other.event_id = moved.event_id AND other.contact_id = contact.id)
      ORDER BY moved.user_id, moved.event_id, moved.recipient_hash, contact.id
    ), held AS (
      SELECT contact.id FROM ${notificationContacts} AS contact WHERE contact.id IN (SELECT id FROM next)
      ORDER BY contact.id FOR KEY SHARE
    ), told AS (
      SELECT next.* FROM next JOIN held USING (id)
    ), remembered AS (
      INSERT INTO ${toldAddresses} (user_id, address_hash, event_id, told_at)
      SELECT user_id, recipient_hash, event_id, ${now} FROM told WHERE NOT own ON CONFLICT DO NOTHING
    ), queued AS (
      INSERT INTO ${mailOutbox} (message_id, recipient, language, kind, event_id, contact_id, account_id, last_of_day, due_at, created_at)
      SELECT gen_random_uuid(), email, language, kind, event_id, id, user_id, last_of_day, ${now}, created_at
      FROM told ON CONFLICT DO NOTHING RETURNING id
    )
    SELECT (SELECT count(*) FROM queued)::int AS queued,
      ((SELECT count(*) FROM next) - (SELECT count(*) FROM told))::int AS gone`);
  const { queued = 0, gone = 0 } = rows[0] ?? {};
  if (queued > 0) announce(outboxTopic, 'queued');
  return gone > 0;
}

async function forgetLeft(executor: Executor, table: SQL): Promise<void> {
  await executor.execute(sql`
    DELETE FROM ${toldAddresses} AS told USING ${table}
    WHERE NOT moved.may_be_there AND NOT ${isToldThere} AND told.user_id = moved.user_id
      AND told.event_id = moved.event_id AND told.address_hash = moved.recipient_hash`);
}

/** Of an event an address is told once: only those mails are counted that it was not told of by another. */
async function move({ executor, clock, note }: Work, table: SQL): Promise<void> {
  const now = writeTime(clock.nowMs());
  const yesterday = writeTime(clock.nowMs() - dayMs);
  const { rows } = await executor.execute<{ user_id: string; kind: string }>(sql`
    WITH moved AS (
      SELECT * FROM ${table}
    ), wanted AS (
      SELECT DISTINCT ON (user_id, address_hash, event_id) * FROM moved
      WHERE own OR NOT EXISTS (SELECT FROM ${toldAddresses} AS told WHERE told.user_id = moved.user_id
        AND told.address_hash = moved.address_hash AND told.event_id = moved.event_id)
      ORDER BY user_id, address_hash, event_id, id
    ), counted AS (
      SELECT wanted.*, CASE WHEN own THEN 0 ELSE row_number() OVER (PARTITION BY user_id, address_hash ORDER BY id) - 1
        + (SELECT count(*) FROM ${toldAddresses} AS told WHERE told.user_id = wanted.user_id
          AND told.address_hash = wanted.address_hash AND told.told_at > ${yesterday}) END AS lately
      FROM wanted
    ), remembered AS (
      INSERT INTO ${toldAddresses} (user_id, address_hash, event_id, told_at)
      SELECT user_id, address_hash, event_id, ${now} FROM counted WHERE NOT own AND lately < ${mostMailsADay}
      ON CONFLICT DO NOTHING RETURNING user_id, address_hash, event_id
    ), told AS (
      SELECT id, email, lately FROM counted WHERE own
      UNION ALL
      SELECT id, email, lately FROM counted JOIN remembered USING (user_id, address_hash, event_id)
    ), moving AS (
      UPDATE ${mailOutbox} AS mail SET recipient = told.email, last_of_day = told.lately = ${mostMailsADay - 1}
      FROM told WHERE mail.id = told.id
    ), unwanted AS (
      DELETE FROM ${mailOutbox} AS mail USING moved
      WHERE mail.id = moved.id AND mail.id NOT IN (SELECT id FROM told)
    )
    INSERT INTO ${toldAddresses} (user_id, address_hash, event_id, told_at)
    SELECT DISTINCT ON (user_id) user_id, '', event_id, ${now} FROM counted
    WHERE lately >= ${mostMailsADay} AND NOT EXISTS (SELECT FROM ${toldAddresses} AS noted
      WHERE noted.user_id = counted.user_id AND noted.address_hash = '' AND noted.told_at > ${yesterday})
    ON CONFLICT DO NOTHING RETURNING user_id, (SELECT kind FROM counted WHERE counted.user_id = told_addresses.user_id
      AND counted.event_id = told_addresses.event_id LIMIT 1) AS kind`);
  for (const { user_id: id, kind } of rows) note(aboutHeldBack(Number(id), kind));
}

const writeTime = (atMs: number): SQL => sql`${new Date(atMs).toISOString()}::timestamptz`;
