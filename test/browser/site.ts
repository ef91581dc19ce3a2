/** A Sluice for the browser to look at: with people, models and requests, so that no page is empty by accident. */
import { eq } from 'drizzle-orm';
import { everybody, onlyOf } from '../../src/base/scope.ts';
import {
  acceptLegal,
  createUser,
  findUserByEmail,
  issueToken,
  requestEmailChange,
  type User,
} from '../../src/identity/index.ts';
import { createInvite } from '../../src/identity/invites.ts';
import { createKey } from '../../src/identity/keys.ts';
import { createOrganisation } from '../../src/identity/organisations.ts';
import {
  checkWebhook,
  createContacts,
  createWebhook,
  type KeptMail,
  listWebhooks,
} from '../../src/notifications/index.ts';
import { sampleMails } from '../../src/notifications/testing/sample-mails.ts';
import { subscriptionToken } from '../../src/notifications/unsubscribe.ts';
import { openLegalTexts } from '../../src/portal/index.ts';
import { notificationContacts } from '../../src/storage/schema/contacts.ts';
import { notificationEvents } from '../../src/storage/schema/events.ts';
import { webhookDeliveries, webhookTries } from '../../src/storage/schema/webhooks.ts';
import { transact } from '../../src/storage/work.ts';
import { readUsage } from '../../src/usage/index.ts';
import { owner, startTestSluice, type TestSluice, usualModel, usualProvider } from '../support/sluice.ts';
import type { Window } from './browser.ts';

export { owner };

/** Somebody who has nothing yet: no key, no request, no money. */
export const newcomer = 'newcomer@example.test';

/** Somebody who made an account and has done nothing since. */
export const unverified = 'unverified@example.test';

/** Somebody who keeps their account themself, as most people do; the file knows nothing of them. */
export const resident = 'resident@example.test';

/** Who owns the installation, and has no password yet. */
const founder = 'founder@example.test';

/** Who looks at a page: nobody signed in, or one of the people of the site. */
export type Visitor = keyof typeof emails;
const emails = { nobody: null, owner, newcomer, resident, unverified, founder } as const;

const models = [
  ['atlas-4', 'chat', { input: 2.5, cached_input: 0.25, output: 15 }],
  ['atlas-4-mini', 'chat', { input: 0.25, cached_input: 0.025, output: 2 }],
  ['meridian-large-with-a-rather-long-name-2026-06-30', 'chat', { input: 3, output: 15 }],
  ['fathom-embed', 'embedding', { input: 0.02 }],
  ['lark-speech', 'speech', { character: 15 }],
  ['lark-listen', 'transcription', { audio_second: 100 }],
] as const;

export async function startSite(): Promise<TestSluice> {
  const sluice = await startTestSluice({
    variables: { SLUICE_DEV: 'on' },
    file: (upstreamUrl) => ({
      providers: [usualProvider(upstreamUrl), { name: 'simulator', kind: 'simulator' }],
      users: [
        { email: owner, password: 'a long enough password', role: 'platform_owner', wallet_usd: 25 },
        { email: newcomer, password: 'a long enough password', role: 'member' },
      ],
      identity_providers: [
        {
          ...{ name: 'away', kind: 'oidc', label: 'Workplace', issuer: 'http://127.0.0.1:9' },
          ...{ client_id: 'sluice', client_secret: 'a-secret-of-nobody' },
        },
      ],
      models: [
        usualModel,
        {
          ...{ id: 'simulator', type: 'chat', owned_by: 'sluice', prices: { input: 1, output: 4 } },
          ...{ context_window: 128_000, providers: [{ provider: 'simulator', upstream_id: 'simulator' }] },
        },
        ...models.map(([id, type, prices]) => ({
          ...{ id, type, owned_by: 'doubles', prices },
          ...(type === 'chat' ? { context_window: 200_000, max_output_tokens: 32_000 } : {}),
          providers: [{ provider: 'main', upstream_id: id }],
        })),
      ],
    }),
  });
  for (const model of ['double-1', 'atlas-4', 'atlas-4-mini', 'no-such-model']) {
    const answer = await sluice.post('/v1/chat/completions', {
      model,
      messages: [{ role: 'user', content: 'Hello' }],
    });
    await answer.text();
  }
  await sluice.usage();
  await writeMails(sluice);
  await transact(sluice.running.services, (work) =>
    createUser(work, {
      email: resident,
      name: 'Rosa Resident',
      role: 'member',
      password: 'a long enough password',
    }),
  );
  for (const email of [newcomer, resident]) await acceptTerms(sluice, email);
  await transact(sluice.running.services, (work) =>
    createUser(work, { email: unverified, role: 'member', status: 'unverified' }),
  );
  await transact(sluice.running.services, (work) =>
    createUser(work, { email: founder, role: 'platform_owner' }),
  );
  return sluice;
}

/** So that nobody is asked to before they see what they came for. */
async function acceptTerms(site: TestSluice, email: string): Promise<void> {
  const { id } = await personOf(site, email);
  await transact(site.running.services, (work) =>
    acceptLegal(onlyOf(id), work, openLegalTexts(null).version),
  );
}

async function writeMails({ url, running: { services } }: TestSluice): Promise<void> {
  const service = { name: 'Sluice', url };
  await transact(services, async (work) => {
    for (const mail of sampleMails) {
      const to = mailbox(mail.kind);
      await services.mail.queue(work, { ...mail, language: 'en', to, service, accountId: null });
    }
  });
  for (const { kind } of sampleMails) await mailTo(services, mailbox(kind));
}

/** Whose mails are of that kind. */
const mailbox = (kind: string): string => `${kind}@mail.example.test`;

/** The newest mail to an address, as soon as there is one. */
async function mailTo({ keptMails }: TestSluice['running']['services'], to: string): Promise<KeptMail> {
  while (true) {
    const newest = (await keptMails?.list(100))?.find((mail) => mail.to === to);
    if (newest !== undefined) return newest;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The first link of the newest mail to an address that leads to such a path, as soon as there is one. */
export async function linkInMailTo(
  { running: { services } }: TestSluice,
  to: string,
  path: string,
): Promise<string> {
  while (true) {
    const mails = (await services.keptMails?.list(100)) ?? [];
    for (const { text } of mails.filter((mail) => mail.to === to)) {
      const link = text.match(/\bhttps?:\/\/\S+/g)?.find((each) => new URL(each).pathname.startsWith(path));
      if (link !== undefined) return link;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Where `/dev/mail` shows a mail of that kind. */
export async function mailPath({ running: { services } }: TestSluice, kind: string): Promise<string> {
  return `/dev/mail/${(await mailTo(services, mailbox(kind))).name}`;
}

/** Signs in as a person does who got a link. */
export async function signIn({ page }: Window, site: TestSluice, visitor: Visitor): Promise<void> {
  const email = emails[visitor];
  if (email === null) return;
  await page.goto(`${site.url}${await signInPath(site, email)}`);
  await page.getByRole('main').getByRole('button').click();
  await page.waitForURL(({ pathname }) => !pathname.startsWith('/sign-in/'));
}

/** Path of a link that was not used yet. */
export async function signInPath(site: TestSluice, email: string): Promise<string> {
  return `/sign-in/${await secretFor(site, 'sign_in', email)}`;
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

async function secretFor(
  site: TestSluice,
  purpose: 'sign_in' | 'reset_password' | 'verify_email',
  email: string,
): Promise<string> {
  const { id } = await personOf(site, email);
  const token = await transact(site.running.services, (work) => issueToken(work, purpose, id, { email }));
  return token.secret;
}

export async function personOf({ running: { services } }: TestSluice, email: string): Promise<User> {
  const user = await findUserByEmail(services.storage.db, email);
  if (user === undefined) throw new Error(`There is no ${email}.`);
  return user;
}
