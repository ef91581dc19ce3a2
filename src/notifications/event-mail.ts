/** What a mail of an event tells its contact: made when it is sent, since nothing in it is a secret until then. */
import { and, eq, sql } from 'drizzle-orm';
import type { Envelope } from '../base/envelope.ts';
import { describeThrown } from '../base/errors.ts';
import type { Executor } from '../storage/database.ts';
import { notificationContacts, notificationPreferences } from '../storage/schema/contacts.ts';
import { notificationEvents } from '../storage/schema/events.ts';
import { resellerHosts, users } from '../storage/schema/identity.ts';
import type { MailNews } from './mail-kinds.ts';
import { MailError } from './mailer.ts';
import type { Service, Stoppable } from './render-mail.tsx';
import { hashOf, recipientsOf } from './told-contacts.ts';
import { readEvent, type ToldEvent } from './told-event.ts';
import { subscriptionToken, unsubscribePath } from './unsubscribe.ts';

export interface EventMail {
  readonly news: MailNews;
  readonly service: Service;
  readonly stoppable: Stoppable;
}

interface Asked {
  readonly eventId: number;
  readonly contactId: number;
  readonly isLastOfDay: boolean;
  /** The house's own; people of a reseller's organisation are told in the reseller's name. */
  readonly service: Service;
}

/**
 * @returns undefined where its contact has stopped its kind since it was queued, or its account is not of those any more
 *   whom the event is about.
 * @throws MailError refused for what can never be told.
 */
export async function openEventMail(
  executor: Executor,
  envelope: Envelope,
  { eventId, contactId, isLastOfDay, service: own }: Asked,
): Promise<EventMail | undefined> {
  const [row] = await executor
    .select({
      event: { kind: notificationEvents.kind, facts: notificationEvents.facts },
      audience: { audience: notificationEvents.audience, audienceId: notificationEvents.audienceId },
      contact: notificationContacts.uuid,
      account: users.email,
      accountId: users.id,
      addressHash: sql<string>`${hashOf(sql`${users.id}`, sql`${notificationContacts.email}`)}`,
      wanted: sql<string[]>`ARRAY(SELECT preference.kind FROM ${notificationPreferences} AS preference
        WHERE preference.user_id = ${notificationContacts.userId}
          AND preference.contact_id = ${notificationContacts.id}
          AND preference.medium = 'email' AND preference.enabled)`,
      portal: { host: resellerHosts.host, name: resellerHosts.name },
    })
    .from(notificationContacts)
    .innerJoin(users, eq(users.id, notificationContacts.userId))
    .innerJoin(notificationEvents, eq(notificationEvents.id, eventId))
    .leftJoin(resellerHosts, eq(resellerHosts.organisationId, users.organisationId))
    .where(eq(notificationContacts.id, contactId))
    .orderBy(resellerHosts.host)
    .limit(1);
  if (row === undefined) throw new MailError('refused', 'the contact of this mail is gone');
  const event = readEvent(row.event);
  // A newer process queued it, and may yet be the one that takes it.
  if (event === undefined) throw new MailError('not_sent', 'this version cannot read the event of this mail');
  if (event.preference !== null && !row.wanted.includes(event.preference)) return undefined;
  if (!(await isStillOf(executor, row))) return undefined;
  const { portal } = row;
  const service = portal ? { name: portal.name, url: `${new URL(own.url).protocol}//${portal.host}` } : own;
  const news = newsOf(event, service.url);
  if (news === null || event.preference === null) throw new MailError('refused', 'no mail tells this event');
  const token = await subscriptionToken(envelope, {
    contact: row.contact,
    kind: event.preference,
    address: { of: row.accountId, hash: row.addressHash },
  });
  const link = `${service.url}${unsubscribePath}?token=${token}`;
  return { news, service, stoppable: { account: row.account, link, isLastOfDay } };
}

/** Whoever left an organisation, or was suspended, while a mail server was away does not hear of it afterwards. */
async function isStillOf(
  executor: Executor,
  {
    audience,
    accountId,
  }: { readonly accountId: number; readonly audience: Parameters<typeof recipientsOf>[0] },
): Promise<boolean> {
  if (audience.audience === 'account') return true;
  return (await executor.$count(users, and(eq(users.id, accountId), recipientsOf(audience)))) > 0;
}

function newsOf(event: ToldEvent, url: string): MailNews | null {
  try {
    return event.news(url);
  } catch (cause) {
    throw new MailError('refused', describeThrown(cause), cause);
  }
}
