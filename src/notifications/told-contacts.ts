/** Which contacts are told of an event by mail, at which address, and of how many within a day. */
import { inArray, lte, type SQL, sql } from 'drizzle-orm';
import type { AuditNote } from '../storage/audit-trail.ts';
import { notificationContacts, notificationPreferences } from '../storage/schema/contacts.ts';
import { departments, users } from '../storage/schema/identity.ts';
import { mailOutbox, toldAddresses } from '../storage/schema/notifications.ts';
import { transact, type Work, type WorkParts } from '../storage/work.ts';
import type { EventRow } from './event-turns.ts';
import { outboxTopic } from './mail-turns.ts';
import type { ToldEvent } from './told-event.ts';

/** More than somebody reads. What happens beyond is to be seen in the account, and webhooks are told of it. */
export const mostMailsADay = 50;
/** To all addresses together that are not the account's own: what strangers are sent in the name of this service. */
export const mostMailsToOthersADay = 2000;
export const dayMs = 86_400_000;
const forgottenAtOnce = 1000;

/** Accounts whose own address is not known to be theirs are told nothing, and none is that is gone. */
const canBeTold = sql`${users.removedAt} IS NULL AND ${users.status} <> 'unverified'`;

const isActive = sql`${users.status} = 'active'`;

/** Whose contacts are told. Of what is not their own account's, those are told who may still act on it. */
export function recipientsOf({ audience, audienceId }: Pick<EventRow, 'audience' | 'audienceId'>): SQL {
  switch (audience) {
    case 'account':
      return sql`${users.id} = ${audienceId}`;
    case 'organisation':
      return sql`${isActive} AND ${users.organisationId} = ${audienceId}
        AND ${users.role} IN ('org_owner', 'org_admin')`;
    case 'department':
      return sql`${isActive} AND ${users.organisationId} = (SELECT organisation_id FROM ${departments} WHERE id = ${audienceId})
        AND (${users.role} IN ('org_owner', 'org_admin')
          OR (${users.role} = 'department_admin' AND ${users.departmentId} = ${audienceId}))`;
    default:
      return sql`${isActive} AND ${users.role} IN ('platform_owner', 'platform_admin')`;
  }
}

interface Queued {
  readonly count: number;
  readonly last: number;
}

/**
 * Of contacts of an account with one address the first is told, and each of so many events within a day and no more, so
 * that neither many contacts nor many events are a way to flood somebody; nor are all of them together told of more than a
 * business has to tell. They are counted by account and address, which
 * outlives the contact, so that one who is removed and added again does not begin anew. The account's own address is
 * confirmed, and told of everything.
 */
export async function queueMails(
  work: Work,
  row: EventRow,
  { preference, contactsAtOnce }: Pick<ToldEvent, 'preference'> & { readonly contactsAtOnce: number },
): Promise<Queued> {
  if (preference === null) return { count: 0, last: 0 };
  for (;;) {
    const { gone, ...queued } = await queueOnce(work, row, { preference, contactsAtOnce });
    // What is asked anew no longer sees who was removed, but another contact that has the address.
    if (gone === 0) return queued;
  }
}

/**
 * Contacts are held before a mail is queued for them, since a mail without a contact cannot be.
 * @returns beside who was found how many of them were removed at this moment.
 */
async function queueOnce(
  { executor, clock, announce, note }: Work,
  row: EventRow,
  { preference, contactsAtOnce }: { readonly preference: string; readonly contactsAtOnce: number },
): Promise<Queued & { readonly gone: number }> {
  const now = sql`${new Date(clock.nowMs()).toISOString()}::timestamptz`;
  const yesterday = sql`${new Date(clock.nowMs() - dayMs).toISOString()}::timestamptz`;
  const { rows } = await executor.execute<{
    count: number;
    last: string | null;
    gone: number;
    full: { id: number; is_address: boolean }[] | null;
  }>(sql`
    WITH wanting AS (
      SELECT DISTINCT ON (contact.user_id, lower(contact.email)) contact.id, contact.user_id, contact.email,
        coalesce(contact.language, ${users.language}, 'en') AS language,
        lower(contact.email) = lower(${users.email}) AS own,
        ${hashOf(sql`contact.user_id`, sql`contact.email`)} AS address_hash
      FROM ${notificationContacts} AS contact
        JOIN ${users} ON ${users.id} = contact.user_id
        JOIN ${notificationPreferences} AS preference ON preference.user_id = contact.user_id
          AND preference.contact_id = contact.id AND preference.medium = 'email'
          AND preference.kind = ${preference} AND preference.enabled
      WHERE ${recipientsOf(row)} AND ${canBeTold}
      ORDER BY contact.user_id, lower(contact.email), contact.id
    ), told AS (
      SELECT * FROM wanting WHERE id > ${row.spreadTo} ORDER BY id LIMIT ${contactsAtOnce}
    ), held AS (
      SELECT contact.id FROM ${notificationContacts} AS contact WHERE contact.id IN (SELECT id FROM told)
      ORDER BY contact.id FOR KEY SHARE
    ), others AS (
      SELECT before.user_id, count(*) AS mails FROM ${toldAddresses} AS before
      WHERE before.user_id IN (SELECT user_id FROM told WHERE NOT own) AND before.address_hash <> ''
        AND before.told_at > ${yesterday} GROUP BY before.user_id
    ), seen AS (
      SELECT told.*, CASE WHEN own THEN 0 ELSE (SELECT count(*) FROM ${toldAddresses} AS before
        WHERE before.user_id = told.user_id AND before.address_hash = told.address_hash
          AND before.event_id <> ${row.id} AND before.told_at > ${yesterday}) END AS lately
      FROM told JOIN held USING (id)
      -- Another contact that had the address was told in an earlier turn: nobody is told there twice.
      WHERE own OR NOT EXISTS (SELECT FROM ${toldAddresses} AS same WHERE same.user_id = told.user_id
        AND same.address_hash = told.address_hash AND same.event_id = ${row.id})
    ), counted AS (
      SELECT seen.*, own OR (lately < ${mostMailsADay} AND coalesce(others.mails, 0)
        + row_number() OVER (PARTITION BY seen.user_id, own, lately < ${mostMailsADay} ORDER BY id) <= ${mostMailsToOthersADay}) AS is_told
      FROM seen LEFT JOIN others USING (user_id)
    ), queued AS (
      INSERT INTO ${mailOutbox} (message_id, recipient, language, kind, event_id, contact_id, account_id, last_of_day, due_at, created_at)
      SELECT gen_random_uuid(), email, language, ${row.kind}, ${row.id}, id, user_id, lately = ${mostMailsADay - 1}, ${now}, ${now}
      FROM counted WHERE is_told ORDER BY id ON CONFLICT DO NOTHING
    ), remembered AS (
      INSERT INTO ${toldAddresses} (user_id, address_hash, event_id, told_at)
      SELECT user_id, address_hash, ${row.id}::bigint, ${now} FROM counted WHERE NOT own AND is_told
      UNION ALL
      SELECT DISTINCT user_id, '', ${row.id}::bigint, ${now} FROM counted
      WHERE NOT is_told AND NOT EXISTS (SELECT FROM ${toldAddresses} AS noted
        WHERE noted.user_id = counted.user_id AND noted.address_hash = '' AND noted.told_at > ${yesterday})
      ON CONFLICT DO NOTHING RETURNING user_id, address_hash
    )
    SELECT count(*)::int AS count, max(id)::text AS last,
      count(*)::int - (SELECT count(*)::int FROM held) AS gone,
      (SELECT json_agg(json_build_object('id', user_id, 'is_address', (SELECT bool_or(lately >= ${mostMailsADay})
        FROM counted WHERE counted.user_id = remembered.user_id)))
        FROM remembered WHERE address_hash = '') AS full FROM told`);
  const { count = 0, last = null, gone = 0, full = null } = rows[0] ?? {};
  if (count > 0) announce(outboxTopic, 'queued');
  for (const { id, is_address: isAddress } of full ?? []) {
    note(aboutHeldBack(id, row.kind, isAddress ? mostMailsADay : mostMailsToOthersADay));
  }
  return { count, last: Number(last ?? 0), gone };
}

/** Of an address as an account names it, in whatever case. */
export const hashOf = (userId: SQL, address: SQL): SQL =>
  sql`encode(sha256(convert_to(${userId} || ' ' || lower(${address}), 'UTF8')), 'hex')`;

/** @param mailsADay as many as there are, to one address or to all that are not the account's own. */
export const aboutHeldBack = (id: number, kind: string, mailsADay = mostMailsADay): AuditNote => ({
  action: 'notification.held_back',
  subject: { kind: 'account', id },
  owner: { kind: 'person', id },
  details: { kind, mails_a_day: mailsADay },
});

/** What was told longer ago than it counts. */
export async function forgetTellings(parts: WorkParts): Promise<void> {
  const before = new Date(parts.clock.nowMs() - dayMs);
  for (let count = forgottenAtOnce; count === forgottenAtOnce; ) {
    count = await transact(parts, async ({ executor }) => {
      const old = executor
        .select({ id: toldAddresses.id })
        .from(toldAddresses)
        .where(lte(toldAddresses.toldAt, before))
        .orderBy(toldAddresses.toldAt)
        .limit(forgottenAtOnce)
        .for('update', { skipLocked: true });
      const forgotten = await executor
        .delete(toldAddresses)
        .where(inArray(toldAddresses.id, old))
        .returning({ id: toldAddresses.id });
      return forgotten.length;
    });
  }
}
