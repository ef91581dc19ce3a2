/** Stopping mails of one kind by the link in them: the link itself shows that its holder may. */
import { and, eq } from 'drizzle-orm';
import { z } from 'zod';
import type { Envelope } from '../base/envelope.ts';
import type { Executor } from '../storage/database.ts';
import { notificationContacts, notificationPreferences } from '../storage/schema/contacts.ts';
import type { Work } from '../storage/work.ts';

export const unsubscribePath = '/unsubscribe';

const tokenShape = z.object({ purpose: z.literal('unsubscribe'), contact: z.uuid(), kind: z.string() });

/** Mails of a kind to a contact. */
export interface Subscription {
  readonly contactId: number;
  readonly userId: number;
  /** Of the contact. */
  readonly email: string;
  readonly kind: string;
  readonly isOn: boolean;
}

/** Sealed, so that nobody makes one for somebody else. It works as long as the contact is there. */
export function subscriptionToken(
  envelope: Envelope,
  { contact, kind }: { readonly contact: string; readonly kind: string },
): Promise<string> {
  return envelope.seal(JSON.stringify({ purpose: 'unsubscribe', contact, kind }));
}

/** Undefined for what was not sealed here, and for a contact that is gone. */
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
      userId: notificationContacts.userId,
      email: notificationContacts.email,
      kind: notificationPreferences.kind,
      isOn: notificationPreferences.enabled,
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
    .where(eq(notificationContacts.uuid, named.contact));
  return row;
}

/** Once or many times: mail programs and people press twice. */
export async function unsubscribe(
  work: Work,
  { contactId, userId, kind, isOn }: Subscription,
): Promise<void> {
  await work.executor
    .update(notificationPreferences)
    .set({ enabled: false })
    .where(
      and(
        eq(notificationPreferences.userId, userId),
        eq(notificationPreferences.contactId, contactId),
        eq(notificationPreferences.medium, 'email'),
        eq(notificationPreferences.kind, kind),
      ),
    );
  if (!isOn) return;
  work.note({
    action: 'notification.unsubscribed',
    subject: { kind: 'contact', id: contactId },
    owner: { kind: 'person', id: userId },
    details: { kind },
  });
}
