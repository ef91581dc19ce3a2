import { beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import type { TestDatabase } from '../../../test/support/databases.ts';
import { within } from '../../../test/support/writing.ts';
import { everybody } from '../../base/scope.ts';
import { startSession, type User } from '../../identity/index.ts';
import { createInvite, revokeInvite } from '../../identity/invites.ts';
import { createOrganisation } from '../../identity/organisations.ts';
import { signedInBy } from '../../identity/testing/signed-in-by.ts';
import { findUser, findUserByEmail } from '../../identity/users.ts';
import { listBudgets, setBudgetDefault } from '../../ledger/index.ts';
import { users } from '../../storage/schema/identity.ts';
import { languages } from '../languages/language.ts';
import { legalVersion, openTestPortal, type TestPortal, withTestPortal } from '../testing/test-portal.ts';
import { figuresIn } from '../ui/figures.ts';

const password = 'four plain words here';
const html = { accept: 'text/html' };

let storage: TestDatabase;
let portal: TestPortal;
let organisationId: number;
let inviter: User;
withTestPortal(async (opened) => {
  ({ storage, portal } = opened);
  organisationId = (await portal.write(createOrganisation, { name: 'Mills <b>' })).id;
  inviter = await portal.newUser({ role: 'platform_admin', name: 'Ada <script>alert(1)</script>' });
});
beforeEach(() => portal.setNowMs(portal.nowMs() + 3_600_000));

/** A person who has accepted nothing, and the Cookie header of their browser. */
async function newcomer() {
  const user = await portal.newUser();
  const { token } = await portal.write(startSession, user.id, signedInBy('password'));
  return { user, cookie: `sluice=${token}` };
}

describe('new terms', () => {
  test('come before anything else that is shown, and lead back to it once they are accepted', async () => {
    const { cookie } = await newcomer();
    const headers = { ...html, cookie };
    const asked = await portal.ask('/dashboard/settings?a=b', { headers });
    const to = '/legal/accept?next=%2Fdashboard%2Fsettings%3Fa%3Db';
    expect([asked.status, asked.location]).toEqual([303, to]);
    for (const language of languages) {
      const { status, text } = await portal.ask(to, { headers: { ...headers, 'accept-language': language } });
      expect(status).toBe(200);
      expect(text).toContain(figuresIn(language).day(new Date(`${legalVersion}T00:00:00Z`)));
      expect(text).toContain('href="/legal/terms"');
    }
    const program = await portal.sendJson('/dashboard/settings/sessions/end-others', {}, { cookie });
    expect([program.status, JSON.parse(program.text).code]).toEqual([403, 'terms_not_accepted']);
    const next = '/dashboard/settings?a=b';
    const accepted = await portal.sendForm('/api/legal/accept', { version: legalVersion, next }, { cookie });
    expect([accepted.status, accepted.location]).toEqual([303, next]);
    expect((await portal.ask(next, { headers })).status).toBe(200);
    expect((await portal.ask(to, { headers })).location).toBe(next);
  });

  test('the status says what was accepted last, and what is to be', async () => {
    const { cookie } = await newcomer();
    const status = async () =>
      JSON.parse((await portal.ask('/api/legal/status', { headers: { cookie } })).text);
    expect(await status()).toEqual({
      ok: true,
      accepted: false,
      current_version: legalVersion,
      accepted_version: null,
      accepted_at: null,
    });
    const accepted = await portal.sendJson('/api/legal/accept', {}, { cookie });
    expect(JSON.parse(accepted.text)).toEqual({ ok: true, version: legalVersion });
    expect(await status()).toMatchObject({
      accepted: true,
      accepted_version: legalVersion,
      accepted_at: new Date(portal.nowMs()).toISOString(),
    });
    const renewed = await openTestPortal(storage, {
      legal: { ...portal.services.legal, version: '2032-01-01' },
    });
    const after = await renewed.ask('/api/legal/status', { headers: { cookie } });
    expect(JSON.parse(after.text)).toMatchObject({ accepted: false, accepted_version: legalVersion });
    await renewed.close();
  });

  test('409 for a version that is not the current one; 401 without a session', async () => {
    const { cookie } = await newcomer();
    const old = await portal.sendJson('/api/legal/accept', { version: '2020-01-01' }, { cookie });
    expect([old.status, JSON.parse(old.text).code]).toEqual([409, 'conflict']);
    expect((await portal.sendJson('/api/legal/accept', {})).status).toBe(401);
    expect((await portal.ask('/api/legal/status')).status).toBe(401);
  });
});

describe('an invitation', () => {
  async function invite(email: string) {
    return await portal.write(within(everybody, createInvite), {
      inviter,
      email,
      role: 'org_admin',
      organisationId,
      departmentId: null,
    });
  }

  /** What the organisation gives to whoever joins it. */
  beforeAll(() =>
    portal.write(setBudgetDefault, {
      ...{ group: { organisationId, departmentId: null }, receivers: 'members', period: 'monthly' },
      ...{ limitNanoUsd: 40n, managedBy: null },
    }),
  );
  const budgetsOf = async (id: number) => {
    const budgets = await listBudgets(storage.db, 0, [{ kind: 'user', id }]);
    return budgets.map(({ period, limitNanoUsd }) => `${period} ${limitNanoUsd}`);
  };

  test('says who invites to what, in every language, and shows no markup of theirs', async () => {
    const { secret } = await invite('guest@example.test');
    for (const language of languages) {
      const { status, text } = await portal.ask(`/invite/${secret}`, {
        headers: { ...html, 'accept-language': language },
      });
      expect(status).toBe(200);
      expect(text).toContain('guest@example.test');
      expect(text).toContain('Mills &lt;b&gt;');
      expect(text).not.toMatch(/<script>alert|<b>|undefined|\[object|NaN/);
      expect(text).toContain(`href="/login?next=%2Finvite%2F${secret}"`);
      expect(text).toContain(`href="/signup?invite=${secret}"`);
    }
  });

  test('is accepted by who has the address and signs in, with a new session for the new role', async () => {
    const { user, cookie } = await portal.signedIn();
    const { secret } = await invite(user.email);
    portal.setNowMs(portal.nowMs() + 600_000);
    expect((await portal.ask(`/invite/${secret}`, { headers: { ...html, cookie } })).text).toContain(
      `action="/invite/${secret}"`,
    );
    const joined = await portal.sendForm(`/invite/${secret}`, {}, { cookie });
    expect([joined.status, joined.location]).toEqual([303, '/dashboard']);
    expect(await findUser(everybody, storage.db, user.id)).toMatchObject({
      role: 'org_admin',
      organisationId,
    });
    expect(await budgetsOf(user.id)).toEqual(['monthly 40']);
    const fresh =
      joined.answer.headers
        .getSetCookie()
        .find((set) => set.startsWith('sluice='))
        ?.split(';')[0] ?? '';
    expect((await portal.ask('/api/legal/status', { headers: { cookie: fresh } })).status).toBe(200);
    expect((await portal.ask('/api/legal/status', { headers: { cookie } })).status).toBe(401);
    const change = { email: 'another@example.test' };
    const proof = await portal.sendJson('/dashboard/settings/email', change, { cookie: fresh });
    expect([proof.status, JSON.parse(proof.text).code]).toEqual([403, 'proof_needed']);
    expect((await portal.ask(`/invite/${secret}`, { headers: html })).status).toBe(410);
  });

  test('makes an account that is active at once for who has none', async () => {
    const email = 'joins@example.test';
    const { secret } = await invite(email);
    const page = await portal.ask(`/signup?invite=${secret}`, { headers: html });
    expect(page.text).toContain(`value="${email}"`);
    const fields = { email, password, name: 'J', accept_terms: 'on', invite: secret };
    const other = await portal.sendForm('/auth/register', { ...fields, email: 'not-invited@example.test' });
    expect(other.location).toBe(`/signup?invite=${secret}`);
    const joined = await portal.sendForm('/auth/register', fields);
    expect([joined.status, joined.location]).toEqual([303, '/dashboard']);
    const cookie =
      joined.answer.headers
        .getSetCookie()
        .find((set) => set.startsWith('sluice='))
        ?.split(';')[0] ?? '';
    const dashboard = await portal.ask('/dashboard', { headers: { ...html, cookie } });
    expect(dashboard.status).toBe(200);
    expect(dashboard.text).toContain('Mills &lt;b&gt;');
    const user = await findUserByEmail(storage.db, email);
    expect(await budgetsOf(user?.id ?? 0)).toEqual(['monthly 40']);
  });

  test('is refused to others, and to everybody once it is withdrawn', async () => {
    const { cookie } = await portal.signedIn();
    const { id, secret } = await invite('somebody-else@example.test');
    const page = await portal.ask(`/invite/${secret}`, { headers: { ...html, cookie } });
    expect(page.text).not.toContain(`action="/invite/${secret}"`);
    const refused = await portal.sendJson(`/invite/${secret}`, {}, { cookie });
    expect([refused.status, JSON.parse(refused.text).fields]).toEqual([
      422,
      { invite: 'This invitation is for another e-mail address.' },
    ]);
    expect((await portal.sendJson(`/invite/${secret}`, {})).status).toBe(401);
    await portal.write(within(everybody, revokeInvite), { inviteId: id, actor: inviter });
    expect((await portal.ask(`/invite/${secret}`, { headers: html })).status).toBe(410);
    const late = await portal.sendJson(`/invite/${secret}`, {}, { cookie });
    expect([late.status, JSON.parse(late.text).code]).toEqual([410, 'link_over']);
  });
});

test.each([
  ['suspended', '/account/suspended', 'account_suspended'],
  ['archived', '/account/archived', 'account_archived'],
  ['unverified', '/verify-email', 'email_unverified'],
])('who is %s signs in and sees %s', async (status, path, code) => {
  const user = await portal.newUser({ password });
  await storage.db.update(users).set({ status, emailVerifiedAt: null }).where(eq(users.id, user.id));
  const login = await portal.sendForm('/auth/login', { email: user.email, password });
  const cookie = login.answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const headers = { ...html, cookie };
  expect((await portal.ask('/dashboard', { headers })).location).toBe(path);
  expect((await portal.ask(path, { headers })).status).toBe(200);
  const program = await portal.sendJson('/dashboard/settings/sessions/end-others', {}, { cookie });
  expect([program.status, JSON.parse(program.text).code]).toEqual([403, code]);
});

describe('the language that somebody chooses', () => {
  test('is kept with the browser, and with the account of who is signed in', async () => {
    const { user, cookie } = await portal.signedIn();
    const chosen = await portal.sendJson('/set-language', { language: 'fr' }, { cookie });
    expect(JSON.parse(chosen.text)).toEqual({ ok: true, language: 'fr' });
    expect(chosen.answer.headers.getSetCookie().join()).toContain('sluice-language=fr');
    expect((await findUser(everybody, storage.db, user.id))?.language).toBe('fr');
    const elsewhere = await portal.ask('/dashboard', {
      headers: { ...html, cookie, 'accept-language': 'de' },
    });
    expect(elsewhere.text).toContain('<html lang="fr">');
    await portal.sendForm('/preferences', { language: 'es', return: '/' }, { cookie });
    expect((await findUser(everybody, storage.db, user.id))?.language).toBe('es');
  });

  test('422 for one that is not spoken here; a visitor keeps it in the browser alone', async () => {
    expect((await portal.sendJson('/set-language', { language: 'tlh' })).status).toBe(422);
    const form = await portal.sendForm('/set-language', { language: 'de', next: '/pricing' });
    expect([form.status, form.location]).toEqual([303, '/pricing']);
  });
});
