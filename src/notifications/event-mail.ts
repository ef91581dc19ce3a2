/** What a mail of an event tells its contact: made when it is sent, since nothing in it is a secret until then. */
import { eq } from 'drizzle-orm';
import type { Envelope } from '../base/envelope.ts';
import type { Executor } from '../storage/database.ts';
import { notificationContacts } from '../storage/schema/contacts.ts';
import { notificationEvents } from '../storage/schema/events.ts';
import { resellerHosts, users } from '../storage/schema/identity.ts';
import type { MailNews } from './mail-kinds.ts';
import type { Service, Stoppable } from './render-mail.tsx';
import { readEvent } from './told-event.ts';
import { subscriptionToken, unsubscribePath } from './unsubscribe.ts';

export interface EventMail {
  readonly news: MailNews;
  readonly service: Service;
  readonly stoppable: Stoppable;
}

interface Asked {
  readonly eventId: number;
  readonly contactId: number;
  /** The house's own; people of a reseller's organisation are told in the reseller's name. */
  readonly service: Service;
}

/** @throws Error for an event that this version cannot tell. */
export async function openEventMail(
  executor: Executor,
  envelope: Envelope,
  { eventId, contactId, service: own }: Asked,
): Promise<EventMail> {
  const [row] = await executor
    .select({
      event: { kind: notificationEvents.kind, facts: notificationEvents.facts },
      contact: notificationContacts.uuid,
      account: users.email,
      portal: { host: resellerHosts.host, name: resellerHosts.name },
    })
    .from(notificationContacts)
    .innerJoin(users, eq(users.id, notificationContacts.userId))
    .innerJoin(notificationEvents, eq(notificationEvents.id, eventId))
    .leftJoin(resellerHosts, eq(resellerHosts.organisationId, users.organisationId))
    .where(eq(notificationContacts.id, contactId))
    .orderBy(resellerHosts.host)
    .limit(1);
  const event = row && readEvent(row.event);
  const { portal } = row ?? {};
  const service = portal ? { name: portal.name, url: `${new URL(own.url).protocol}//${portal.host}` } : own;
  const news = event?.news(service.url);
  if (row === undefined || event == null || news == null || event.preference === null) {
    throw new Error('the event of this mail cannot be told');
  }
  const token = await subscriptionToken(envelope, { contact: row.contact, kind: event.preference });
  const link = `${service.url}${unsubscribePath}?token=${token}`;
  return { news, service, stoppable: { account: row.account, link } };
}
