/** What the resident was told, for the page that lists it: mails that arrived, wait, and were given up. */

import { eq } from 'drizzle-orm';
import { notificationContacts } from '../../src/storage/schema/contacts.ts';
import { notificationEvents } from '../../src/storage/schema/events.ts';
import { mailOutbox } from '../../src/storage/schema/notifications.ts';
import type { TestSluice } from '../support/sluice.ts';

import { personOf, resident } from './site.ts';

export async function sentMailsPath(site: TestSluice): Promise<string> {
  const { storage, clock } = site.running.services;
  const { db } = storage;
  const { id: userId } = await personOf(site, resident);
  const [contact] = await db
    .select()
    .from(notificationContacts)
    .where(eq(notificationContacts.userId, userId))
    .limit(1);
  const at = new Date(clock.nowMs());
  // Later than anybody looks, so that nothing is sent.
  const dueAt = new Date(at.getTime() + 86_400_000);
  const low = { balance_usd: '9.50', level_usd: '10.00' };
  for (const [kind, facts, state] of [
    ['wallet.low', low, { sentAt: at, tries: 1 }],
    ['payment.received', { amount_usd: '25.00', reference: 'demo' }, { sentAt: at, tries: 1 }],
    ['wallet.very_low', low, { failedAt: at, tries: 1, lastError: '550 5.1.1 No such user' }],
    ['account.created', {}, { tries: 3, lastError: 'connect ECONNREFUSED' }],
  ] as const) {
    const [event] = await db
      .insert(notificationEvents)
      .values({
        ...{ kind, dedupKey: `${kind} that was sent`, audience: 'account', audienceId: userId, facts },
        ...{ createdAt: at, spreadAt: at },
      })
      .onConflictDoNothing()
      .returning();
    if (event === undefined) continue;
    await db.insert(mailOutbox).values({
      ...{ messageId: crypto.randomUUID(), recipient: contact?.email ?? '', language: 'en', kind },
      ...{ eventId: event.id, contactId: contact?.id ?? 0, accountId: userId, dueAt, createdAt: at },
      ...state,
    });
  }
  return '/dashboard/settings/notifications/sent';
}
