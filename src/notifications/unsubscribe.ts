/** Stopping mails of one kind by the link in them: the link itself shows that its holder may. */
import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Envelope } from '../base/envelope.ts';
import type { Executor } from '../storage/database.ts';
import { notificationContacts, notificationPreferences } from '../storage/schema/contacts.ts';
import type { Work } from '../storage/work.ts';
import { aboutContact } from './contacts.ts';
import { hashOf } from './told-contacts.ts';

export const unsubscribePath = '/unsubscribe';

const tokenShape = z.object({
  purpose: z.literal('unsubscribe'),
  contact: z.uuid(),
  kind: z.string(),
  /** Mails of versions before have none, and mean whichever address the contact has. */
  address: z.object({ of: z.number(), hash: z.string() }).optional(),
});

/** What a link stands for: the address that the mail went to, as `hashOf` tells it, so that nobody stops another's. */
export interface Stopping {
  readonly contact: string;
  readonly kind: string;
  /** Among the contacts of this account. */
  readonly address?: { readonly of: number; readonly hash: string };
}

/** Mails of a kind to an address, which several contacts of an account can have. */
export interface Subscription {
  readonly contactId: number;
  readonly uuid: string;
  readonly userId: number;
  /** That the mail was for. */
  readonly email: string;
  readonly kind: string;
  /** For one of the contacts with this address at least. */
  readonly isOn: boolean;
}

/** Sealed, so that nobody makes one for somebody else. It works as long as a contact has the address. */
export function subscriptionToken(envelope: Envelope, stopping: Stopping): Promise<string> {
  return envelope.seal(JSON.stringify({ purpose: 'unsubscribe', ...stopping }));
}

/** Undefined for what was not sealed here, and where no contact of the account has the address any more. */
export async function findSubscription(
  executor: Executor,
  envelope: Envelope,
  token: string,
): Promise<Subscription | undefined> {
  const opened = await envelope.open(token).catch(() => 'null');
  const { data: named } = tokenShape.safeParse(JSON.parse(opened));
  if (named === undefined) return undefined;
  const [row] = await executor
    .select({
      contactId: notificationContacts.id,
      uuid: notificationContacts.uuid,
      userId: notificationContacts.userId,
      email: notificationContacts.email,
      kind: notificationPreferences.kind,
      isOn: sql<boolean>`EXISTS (
        SELECT 1 FROM ${notificationContacts} AS same
        JOIN ${notificationPreferences} AS wish ON wish.user_id = same.user_id AND wish.contact_id = same.id
        WHERE same.user_id = ${notificationContacts.userId} AND lower(same.email) = lower(${notificationContacts.email})
          AND wish.medium = 'email' AND wish.kind = ${named.kind} AND wish.enabled)`,
    })
    .from(notificationContacts)
    .innerJoin(
      notificationPreferences,
      and(
        eq(notificationPreferences.userId, notificationContacts.userId),
        eq(notificationPreferences.contactId, notificationContacts.id),
        eq(notificationPreferences.medium, 'email'),
        eq(notificationPreferences.kind, named.kind),
      ),
    )
    .where(isMeant(named))
    .orderBy(asc(notificationContacts.id))
    .limit(1);
  return row;
}

const isMeant = ({ contact, address }: z.output<typeof tokenShape>) =>
  address === undefined
    ? eq(notificationContacts.uuid, contact)
    : and(
        eq(notificationContacts.userId, address.of),
        eq(hashOf(sql`${notificationContacts.userId}`, sql`${notificationContacts.email}`), address.hash),
      );

/**
 * Once or many times: mail programs and people press twice. For all contacts of the account with the address, since another
 * one of them would be told next.
 */
export async function unsubscribe(
  work: Work,
  { contactId, uuid, userId, email, kind, isOn }: Subscription,
): Promise<void> {
  const hasAddress = sql`lower(${notificationContacts.email}) = lower(${email})`;
  // In the order in which changes of preferences lock them.
  const same = await work.executor
    .select({ id: notificationContacts.id })
    .from(notificationContacts)
    .where(and(eq(notificationContacts.userId, userId), hasAddress))
    .orderBy(asc(notificationContacts.id))
    .for('no key update');
  await work.executor
    .update(notificationPreferences)
    .set({ enabled: false })
    .where(
      and(
        eq(notificationPreferences.userId, userId),
        inArray(notificationPreferences.contactId, [contactId, ...same.map(({ id }) => id)]),
        eq(notificationPreferences.medium, 'email'),
        eq(notificationPreferences.kind, kind),
      ),
    );
  if (!isOn) return;
  work.note(aboutContact(userId, { uuid, email }, 'notification.unsubscribed', { kind }));
}
