/** What stands in the activity of an account of a mail that was given up. */
import { eq } from 'drizzle-orm';
import { notificationContacts } from '../storage/schema/contacts.ts';
import type { Work } from '../storage/work.ts';
import { aboutContact } from './contacts.ts';

interface GivenUpMail {
  readonly kind: string;
  readonly recipient: string;
  /** Null for a mail of its own. */
  readonly contactId: number | null;
  readonly accountId: number | null;
}

/** So that whose contact or mail it is sees that nothing arrives there. */
export async function noteGivenUp(
  { executor, note }: Work,
  { kind, contactId, accountId, recipient }: GivenUpMail,
): Promise<void> {
  if (contactId === null) {
    if (accountId === null) return;
    return note({
      action: 'account.mail_given_up',
      subject: { kind: 'account', id: accountId, label: recipient },
      owner: { kind: 'person', id: accountId },
      details: { kind },
    });
  }
  const [contact] = await executor
    .select({
      userId: notificationContacts.userId,
      uuid: notificationContacts.uuid,
      email: notificationContacts.email,
    })
    .from(notificationContacts)
    .where(eq(notificationContacts.id, contactId));
  if (contact === undefined) return;
  note(aboutContact(contact.userId, contact, 'notification.given_up', { kind }));
}
