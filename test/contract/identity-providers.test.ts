/** Signing in by identity providers, over sockets: a real OpenID provider and a GitHub, on the main host and a reseller's. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { networkOf } from '../../src/base/client-address.ts';
import { everybody, onlyOf } from '../../src/base/scope.ts';
import {
  acceptLegal,
  createInvite,
  createUser,
  findOrganisationIdBySlug,
  findUserByEmail,
  listIdentities,
  requestVerification,
  type UserRole,
} from '../../src/identity/index.ts';
import { listOrganisations } from '../../src/identity/organisations.ts';
import { newDepartment } from '../../src/identity/testing/new-department.ts';
import { hashToken } from '../../src/identity/token.ts';
import { listBudgets, setBudgetDefault } from '../../src/ledger/index.ts';
import { organisations, users } from '../../src/storage/schema/identity.ts';
import { throttles } from '../../src/storage/schema/sign-in.ts';
import { transact } from '../../src/storage/work.ts';
import {
  client,
  type GitHub,
  type OpenIdProvider,
  startGitHub,
  startOpenIdProvider,
} from '../support/identity-provider.ts';
import { startTestSluice, type TestSluice } from '../support/sluice.ts';
import { type Seen, Visitor } from '../support/visitor.ts';

const main = 'http://main.test';
const reseller = 'http://ai.pelican.test';
const back = `${main}/oauth/work/login/callback/`;
const password = 'four plain words here';

let sluice: TestSluice;
let work: OpenIdProvider;
let hub: GitHub;
let people = 0;

beforeAll(async () => {
  work = await startOpenIdProvider([back, `${main}/oauth/acme/login/callback/`]);
  hub = startGitHub();
  const secrets = { client_id: client.id, client_secret: client.secret };
  sluice = await startTestSluice({
    variables: { SLUICE_PUBLIC_URL: main },
    file: () => ({
      organisations: [
        { slug: 'acme', name: 'Acme' },
        { slug: 'pelican', name: 'Pelican' },
      ],
      identity_providers: [
        { name: 'work', kind: 'oidc', label: 'Workplace', issuer: work.issuer, ...secrets },
        {
          name: 'acme',
          kind: 'oidc',
          issuer: work.issuer,
          enforced_domains: ['acme.test'],
          organisation: 'acme',
          ...secrets,
        },
        { name: 'hub', kind: 'github', issuer: hub.url, ...secrets },
        { name: 'gone', kind: 'oidc', label: 'Nowhere', issuer: 'http://127.0.0.1:9', ...secrets },
      ],
      portals: [
        { host: 'ai.pelican.test', name: 'Pelican Cloud', accent: '#7a3db8', organisation: 'pelican' },
      ],
    }),
  });
});
afterAll(async () => {
  await sluice.stop();
  await work.stop();
  hub.stop();
});

const visit = () => {
  const { host } = new URL(sluice.url);
  return new Visitor({ 'main.test': host, 'ai.pelican.test': host, 'unknown.test': host });
};
const db = () => sluice.running.services.storage.db;
const newPerson = (change: { email?: string; email_verified?: boolean } = {}) => {
  people += 1;
  return {
    sub: `sub-${people}`,
    email: `p${people}@example.test`,
    email_verified: true,
    name: 'Ada',
    ...change,
  };
};
const isBack = (url: string) => url.startsWith(back);
const whoIs = async (visitor: Visitor, host = main) => {
  const { status, text } = await visitor.step(`${host}/dashboard`);
  return status === 200 ? text : undefined;
};
/** The address of the way back, with a code that nobody has used. */
const stopAtReturn = async (visitor: Visitor, address = `${main}/auth/work`) =>
  (await visitor.go(address, {}, isBack)).url;
const acceptAndGo = (visitor: Visitor, host: string, provider = 'work') =>
  visitor.post(`${host}/auth/accept-tos`, { accept_terms: 'on', provider });
/** Accepts what the main host asks of somebody new on their way back. */
const acceptAsked = (visitor: Visitor, { text }: Seen, stopAt?: (url: string) => boolean) => {
  const [, from = ''] = /name="from" value="([^"]+)"/.exec(text) ?? [];
  return visitor.post(`${main}/auth/accept-tos`, { accept_terms: 'on', provider: 'work', from }, stopAt);
};
const acceptTerms = async (userId: number) => {
  const { text } = await visit().step(`${main}/auth/accept-tos`, {
    method: 'POST',
    body: JSON.stringify({ accept_terms: true }),
    headers: { 'content-type': 'application/json', accept: 'application/json' },
  });
  const { version } = JSON.parse(text);
  await transact(sluice.running.services, (write) => acceptLegal(onlyOf(userId), write, version));
};
const questionOn = (text: string) => /name="question" value="([^"]+)"/.exec(text)?.[1] ?? '';
const register = async (email: string, status?: 'unverified') => {
  const { services } = sluice.running;
  const user = await transact(services, (write) =>
    createUser(write, { email, password, role: 'member', ...(status && { status }) }),
  );
  return user;
};

describe('somebody new', () => {
  test('accepts the terms, shows who they are and has an account from then on', async () => {
    work.person = newPerson();
    const visitor = visit();
    const arrived = await acceptAndGo(visitor, main);
    expect([arrived.status, arrived.url]).toEqual([200, `${main}/dashboard`]);
    expect(await whoIs(visitor)).toContain(work.person.email ?? '-');
    expect(await findUserByEmail(db(), work.person.email ?? '')).toMatchObject({
      status: 'active',
      hasPassword: false,
      organisationId: null,
      name: 'Ada',
    });
    // Nothing of the way is left in the browser but who it is, and who signed in with it.
    expect([...(visitor.cookies.get('main.test')?.keys() ?? [])]).toEqual(['sluice', 'sluice-known']);

    const again = visit();
    const known = await again.go(`${main}/auth/work?next=/dashboard/settings`);
    expect([known.status, known.url]).toEqual([200, `${main}/dashboard/settings`]);
  });

  test('is asked for the terms on the way back when they were not accepted before', async () => {
    work.person = newPerson();
    const visitor = visit();
    const asked = await visitor.go(`${main}/auth/work?next=/dashboard/settings`);
    expect(asked.status).toBe(403);
    expect(asked.text).toContain(`Workplace says that you are ${work.person.email}`);
    expect(await findUserByEmail(db(), work.person.email ?? '')).toBeUndefined();
    const [, from = ''] = /name="from" value="([^"]+)"/.exec(asked.text) ?? [];
    const unticked = await visitor.step(`${main}/auth/accept-tos`, {
      method: 'POST',
      body: JSON.stringify({ provider: 'work', from }),
      headers: { 'content-type': 'application/json', accept: 'application/json' },
    });
    expect(unticked.status).toBe(422);
    const done = await visitor.post(`${main}/auth/accept-tos`, {
      accept_terms: 'on',
      provider: 'work',
      from,
    });
    expect([done.status, done.url]).toEqual([200, `${main}/dashboard/settings`]);
  });

  test('says no at the provider, and nothing happens', async () => {
    work.person = null;
    const visitor = visit();
    const { status, text } = await visitor.go(`${main}/auth/work`);
    expect(status).toBe(403);
    expect(text).toContain('You were not signed in at Workplace');
    expect(text).toContain('href="/auth/work?next=');
  });

  test('is told in their language', async () => {
    work.person = null;
    const visitor = visit();
    visitor.cookies.set('main.test', new Map([['sluice-language', 'de']]));
    expect((await visitor.go(`${main}/auth/work`)).text).toContain(
      'Sie wurden bei Workplace nicht angemeldet',
    );
  });

  test('whose address the provider does not vouch for gets no account', async () => {
    for (const change of [{ email_verified: false }, { email: '' }]) {
      work.person = newPerson(change);
      const { status, text } = await acceptAndGo(visit(), main);
      expect(status).toBe(403);
      expect(text).toContain('does not vouch for your e-mail address');
    }
  });

  test('comes from GitHub by their primary address', async () => {
    hub.user = { id: 77, login: 'octo', name: null };
    hub.emails = [
      { email: 'second@example.test', primary: false, verified: true },
      { email: 'octo@example.test', primary: true, verified: true },
    ];
    const visitor = visit();
    expect((await acceptAndGo(visitor, main, 'hub')).url).toBe(`${main}/dashboard`);
    expect(await findUserByEmail(db(), 'octo@example.test')).toMatchObject({ name: 'octo' });
    hub.user = { id: 78, login: 'other' };
    hub.emails = [{ email: 'unverified@example.test', primary: true, verified: false }];
    expect((await acceptAndGo(visit(), main, 'hub')).status).toBe(403);
  });
});

describe('somebody with an account', () => {
  test('is linked when both sides verified the address, and else told how to', async () => {
    work.person = newPerson({ email: 'linked@example.test' });
    const { id } = await register('linked@example.test');
    const visitor = visit();
    // The terms are asked for like after any sign-in.
    expect((await visitor.go(`${main}/auth/work`)).url).toStartWith(`${main}/legal/accept`);
    expect(await listIdentities(onlyOf(id), db())).toMatchObject([{ provider: 'work' }]);

    work.person = newPerson({ email: 'waiting@example.test' });
    const waiting = await register('waiting@example.test', 'unverified');
    const refused = await visit().go(`${main}/auth/work`);
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('There is an account with your address already');
    expect(await listIdentities(onlyOf(waiting.id), db())).toEqual([]);

    work.person = newPerson({ email: 'linked@example.test' });
    expect((await visit().go(`${main}/auth/work`)).status).toBe(409);
  });

  const signedIn = async (email: string) => {
    const user = await register(email);
    const { services } = sluice.running;
    const visitor = visit();
    await visitor.post(`${main}/auth/login`, { email, password });
    const [, version = ''] =
      /name="version" value="([^"]+)"/.exec((await visitor.go(`${main}/legal/accept`)).text) ?? [];
    await transact(services, (write) => acceptLegal(onlyOf(user.id), write, version));
    return { user, visitor };
  };

  test('links another address in the settings, and unlinks it', async () => {
    const { user, visitor } = await signedIn('settings@example.test');
    const { text } = await visitor.step(`${main}/dashboard/settings/security`);
    expect(text).toContain('Link Workplace');
    expect(text).toContain('action="/dashboard/settings/providers/work/link"');
    work.person = newPerson({ email: 'elsewhere@example.test', email_verified: false });
    const done = await visitor.post(`${main}/dashboard/settings/providers/work/link`, {});
    expect(done.url).toBe(`${main}/dashboard/settings/security`);
    expect(done.text).toContain('elsewhere@example.test');
    expect(done.text).toContain('Unlink Workplace');
    expect(done.text).toContain('action="/dashboard/settings/providers/work/unlink"');
    const another = visit();
    await another.go(`${main}/auth/work`);
    expect(await whoIs(another)).toContain('settings@example.test');

    const second = await signedIn('second-settings@example.test');
    const taken = await second.visitor.post(`${main}/dashboard/settings/providers/work/link`, {});
    expect(taken.text).toContain('That account is linked to another account here');

    await visitor.post(`${main}/dashboard/settings/providers/work/unlink`, {});
    expect(await listIdentities(onlyOf(user.id), db())).toEqual([]);
  });

  test('links nothing for somebody who was sent the address, signed in or not', async () => {
    const { user, visitor } = await signedIn('sender@example.test');
    const sent = await visitor.step(`${main}/dashboard/settings/providers/work/link`, { method: 'POST' });
    work.person = newPerson();
    const stranger = visit();
    expect((await stranger.go(sent.location ?? '')).status).toBe(410);
    const other = await signedIn('receiver@example.test');
    expect((await other.visitor.go(sent.location ?? '')).status).toBe(410);
    // Signed in when it began and not when it ended.
    const left = visit();
    left.cookies.set('main.test', new Map(visitor.cookies.get('main.test')));
    const url = await stopAtReturn(left, sent.location ?? '');
    left.cookies.get('main.test')?.delete('sluice');
    expect((await left.go(url)).status).toBe(410);
    expect(await listIdentities(onlyOf(user.id), db())).toEqual([]);
    expect(await listIdentities(onlyOf(other.user.id), db())).toEqual([]);
  });
});

describe('somebody who is invited', () => {
  const invite = (email: string) =>
    transact(sluice.running.services, async (write) => {
      const inviter =
        (await findUserByEmail(write.executor, 'inviter@example.test')) ??
        (await createUser(write, { email: 'inviter@example.test', role: 'platform_admin' }));
      const organisationId = await findOrganisationIdBySlug(write.executor, 'acme');
      if (organisationId === undefined) throw new Error('the file declares it');
      const { id: departmentId } = await newDepartment(write, organisationId, `Mills ${crypto.randomUUID()}`);
      const given = { receivers: 'members', period: 'daily', limitNanoUsd: 9n, managedBy: null } as const;
      await setBudgetDefault(write, { group: { organisationId, departmentId }, ...given });
      const fields = { inviter, email, role: 'department_admin', organisationId, departmentId } as const;
      const { secret } = await createInvite(everybody, write, fields);
      return { secret, organisationId, departmentId, path: `/invite/${secret}` };
    });
  const linkOn = (text: string, of = 'work') =>
    new RegExp(`href="(/auth/${of}\\?[^"]*)"`).exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';

  test('joins with a new account from the page of the invitation, with its role and place', async () => {
    work.person = newPerson();
    const email = work.person.email ?? '';
    const invited = await invite(email);
    const visitor = visit();
    const page = await visitor.step(`${main}${invited.path}`);
    const asked = await visitor.go(`${main}${linkOn(page.text)}`);
    expect(asked.status).toBe(403);
    const [, from = ''] = /name="from" value="([^"]+)"/.exec(asked.text) ?? [];
    const fields = { accept_terms: 'on', provider: 'work', from };
    expect((await visitor.post(`${main}/auth/accept-tos`, fields)).url).toBe(`${main}/dashboard`);
    const joined = await findUserByEmail(db(), email);
    expect(joined).toMatchObject({
      ...{ role: 'department_admin', status: 'active', hasPassword: false },
      ...{ organisationId: invited.organisationId, departmentId: invited.departmentId },
    });
    const given = await listBudgets(db(), 0, [{ kind: 'user', id: joined?.id ?? 0 }]);
    expect(given).toMatchObject([{ period: 'daily', limitNanoUsd: 9n }]);
    expect((await visit().step(`${main}${invited.path}`)).status).toBe(410);
  });

  test('joins from the form of a new account, on a portal too, and not without consent', async () => {
    for (const host of [main, reseller]) {
      work.person = newPerson();
      const email = work.person.email ?? '';
      const { secret, organisationId } = await invite(email);
      const visitor = visit();
      const form = await visitor.step(`${host}/signup?invite=${secret}`);
      expect(form.text).toContain('Continue with Workplace');
      const fields = { provider: 'work', invite: secret };
      const unticked = await visitor.post(`${host}/auth/accept-tos`, fields);
      expect(unticked.url).toBe(`${host}/signup?invite=${secret}`);
      const accepted = await visitor.post(`${host}/auth/accept-tos`, { ...fields, accept_terms: 'on' });
      const arrived = host === main ? accepted : await acceptAsked(visitor, accepted);
      // The invitation is another organisation's than the portal.
      expect([arrived.status, arrived.url]).toEqual([200, `${main}/dashboard`]);
      expect(arrived.text.includes('not at ai.pelican.test')).toBe(host === reseller);
      expect(await findUserByEmail(db(), email)).toMatchObject({ role: 'department_admin', organisationId });
    }
  });

  test.each([
    ['another address', {}, 409, 'The invitation is for another address'],
    [
      'the address and no word for it',
      { email: 'invited-here@example.test', email_verified: false },
      403,
      'does not vouch for your e-mail',
    ],
  ])(
    'with %s gets a clear page and no account, and the invitation stays good',
    async (_, person, ...told) => {
      const [status, sentence] = told;
      const { secret, path } = await invite('invited-here@example.test');
      work.person = newPerson(person);
      const refused = await visit().go(`${main}/auth/work?invite=${secret}`);
      expect(refused.status).toBe(status);
      expect(refused.text).toContain(sentence);
      expect(refused.text).toMatch(/href="(\/login\?next=%2Finvite%2F|\/invite\/)/);
      for (const email of [work.person.email ?? '', 'invited-here@example.test']) {
        expect(await findUserByEmail(db(), email)).toBeUndefined();
      }
      expect((await visit().step(`${main}${path}`)).status).toBe(200);
    },
  );

  test('by a link that is over, or was never one, gets a clear page and no account', async () => {
    const { secret } = await invite('late@example.test');
    sluice.leap(8 * 86_400_000);
    for (const given of [secret, 'never-one']) {
      work.person = newPerson({ email: 'late@example.test' });
      const { status, text } = await visit().go(`${main}/auth/work?invite=${given}`);
      expect(status).toBe(410);
      expect(text).toContain('This invitation does not work any more');
      expect(await findUserByEmail(db(), 'late@example.test')).toBeUndefined();
    }
  });

  test('and has an account already is asked first, however they followed the link', async () => {
    work.person = newPerson();
    const email = work.person.email ?? '';
    await acceptAndGo(visit(), main);
    const { secret, path } = await invite(email);
    const visitor = visit();
    const asked = await visitor.go(`${main}/auth/work?invite=${secret}`);
    expect([asked.status, asked.url]).toEqual([200, `${main}${path}`]);
    expect((await findUserByEmail(db(), email))?.role).toBe('member');
    expect((await visitor.post(`${main}${path}`, {})).url).toBe(`${main}/dashboard`);
    expect((await findUserByEmail(db(), email))?.role).toBe('department_admin');
  });

  test('at a domain that belongs to a provider is offered that one alone', async () => {
    const { path, secret } = await invite('invited@acme.test');
    const page = await visit().step(`${main}${path}`);
    expect(linkOn(page.text, 'acme')).not.toBe('');
    expect(linkOn(page.text)).toBe('');
    expect(page.text).not.toContain('href="/signup');
    const form = await visit().step(`${main}/signup?invite=${secret}`);
    expect(form.text).toContain('value="acme"');
    expect(form.text).not.toContain('value="work"');
  });
});

describe('a domain that belongs to a provider', () => {
  test('has its people there, in the organisation, and nowhere else', async () => {
    await register('old@acme.test');
    const visitor = visit();
    const say = async (path: string, fields: object) => {
      const { status, text } = await visitor.step(`${main}${path}`, {
        method: 'POST',
        body: JSON.stringify(fields),
        headers: { 'content-type': 'application/json', accept: 'application/json' },
      });
      return [status, JSON.parse(text).code];
    };
    const refused = [403, 'sign_in_elsewhere'];
    expect(await say('/auth/login', { email: 'Old@Acme.test', password })).toEqual(refused);
    expect(await say('/auth/forgot-password', { email: 'old@acme.test' })).toEqual(refused);
    const fields = { email: 'new@acme.test', password, name: 'N', accept_terms: true };
    expect(await say('/auth/register', fields)).toEqual(refused);
    work.person = newPerson({ email: 'new@acme.test' });
    const elsewhere = await acceptAndGo(visit(), main, 'work');
    expect(elsewhere.status).toBe(403);
    expect(elsewhere.text).toContain('Your organisation signs in elsewhere');
    expect((await acceptAndGo(visit(), main, 'acme')).url).toBe(`${main}/dashboard`);
    const [acme] = await db().select().from(organisations).where(eq(organisations.slug, 'acme'));
    expect((await findUserByEmail(db(), 'new@acme.test'))?.organisationId).toBe(acme?.id ?? 0);
  });

  test('confirms there what somebody registered before, and never by its password', async () => {
    const email = 'waiting@acme.test';
    const { id } = await register(email, 'unverified');
    const asked = await transact(sluice.running.services, (write) => requestVerification(write, email));
    const token = asked?.verification.secret ?? '';
    const page = await visit().go(`${main}/verify-email?token=${token}`);
    expect(page.text).toContain('href="/auth/acme?');
    expect(page.text).not.toContain('type="password"');
    const refused = await visit().step(`${main}/verify-email`, {
      method: 'POST',
      body: JSON.stringify({ token, password }),
      headers: { 'content-type': 'application/json', accept: 'application/json' },
    });
    expect([refused.status, JSON.parse(refused.text).code]).toEqual([403, 'sign_in_elsewhere']);
    work.person = newPerson({ email });
    const visitor = visit();
    expect((await acceptAndGo(visitor, main, 'acme')).url).toBe(`${main}/dashboard`);
    expect(await findUserByEmail(db(), email)).toMatchObject({ id, status: 'active', hasPassword: false });
  });
});

describe('who means harm', () => {
  test('gets nothing of a way back in another browser, nor with another state', async () => {
    work.person = newPerson();
    const victim = visit();
    const url = await stopAtReturn(victim);
    const { status, text } = await visit().go(url);
    expect(status).toBe(410);
    expect(text).toContain('This sign-in is over');
    // A cookie of their own does not help: it holds another state.
    const thief = visit();
    await stopAtReturn(thief);
    expect((await thief.go(url)).status).toBe(410);
    const forged = visit();
    forged.cookies.set('main.test', new Map([['sluice-provider', 'v1.AAAAAAAAAAAAAAAAAAAAAAAA']]));
    expect((await forged.go(url)).status).toBe(410);
    const own = new URL(url);
    own.searchParams.set('state', 'x');
    expect((await victim.go(own.href)).status).toBe(410);
  });

  test('takes nothing of what their network is allowed, where a whole office comes back at once', async () => {
    const key = hashToken(`sign-in from address:${networkOf('127.0.0.1')}`);
    const aheadMs = async () => {
      const [row] = await db().select().from(throttles).where(eq(throttles.key, key));
      return Math.max(0, (row?.wholeAt.getTime() ?? 0) - Date.now());
    };
    const beforeMs = await aheadMs();
    work.person = newPerson();
    await acceptAndGo(visit(), main);
    for (let time = 0; time < 3; time += 1) {
      expect((await visit().go(`${main}/auth/work`)).url).toBe(`${main}/dashboard`);
    }
    // Each of the four took five seconds, and gave them back.
    expect(await db().$count(throttles, eq(throttles.key, key))).toBe(1);
    expect(await aheadMs()).toBeLessThan(beforeMs + 5000);
  });

  test('cannot use a way back twice, also not with a copy of the cookie', async () => {
    work.person = newPerson();
    const visitor = visit();
    await visitor.post(`${main}/auth/accept-tos`, { accept_terms: 'on' });
    const url = await stopAtReturn(visitor);
    const thief = visit();
    thief.cookies.set('main.test', new Map(visitor.cookies.get('main.test')));
    expect((await visitor.go(url)).url).toBe(`${main}/dashboard`);
    expect((await visitor.go(url)).status).toBe(410);
    expect((await thief.go(url)).status).toBe(410);
  });

  test('cannot put a code of their own into the sign-in of somebody else', async () => {
    work.person = newPerson();
    const attacker = visit();
    const theirs = new URL(await stopAtReturn(attacker));
    const victim = visit();
    const url = new URL(await stopAtReturn(victim));
    url.searchParams.set('code', theirs.searchParams.get('code') ?? '');
    // The provider holds the code to the verifier that it was asked with.
    expect((await victim.go(url.href)).status).toBe(410);
    expect(await whoIs(victim)).toBeUndefined();
  });

  test('cannot mix providers up', async () => {
    work.person = newPerson();
    const visitor = visit();
    const url = await stopAtReturn(visitor);
    expect((await visitor.go(url.replace('/oauth/work/', '/oauth/acme/'))).status).toBe(410);
    const iss = new URL(await stopAtReturn(visitor));
    iss.searchParams.set('iss', 'https://evil.test');
    expect((await visitor.go(iss.href)).status).toBe(410);
  });

  test('cannot lead anybody to another site', async () => {
    work.person = newPerson();
    await acceptAndGo(visit(), main);
    for (const next of ['https://evil.test/', '//evil.test', '/\\evil.test', '/\t/evil.test', 'dashboard']) {
      const { url } = await visit().go(`${main}/auth/work?${new URLSearchParams({ next })}`);
      expect(url).toBe(`${main}/dashboard`);
    }
  });

  test('a sign-in is over after ten minutes', async () => {
    work.person = newPerson();
    const visitor = visit();
    const url = await stopAtReturn(visitor);
    sluice.leap(600_000);
    expect((await visitor.go(url)).status).toBe(410);
  });

  test('422 for a provider that nobody configured', async () => {
    for (const path of ['/auth/nobody', '/oauth/nobody/login/callback/']) {
      expect((await visit().step(`${main}${path}`)).status).toBe(422);
    }
  });

  test('503 with another try while a provider is away', async () => {
    const { status, text, headers } = await visit().step(`${main}/auth/gone?next=/dashboard/settings`);
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('10');
    expect(text).toContain('Nowhere cannot be reached');
    expect(text).toContain('href="/auth/gone?next=%2Fdashboard%2Fsettings"');
  });
});

describe("a reseller's host", () => {
  test('has its own look and address, and unknown hosts are the main one', async () => {
    const page = await visit().step(`${reseller}/login`);
    expect(page.text).toContain('Pelican Cloud');
    expect(page.text).toContain('/assets/brand-7a3db8-');
    const unknown = await visit().step('http://unknown.test/login');
    expect(unknown.text).not.toContain('Pelican Cloud');
    // It leads to the provider itself: a proxy that names the host otherwise must not lead anybody in a circle.
    expect((await visit().step('http://unknown.test/auth/work')).location).toStartWith(work.issuer);
  });

  test('keeps its look where nothing is, where something is refused, and at the main host on the way back', async () => {
    const nothing = await visit().step(`${reseller}/no-such-page`, {
      headers: { 'accept-encoding': 'gzip' },
    });
    expect([nothing.status, nothing.text.includes('Pelican Cloud')]).toEqual([404, true]);
    expect(nothing.headers.get('content-encoding')).toBe('gzip');
    expect(nothing.headers.get('cache-control')).toBe('no-store');
    expect(nothing.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect((await visit().step(`${main}/no-such-page`)).text).not.toContain('Pelican Cloud');
    const elsewhere = await visit().step(`${reseller}/auth/login`, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'cross-site' },
    });
    expect([elsewhere.status, elsewhere.text.includes('Pelican Cloud')]).toEqual([403, true]);
    work.person = null;
    const denied = await visit().go(`${reseller}/auth/work?next=/dashboard/settings`);
    expect([denied.status, new URL(denied.url).origin]).toEqual([403, main]);
    expect(denied.text).toContain('Pelican Cloud');
    expect(denied.text).toContain(`href="${reseller}/auth/work?next=%2Fdashboard%2Fsettings"`);
    const away = await visit().go(`${reseller}/auth/gone`);
    expect([away.status, away.text.includes('Pelican Cloud')]).toEqual([503, true]);
  });

  test('signs people in through the main host, who then belong to its organisation', async () => {
    work.person = newPerson();
    const visitor = visit();
    const signup = await visitor.step(`${reseller}/signup`);
    expect(signup.text).not.toContain('formaction="/auth/accept-tos"');
    const asked = await visitor.go(`${reseller}/auth/work`);
    expect(asked.text).toContain('You come from Pelican Cloud (ai.pelican.test)');
    expect(asked.text).toContain('The account will belong to Pelican,');
    const arrived = await acceptAsked(visitor, asked);
    expect([arrived.status, arrived.url]).toEqual([200, `${reseller}/dashboard`]);
    expect(await whoIs(visitor, reseller)).toContain(work.person.email ?? '-');
    // Cookies are per host: nobody is signed in on the main one.
    expect(await whoIs(visitor)).toBeUndefined();
    const all = await listOrganisations(everybody, db());
    expect((await findUserByEmail(db(), work.person.email ?? ''))?.organisationId).toBe(
      all.find(({ slug }) => slug === 'pelican')?.id ?? 0,
    );
  });

  test('is come back to also when the terms are accepted on the way', async () => {
    work.person = newPerson();
    const visitor = visit();
    const asked = await visitor.go(`${reseller}/auth/work?next=/dashboard/settings`);
    expect(asked.status).toBe(403);
    expect((await acceptAsked(visitor, asked)).url).toBe(`${reseller}/dashboard/settings`);
  });

  /** Somebody with an account and the terms accepted, in the portal's organisation or in none. */
  const settle = async (fields: { email: string; role: UserRole }, isThere: boolean) => {
    const { id } = await transact(sluice.running.services, (write) => createUser(write, fields));
    await acceptTerms(id);
    const organisationId = await findOrganisationIdBySlug(db(), 'pelican');
    if (organisationId === undefined) throw new Error('the file declares it');
    if (isThere) await db().update(users).set({ organisationId }).where(eq(users.id, id));
  };
  /** Where the reseller leads others, who began at the reseller's host with a browser of their own. */
  const trap = async () => {
    const thief = visit();
    await thief.post(`${reseller}/auth/accept-tos`, { accept_terms: 'on' });
    const { location } = await thief.step(`${reseller}/auth/work`);
    return { thief, address: location ?? '' };
  };

  test.each([
    ['of no organisation', { role: 'member' }, false],
    ['who administers the platform from its organisation', { role: 'platform_admin' }, true],
    ['who owns the platform', { role: 'platform_owner' }, false],
  ] as const)('is not come back to by somebody %s, who is told so', async (_name, fields, isThere) => {
    work.person = newPerson();
    const email = work.person.email ?? '';
    await settle({ email, ...fields }, isThere);
    const { address } = await trap();
    const visitor = visit();
    const arrived = await visitor.go(address);
    expect([arrived.status, arrived.url]).toEqual([200, `${main}/dashboard`]);
    expect(arrived.text).toContain('You are signed in here and not at ai.pelican.test');
    expect(await whoIs(visitor)).toContain(email);
  });

  test('asks its own people first, who come back by a button alone, and once', async () => {
    work.person = newPerson();
    const email = work.person.email ?? '';
    await settle({ email, role: 'org_owner' }, true);
    const { address } = await trap();
    const led = visit();
    const asked = await led.go(address);
    expect([asked.status, new URL(asked.url).host]).toEqual([200, 'main.test']);
    expect(asked.text).toContain('Go on to ai.pelican.test?');
    expect(asked.text).toContain(`as ${email}`);
    expect(await whoIs(led)).toBeUndefined();

    const own = visit();
    const theirs = await own.go(`${reseller}/auth/work?next=/dashboard/settings`);
    const question = questionOn(theirs.text);
    // What another tab asked, and what was asked of another browser, is not answered by this.
    expect((await own.post(`${main}/auth/sso/continue`, { question: questionOn(asked.text) })).status).toBe(
      410,
    );
    const copy = new Map(own.cookies.get('main.test'));
    const elsewhere = { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } };
    expect((await own.step(`${main}/auth/sso/continue`, elsewhere)).status).toBe(403);
    const arrived = await own.post(`${main}/auth/sso/continue`, { question });
    expect([arrived.status, arrived.url]).toEqual([200, `${reseller}/dashboard/settings`]);
    expect(await whoIs(own, reseller)).toContain(email);
    expect((await own.post(`${main}/auth/sso/continue`, { question })).status).toBe(410);

    own.cookies.set('main.test', copy);
    sluice.leap(600_000);
    expect((await own.post(`${main}/auth/sso/continue`, { question })).status).toBe(410);
  });

  test('makes no account for somebody who accepted no terms, or others, whatever was accepted there', async () => {
    work.person = newPerson();
    const { address } = await trap();
    const visitor = visit();
    // For an account here, on a page that names no portal.
    await visitor.post(`${main}/auth/accept-tos`, { accept_terms: 'on' });
    const asked = await visitor.go(address);
    expect(asked.status).toBe(403);
    expect(asked.text).toContain('The account will belong to Pelican,');
    expect(await findUserByEmail(db(), work.person.email ?? '')).toBeUndefined();
  });

  const isHandoff = (url: string) => url.startsWith(`${reseller}/auth/sso/complete`);
  const handoff = async () => {
    work.person = newPerson();
    const visitor = visit();
    const { url } = await acceptAsked(visitor, await visitor.go(`${reseller}/auth/work`), isHandoff);
    return { visitor, url };
  };

  test('takes the way back once, and only in the browser that began', async () => {
    const first = await handoff();
    // A browser that began nothing learns nothing, and the token stays good.
    expect((await visit().go(first.url)).status).toBe(410);
    const copy = visit();
    copy.cookies.set('ai.pelican.test', new Map(first.visitor.cookies.get('ai.pelican.test')));
    expect((await first.visitor.go(first.url)).url).toBe(`${reseller}/dashboard`);
    expect((await first.visitor.go(first.url)).status).toBe(410);
    expect((await copy.go(first.url)).status).toBe(410);

    // Somebody who is led there with the token of another is not signed in as them.
    const theirs = await handoff();
    const victim = await handoff();
    expect((await victim.visitor.go(theirs.url)).status).toBe(410);
    expect(await whoIs(victim.visitor, reseller)).toBeUndefined();
    expect((await theirs.visitor.go(theirs.url)).status).toBe(410);
  });

  test('takes no way back after a minute, of another host, or without a token', async () => {
    const late = await handoff();
    sluice.leap(60_000);
    expect((await late.visitor.go(late.url)).status).toBe(410);
    const other = await handoff();
    other.visitor.cookies.set('main.test', new Map(other.visitor.cookies.get('ai.pelican.test')));
    expect((await other.visitor.go(other.url.replace(reseller, main))).status).toBe(410);
    expect((await visit().go(`${reseller}/auth/sso/complete`)).status).toBe(410);
  });

  test('cannot be forged into an intent', async () => {
    const { status } = await visit().step(`${main}/auth/work?from=v1.AAAA`);
    expect(status).toBe(410);
  });
});

describe('the pages', () => {
  test('offer each provider, to who signs in by a link and to who is new by the form with the terms', async () => {
    const login = await visit().step(`${main}/login?next=/dashboard/settings`);
    expect(login.text).toContain('href="/auth/work?next=%2Fdashboard%2Fsettings"');
    const signup = await visit().step(`${main}/signup`);
    expect(signup.text).toContain('formaction="/auth/accept-tos"');
    const unticked = await visit().post(`${main}/auth/accept-tos`, { provider: 'work' });
    expect([unticked.url, unticked.status]).toEqual([`${main}/signup`, 200]);
    expect(unticked.text).toContain('Without your consent to the terms no account can be made.');
  });
});
