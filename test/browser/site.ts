/** A Sluice for the browser to look at: with people, models and requests, so that no page is empty by accident. */
import { onlyOf } from '../../src/base/scope.ts';
import { acceptLegal, createUser, findUserByEmail, issueToken, type User } from '../../src/identity/index.ts';
import type { KeptMail } from '../../src/notifications/index.ts';
import { sampleMails } from '../../src/notifications/testing/sample-mails.ts';
import { openLegalTexts } from '../../src/portal/index.ts';
import { transact } from '../../src/storage/work.ts';
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
export const mailbox = (kind: string): string => `${kind}@mail.example.test`;

/** The newest mail to an address, as soon as there is one. */
export async function mailTo(
  { keptMails }: TestSluice['running']['services'],
  to: string,
): Promise<KeptMail> {
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

export async function secretFor(
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
