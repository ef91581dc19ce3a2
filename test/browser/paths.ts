/** Addresses of pages that name something: each makes what it names, and says where it stands. */
import { eq } from 'drizzle-orm';
import { everybody, onlyOf } from '../../src/base/scope.ts';
import { requestEmailChange } from '../../src/identity/index.ts';
import { createInvite } from '../../src/identity/invites.ts';
import { createKey } from '../../src/identity/keys.ts';
import { createOrganisation } from '../../src/identity/organisations.ts';
import { checkWebhook, createContacts, createWebhook, listWebhooks } from '../../src/notifications/index.ts';
import { subscriptionToken } from '../../src/notifications/unsubscribe.ts';
import { notificationContacts } from '../../src/storage/schema/contacts.ts';
import { notificationEvents } from '../../src/storage/schema/events.ts';
import { webhookDeliveries, webhookTries } from '../../src/storage/schema/webhooks.ts';
import { transact } from '../../src/storage/work.ts';
import { readUsage } from '../../src/usage/index.ts';
import type { TestSluice } from '../support/sluice.ts';
import { mailbox, mailTo, owner, personOf, resident, secretFor } from './site.ts';

/** Where `/dev/mail` shows a mail of that kind. */
export async function mailPath({ running: { services } }: TestSluice, kind: string): Promise<string> {
  return `/dev/mail/${(await mailTo(services, mailbox(kind))).name}`;
}

export async function resetPath(site: TestSluice, email: string): Promise<string> {
  return `/reset-password?token=${await secretFor(site, 'reset_password', email)}`;
}

export async function verifyPath(site: TestSluice, email: string): Promise<string> {
  return `/verify-email?token=${await secretFor(site, 'verify_email', email)}`;
}

/** Of a link that came to the address that the resident would like to have. */
export async function emailChangePath(site: TestSluice): Promise<string> {
  const { id } = await personOf(site, resident);
  const { services } = site.running;
  const asked = await transact(services, (work) =>
    requestEmailChange(onlyOf(id), work, { email: 'rosa@example.test' }),
  );
  if (asked.outcome !== 'asked') throw new Error('somebody has that address');
  return `/dashboard/settings/email?token=${asked.token.secret}`;
}

export async function invitePath(site: TestSluice, email: string): Promise<string> {
  const inviter = await personOf(site, owner);
  const { secret } = await transact(site.running.services, async (work) => {
    const { id } = await createOrganisation(work, { name: 'Analytical Engines' });
    const place = { organisationId: id, departmentId: null };
    return createInvite(everybody, work, { inviter, email, role: 'member', ...place });
  });
  return `/invite/${secret}`;
}

/** The newest request that was answered. */
export async function requestPath({ running: { services } }: TestSluice): Promise<string> {
  const [newest] = await readUsage(everybody, services.storage.db, { failed: false, limit: 1 });
  return `/dashboard/request-log/${newest?.requestId}`;
}

/** Of a contact that may be removed, beside the main one. */
export async function contactPath(site: TestSluice): Promise<string> {
  const { id } = await personOf(site, resident);
  const contact = { email: 'operations@example.test', name: 'Operations', phone: '+44 20 7946 0018' };
  const [made] = await transact(site.running.services, (work) => createContacts(onlyOf(id), work, [contact]));
  return `/dashboard/settings/notifications/contacts/${made?.uuid}`;
}

/** Of a key that its owner may change: not one that the service declares. */
export async function keyPath(site: TestSluice): Promise<string> {
  const { id: ownerId } = await personOf(site, resident);
  const { key } = await transact(site.running.services, (work) =>
    createKey(onlyOf(ownerId), work, 'sluice_', {
      ...{ ownerId, name: 'Nightly evaluation', allowedModels: ['atlas-4', 'no-such-model'] },
      ...{ requestsPerMinute: 60, concurrentRequests: 4, expiresAt: new Date(Date.UTC(2100, 0, 1)) },
    }),
  );
  return `/dashboard/keys/${key.id}`;
}

/** Of a webhook with deliveries that arrived, failed and wait. */
export async function webhookPath(site: TestSluice): Promise<string> {
  const { id: userId } = await personOf(site, resident);
  const { services } = site.running;
  const { db } = services.storage;
  const network = {
    isPrivateAllowed: true,
    resolve: async () => [{ address: '127.0.0.1', family: 4 as const }],
  };
  const scope = { whose: 'person', userId } as const;
  const known = (await listWebhooks(scope, db)).find(({ name }) => name === 'On call');
  if (known !== undefined) return `/dashboard/settings/webhooks/${known.id}`;
  const fields = await checkWebhook(
    {
      ...{ name: 'On call', url: 'https://alerts.example.test/sluice', format: 'standard', enabled: true },
      events: ['wallet.low', 'wallet.very_low', 'budget.threshold'],
    },
    { clock: services.clock, network },
  );
  const { webhook } = await transact(services, (work) =>
    createWebhook(scope, work, services, { ...fields, createdBy: userId }),
  );
  const at = new Date(services.clock.nowMs());
  // Later than anybody looks, so that nothing is sent.
  const dueAt = new Date(at.getTime() + 86_400_000);
  for (const [state, kind] of [
    [{ deliveredAt: at }, 'wallet.low'],
    [{ failedAt: at, tries: 8 }, 'budget.threshold'],
    [{ tries: 3 }, 'wallet.very_low'],
  ] as const) {
    const [event] = await db
      .insert(notificationEvents)
      .values({
        ...{ kind, dedupKey: `${kind} of the pages`, audience: 'account', audienceId: userId, facts: {} },
        ...{ createdAt: at, spreadAt: at },
      })
      .returning();
    const [delivery] = await db
      .insert(webhookDeliveries)
      .values({ webhookId: webhook.id, eventId: event?.id ?? 0, dueAt, createdAt: at, ...state })
      .returning();
    const isTaken = 'deliveredAt' in state;
    await db.insert(webhookTries).values({
      ...{ deliveryId: delivery?.id ?? 0, at, durationMs: isTaken ? 84 : 15_000 },
      ...(isTaken ? { status: 204 } : { error: 'no answer within 15 seconds' }),
    });
  }
  return `/dashboard/settings/webhooks/${webhook.id}`;
}

/** The link at the end of a mail of an event to the resident. */
export async function unsubscribePath(site: TestSluice): Promise<string> {
  const { id } = await personOf(site, resident);
  const { storage, envelope } = site.running.services;
  const [contact] = await storage.db
    .select()
    .from(notificationContacts)
    .where(eq(notificationContacts.userId, id));
  const named = { contact: contact?.uuid ?? '', kind: 'out_of_money_soon' };
  return `/unsubscribe?${new URLSearchParams({ token: await subscriptionToken(envelope, named) })}`;
}
