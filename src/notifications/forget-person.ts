/** What is kept of a person to tell them things goes with their account. */
import { and, asc, eq, isNull, ne, or } from 'drizzle-orm';
import { notificationContacts } from '../storage/schema/contacts.ts';
import { notificationEvents } from '../storage/schema/events.ts';
import { mailOutbox, toldAddresses } from '../storage/schema/notifications.ts';
import { webhooks } from '../storage/schema/webhooks.ts';
import type { Work } from '../storage/work.ts';

/** Before the account, as whoever spreads an event locks them, so that nobody waits for each other. */
export async function holdEventsOf({ executor }: Work, userId: number): Promise<void> {
  await executor
    .select({ id: notificationEvents.id })
    .from(notificationEvents)
    .where(isToldOf(userId))
    .orderBy(asc(notificationEvents.id))
    .for('update');
}

/** @param person whose events are held, and who has the address until the work ends. */
export async function forgetTold(
  { executor }: Work,
  { id, email }: { readonly id: number; readonly email: string },
): Promise<void> {
  // What they were still to be told holds links to an account that is gone. What others' contacts with their address wait
  // for is those others', and what their own do goes with these.
  // That the address was changed is still told at the one before: the account may have been taken from its owner.
  const isTold = and(eq(mailOutbox.accountId, id), ne(mailOutbox.kind, 'address_changed'));
  const isTheirMail = or(eq(mailOutbox.recipient, email), isTold);
  await executor.delete(mailOutbox).where(and(isTheirMail, isNull(mailOutbox.eventId)));
  // Where it is given up, nobody's activity may say so: it would name the address again.
  const isKept = and(eq(mailOutbox.accountId, id), isNull(mailOutbox.eventId));
  await executor.update(mailOutbox).set({ accountId: null }).where(isKept);
  // The main contact too, which would take over the name that means nobody.
  for (const table of [notificationContacts, toldAddresses, webhooks]) {
    await executor.delete(table).where(eq(table.userId, id));
  }
  await executor.delete(notificationEvents).where(isToldOf(id));
}

const isToldOf = (userId: number) =>
  and(eq(notificationEvents.audience, 'account'), eq(notificationEvents.audienceId, userId));
