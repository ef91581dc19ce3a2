import { beforeEach, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import type { TestDatabase } from '../../../test/support/databases.ts';
import { findUserByEmail } from '../../identity/index.ts';
import { createOrganisation } from '../../identity/organisations.ts';
import { readBudgets } from '../../ledger/budgets.ts';
import { setBudget } from '../../ledger/index.ts';
import { users } from '../../storage/schema/identity.ts';
import { languages } from '../languages/language.ts';
import { legalVersion, type TestPortal, type WaitingMail, withTestPortal } from '../testing/test-portal.ts';

const password = 'four plain words here';
const hourMs = 3_600_000;

let storage: TestDatabase;
let portal: TestPortal;
withTestPortal((opened) => {
  ({ storage, portal } = opened);
});

// Whatever was used up of an allowance is whole again.
beforeEach(() => portal.setNowMs(portal.nowMs() + 24 * hourMs));

let people = 0;
const newAddress = () => `somebody-${++people}@example.test`;
const html = { accept: 'text/html' };

const mailsTo = async (email: string) => (await portal.mails()).filter(({ to }) => to === email);

/** The path and query of the link in a mail. */
function linkIn(mail: WaitingMail | undefined): string {
  const { pathname, search } = new URL(String(mail?.facts['link']));
  return `${pathname}${search}`;
}

const secretIn = (mail: WaitingMail | undefined) =>
  new URLSearchParams(linkIn(mail).split('?')[1]).get('token') ?? '';

/** What the browser sends back of the cookies that an answer set. */
function cookiesOf(answer: Response): string {
  return answer.headers
    .getSetCookie()
    .filter((cookie) => !cookie.includes('Max-Age=0'))
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

const register = (email: string, changes: Record<string, unknown> = {}) =>
  portal.sendJson('/auth/register', { email, password, name: 'Ada', accept_terms: true, ...changes });

/** An account that is verified. */
async function verified(): Promise<string> {
  const email = newAddress();
  await register(email);
  const [mail] = await mailsTo(email);
  await portal.sendJson('/verify-email', { token: secretIn(mail), password });
  return email;
}

describe('from a form to a session, and out of it', () => {
  test('sign up, verify by the mail, be signed in, sign out, sign in: each step leads to the next', async () => {
    const email = newAddress();
    const sent = await portal.sendForm('/auth/register', {
      email,
      password,
      name: 'Ada',
      accept_terms: 'on',
    });
    expect([sent.status, sent.location]).toEqual([303, '/verify-email?sent=1']);
    expect(sent.answer.headers.getSetCookie()).toEqual([]);
    const [mail] = await mailsTo(email);
    expect(mail?.kind).toBe('verify_address');
    const link = linkIn(mail);
    for (let opened = 0; opened < 2; opened += 1) {
      const page = await portal.ask(link, { headers: html });
      expect(page.status).toBe(200);
      expect(page.text).toContain(email);
      expect((await findUserByEmail(storage.db, email))?.status).toBe('unverified');
    }
    const confirmed = await portal.sendForm('/verify-email', { token: secretIn(mail), password });
    expect([confirmed.status, confirmed.location]).toEqual([303, '/dashboard']);
    const first = { ...html, cookie: cookiesOf(confirmed.answer) };
    expect((await portal.ask('/dashboard', { headers: first })).status).toBe(200);
    expect((await portal.ask(link, { headers: html })).text).toContain('is confirmed');
    const twice = await portal.sendForm('/verify-email', { token: secretIn(mail), password });
    expect([twice.status, twice.location]).toEqual([303, '/login']);
    const login = await portal.sendForm('/auth/login', { email, password, next: '/dashboard/settings' });
    expect([login.status, login.location]).toEqual([303, '/dashboard/settings']);
    const cookie = cookiesOf(login.answer);
    const settings = await portal.ask('/dashboard/settings', { headers: { ...html, cookie } });
    expect(settings.status).toBe(200);
    await portal.ask('/logout', { headers: { ...html, cookie } });
    const after = await portal.ask('/dashboard/settings', { headers: { ...html, cookie } });
    expect(after.location).toBe('/login?next=%2Fdashboard%2Fsettings');
  });

  test('a program gets JSON for each of them', async () => {
    const email = newAddress();
    expect(JSON.parse((await register(email)).text)).toEqual({ ok: true, next: '/verify-email?sent=1' });
    const [mail] = await mailsTo(email);
    const verification = await portal.sendJson('/verify-email', { token: secretIn(mail), password });
    expect(JSON.parse(verification.text)).toEqual({ ok: true, next: '/dashboard' });
    const login = await portal.sendJson('/auth/login', { email: email.toUpperCase(), password });
    expect(JSON.parse(login.text)).toEqual({ ok: true, next: '/dashboard' });
    expect(cookiesOf(login.answer)).toStartWith('sluice=');
  });

  test('who is signed in and not verified sees only how to be, and can have the mail again', async () => {
    const email = newAddress();
    await register(email);
    const cookie = cookiesOf((await portal.sendJson('/auth/login', { email, password })).answer);
    const dashboard = await portal.ask('/dashboard', { headers: { ...html, cookie } });
    expect(dashboard.location).toBe('/verify-email');
    const waiting = await portal.ask('/verify-email', { headers: { ...html, cookie } });
    expect(waiting.text).toContain('not confirmed yet');
    const again = await portal.sendForm('/auth/resend-verification', { email }, { cookie });
    expect([again.status, again.location]).toEqual([303, '/verify-email']);
    const mails = await mailsTo(email);
    expect(mails.map(({ kind }) => kind)).toEqual(['verify_address', 'verify_address']);
    const fields = { token: secretIn(mails[1]), password };
    const confirmed = await portal.sendForm('/verify-email', fields, { cookie });
    expect(confirmed.location).toBe('/dashboard');
    const next = { ...html, cookie: cookiesOf(confirmed.answer) };
    expect((await portal.ask('/dashboard', { headers: next })).status).toBe(200);
    expect((await portal.ask('/dashboard', { headers: { ...html, cookie } })).location).toStartWith('/login');
  });

  test('an address is not verified for whoever made the account by who reads the mail and knows no password', async () => {
    const email = newAddress();
    await register(email);
    const stranger = cookiesOf((await portal.sendJson('/auth/login', { email, password })).answer);
    const [mail] = await mailsTo(email);
    const token = secretIn(mail);
    for (const [given, type] of [
      [{}, 'invalid_type'],
      [{ password: 'a guess of somebody' }, 'wrong'],
    ] as const) {
      // Nor for who is signed in: a foreign page can have signed this browser in where there is no https.
      for (const headers of [{}, { cookie: stranger }]) {
        const refused = await portal.sendJson('/verify-email', { token, ...given }, headers);
        expect(refused.status).toBe(422);
        const issue = { loc: ['body', 'password'], type };
        expect(JSON.parse(refused.text)).toMatchObject({ code: 'validation_failed', detail: [issue] });
      }
    }
    const form = await portal.sendForm('/verify-email', { token, password: 'a guess of somebody' });
    expect(form.location).toBe(linkIn(mail));
    const page = await portal.ask(linkIn(mail), { headers: { ...html, cookie: cookiesOf(form.answer) } });
    expect(page.text).toContain('This is not your password.');
    // It is said at the field, and not once more above the page.
    expect(page.text).not.toContain('Something that you entered');
    expect(page.text).not.toContain('a guess of somebody');
    expect((await findUserByEmail(storage.db, email))?.status).toBe('unverified');

    await portal.sendForm('/auth/forgot-password', { email });
    const reset = (await mailsTo(email)).find(({ kind }) => kind === 'reset_password');
    const own = 'six herons on a loud weir';
    await portal.sendJson('/auth/reset-password', { token: secretIn(reset), password: own });
    expect((await findUserByEmail(storage.db, email))?.status).toBe('active');
    expect((await portal.sendJson('/auth/login', { email, password })).status).toBe(401);
    const left = await portal.ask('/dashboard', { headers: { ...html, cookie: stranger } });
    expect(left.location).toStartWith('/login');
  });

  test('the password beside a link is guessed slowly, and whoever has no link cannot use its attempts up', async () => {
    const email = newAddress();
    await register(email);
    const [mail] = await mailsTo(email);
    const twelve = async (path: string, fields: object) => {
      const statuses: number[] = [];
      for (let guess = 0; guess < 12; guess += 1) {
        statuses.push((await portal.sendJson(path, { ...fields, password: `guess ${guess}` })).status);
      }
      return statuses;
    };
    const slowed = (status: number) => [...Array.from({ length: 10 }, () => status), 429, 429];
    expect(await twelve('/auth/login', { email })).toEqual(slowed(401));
    expect(await twelve('/verify-email', { token: secretIn(mail) })).toEqual(slowed(422));
    portal.setNowMs(portal.nowMs() + 60_000);
    const right = { token: secretIn(mail), password };
    expect((await portal.sendJson('/verify-email', right)).status).toBe(200);
  });

  test('who is signed in as somebody else is told so, and stays who they are', async () => {
    const email = newAddress();
    await register(email);
    const [mail] = await mailsTo(email);
    const other = await verified();
    const cookie = cookiesOf((await portal.sendJson('/auth/login', { email: other, password })).answer);
    const page = await portal.ask(linkIn(mail), { headers: { ...html, cookie } });
    expect(page.text).toContain(`You are signed in as ${other}.`);
    expect(page.text).not.toContain('type="password"');
    const fields = { token: secretIn(mail), password };
    expect((await portal.sendJson('/verify-email', fields, { cookie })).status).toBe(409);
    expect((await findUserByEmail(storage.db, email))?.status).toBe('unverified');
    expect((await portal.ask('/dashboard', { headers: { ...html, cookie } })).status).toBe(200);
  });

  test('who mistypes their password as they sign in once more is shown the form again', async () => {
    const email = await verified();
    const cookie = cookiesOf((await portal.sendJson('/auth/login', { email, password })).answer);
    const sent = { email, password: 'not the one', next: '/dashboard/settings/security', again: '1' };
    const wrong = await portal.sendForm('/auth/login', sent, { cookie });
    expect([wrong.status, wrong.location]).toEqual([303, '/login']);
    const both = `${cookie}; ${cookiesOf(wrong.answer)}`;
    const shown = await portal.ask('/login', { headers: { ...html, cookie: both } });
    expect(shown.status).toBe(200);
    expect(shown.text).toContain('name="again" value="1"');
    expect(shown.text).toContain('name="next" value="/dashboard/settings/security"');
    // Whoever does not ask for it goes on.
    expect((await portal.ask('/login', { headers: { ...html, cookie } })).status).toBe(303);
  });

  test('a link that is followed twice at once confirms once, and signs both in', async () => {
    const email = newAddress();
    await register(email);
    const [mail] = await mailsTo(email);
    const fields = { token: secretIn(mail), password };
    const answers = await Promise.all([
      portal.sendJson('/verify-email', fields),
      portal.sendJson('/verify-email', fields),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect((await findUserByEmail(storage.db, email))?.status).toBe('active');
  });

  test('an account that is reset before it is confirmed keeps nothing that its first maker chose', async () => {
    const email = newAddress();
    await register(email);
    const before = await findUserByEmail(storage.db, email);
    const id = before?.id ?? 0;
    const { id: organisationId } = await portal.write(createOrganisation, { name: 'Of a stranger' });
    await storage.db.update(users).set({ organisationId }).where(eq(users.id, id));
    const budget = {
      subject: { kind: 'user', id },
      period: 'daily',
      limitNanoUsd: 1n,
      managedBy: null,
    } as const;
    await portal.write(setBudget, budget);
    await portal.sendForm('/auth/forgot-password', { email });
    const reset = (await mailsTo(email)).find(({ kind }) => kind === 'reset_password');
    const own = 'six herons on a loud weir';
    const admitted = await portal.sendJson('/auth/reset-password', { token: secretIn(reset), password: own });
    expect(await findUserByEmail(storage.db, email)).toMatchObject({
      status: 'active',
      organisationId: null,
      name: '',
    });
    expect(await readBudgets(storage.db, [{ kind: 'user', id }])).toEqual([]);
    const asked = await portal.ask('/dashboard', {
      headers: { ...html, cookie: cookiesOf(admitted.answer) },
    });
    expect(asked.location).toStartWith('/legal/accept');
  });

  test('410 for a link that is over or was never one, on every page that takes one', async () => {
    const email = newAddress();
    await register(email);
    const [mail] = await mailsTo(email);
    portal.setNowMs(portal.nowMs() + 24 * hourMs);
    for (const path of [
      linkIn(mail),
      '/verify-email?token=x',
      '/reset-password?token=x',
      '/reset-password',
      '/invite/x',
    ]) {
      expect((await portal.ask(path, { headers: html })).status).toBe(410);
    }
    const refused = { ok: false, code: 'link_over' };
    const token = secretIn(mail);
    for (const answer of [
      await portal.sendJson('/verify-email', { token, password }),
      await portal.sendJson('/auth/reset-password', { token: 'x', password }),
    ]) {
      expect(answer.status).toBe(410);
      expect(JSON.parse(answer.text)).toMatchObject(refused);
    }
    const form = await portal.sendForm('/verify-email', { token, password });
    expect([form.status, form.location]).toEqual([303, `/verify-email?token=${token}`]);
  });
});

describe('another password', () => {
  test('by a mail: signs in, ends every other session, tells by mail, and works once', async () => {
    const email = await verified();
    const old = cookiesOf((await portal.sendJson('/auth/login', { email, password })).answer);
    const asked = await portal.sendForm('/auth/forgot-password', { email });
    expect([asked.status, asked.location]).toEqual([303, '/forgot-password?sent=1']);
    const mail = (await mailsTo(email)).find(({ kind }) => kind === 'reset_password');
    const page = await portal.ask(linkIn(mail), { headers: html });
    expect(page.status).toBe(200);
    expect(page.text).toContain(email);
    const token = secretIn(mail);
    const short = await portal.sendForm('/auth/reset-password', { token, password: 'short' });
    expect(short.location).toBe(`/reset-password?token=${token}`);
    const reset = await portal.sendForm('/auth/reset-password', { token, password: 'four other words' });
    expect([reset.status, reset.location]).toEqual([303, '/dashboard']);
    const cookie = cookiesOf(reset.answer);
    expect((await portal.ask('/dashboard', { headers: { ...html, cookie } })).status).toBe(200);
    expect((await portal.ask('/dashboard', { headers: { ...html, cookie: old } })).location).toBe('/login');
    expect((await mailsTo(email)).map(({ kind }) => kind)).toContain('password_changed');
    expect((await portal.sendJson('/auth/reset-password', { token, password })).status).toBe(410);
    expect((await portal.sendJson('/auth/login', { email, password })).status).toBe(401);
  });
});

describe('a form that is refused', () => {
  test('comes back with what was written, but for the password, and with what was wrong beside its field', async () => {
    const email = newAddress();
    const sent = { email, password: 'short', name: 'Ada <b>', accept_terms: 'on' };
    const refused = await portal.sendForm('/auth/register', sent);
    expect([refused.status, refused.location]).toEqual([303, '/signup']);
    const cookie = cookiesOf(refused.answer);
    expect(Buffer.from(cookie, 'base64url').toString()).not.toContain('short');
    const { text } = await portal.ask('/signup', { headers: { ...html, cookie } });
    expect(text).toContain('At least 8 characters are needed.');
    expect(text).toContain('id="password-error"');
    expect(text).not.toMatch(/class="(?:toast|wrong)/);
    expect(text).toContain(`value="${email}"`);
    expect(text).toContain('value="Ada &lt;b&gt;"');
    expect(text).toMatch(/<input[^>]*name="accept_terms"[^>]*checked/);
    expect(text).not.toContain('<b>');
  });

  test('says all that is wrong with it at once', async () => {
    const sent = { email: 'nobody', password: 'short', name: 'Ada' };
    const { status, text } = await portal.sendJson('/auth/register', sent);
    expect(status).toBe(422);
    expect(JSON.parse(text).fields).toEqual({
      email: expect.any(String),
      password: 'At least 8 characters are needed.',
      accept_terms: 'Without your consent to the terms no account can be made.',
    });
    const refused = await portal.sendForm('/auth/register', sent);
    const page = await portal.ask('/signup', { headers: { ...html, cookie: cookiesOf(refused.answer) } });
    for (const field of ['email', 'password', 'accept_terms']) {
      expect(page.text).toContain(`id="${field}-error"`);
    }
  });

  test('says above itself what is wrong with no field of it, and not in a corner', async () => {
    const { answer } = await portal.sendForm('/auth/login', { email: newAddress(), password });
    const { text } = await portal.ask('/login', { headers: { ...html, cookie: cookiesOf(answer) } });
    expect(text).toMatch(
      /<div class="wrong" role="alert">.*The e-mail address or the password is wrong.*<h1/s,
    );
    expect(text).not.toContain('class="toast');
  });

  test.each([
    ['en', 'At least 8 characters are needed.', 'The e-mail address or the password is wrong.'],
    ['de', 'Es braucht mindestens 8 Zeichen.', 'Die E-Mail-Adresse oder das Passwort ist falsch.'],
    ['fr', 'Il faut au moins 8 caractères.', 'L’adresse e-mail ou le mot de passe est incorrect.'],
    ['es', 'Hacen falta al menos 8 caracteres.', 'La dirección de correo o la contraseña no es correcta.'],
  ])('speaks the reader’s language: %s', async (language, tooShort, wrong) => {
    const headers = { 'accept-language': language };
    const body = { email: newAddress(), password: 'short', name: 'A', accept_terms: true };
    const short = await portal.sendJson('/auth/register', body, headers);
    expect(short.status).toBe(422);
    expect(JSON.parse(short.text)).toMatchObject({
      ok: false,
      code: 'validation_failed',
      fields: { password: tooShort },
      detail: [{ loc: ['body', 'password'], msg: tooShort, type: 'too_short' }],
    });
    const login = await portal.sendJson('/auth/login', { email: newAddress(), password }, headers);
    expect([login.status, JSON.parse(login.text).error]).toEqual([401, wrong]);
  });

  test.each([
    ['accept_terms', { accept_terms: false }],
    ['accept_terms', { accept_terms: undefined }],
    ['email', { email: 'nobody' }],
    ['email', { email: 'a@b.test\r\nBcc: c@d.test' }],
    ['email', { email: ['a@b.test', 'c@d.test'] }],
    ['email', { email: { $ne: null } }],
    ['password', { password: 7 }],
    ['password', { password: 'password123' }],
    ['name', { name: 'x'.repeat(101) }],
    ['name', { name: 'Ada\u0000' }],
    ['invite', { invite: 'never-one' }],
  ])('422 with the field %s for %j', async (field, changes) => {
    const { status, text } = await register(newAddress(), changes);
    expect(status).toBe(422);
    expect(Object.keys(JSON.parse(text).fields)).toEqual([field]);
  });

  test('every page of this room is whole in every language', async () => {
    for (const path of [
      '/login',
      '/signup',
      '/forgot-password',
      '/forgot-password?sent=1',
      '/verify-email',
      '/verify-email?sent=1',
      '/verify-email?token=x',
      '/reset-password',
      '/invite/x',
      '/account/suspended',
      '/account/archived',
    ]) {
      const titles = await Promise.all(
        languages.map(async (language) => {
          const { text } = await portal.ask(path, { headers: { ...html, 'accept-language': language } });
          expect(text).toContain(`<html lang="${language}">`);
          expect(text).not.toMatch(/undefined|\[object|NaN/);
          return /<h1>(.*?)<\/h1>/.exec(text)?.[1];
        }),
      );
      expect(new Set(titles).size).toBe(languages.length);
    }
  });
});

describe('whether an account exists', () => {
  /** All that an answer tells, without its date. */
  async function toldBy(path: string, body: unknown, headers: Record<string, string> = {}) {
    const { answer, status, text } = await portal.sendJson(path, body, headers);
    return {
      status,
      text,
      headers: Object.fromEntries([...answer.headers].filter(([name]) => name !== 'date')),
    };
  }

  test.each([
    ['/auth/register', (email: string) => ({ email, password, name: 'A', accept_terms: true })],
    [
      '/auth/register',
      (email: string) => ({ email, password, name: 'A', accept_terms: true, invite: 'never-one' }),
    ],
    ['/auth/forgot-password', (email: string) => ({ email })],
    ['/auth/resend-verification', (email: string) => ({ email })],
    ['/auth/login', (email: string) => ({ email, password: 'a wrong password' })],
  ])('is not told by the answer of %s, nor by its time', async (path, bodyOf) => {
    const known = await verified();
    const before = portal.sleptMs.length;
    const answers = [await toldBy(path, bodyOf(known)), await toldBy(path, bodyOf(newAddress()))];
    expect(answers[1]).toEqual(answers[0]);
    const forms = [known, newAddress()].map((email) =>
      portal.sendForm(
        path,
        Object.fromEntries(Object.entries(bodyOf(email)).map(([name, value]) => [name, String(value)])),
      ),
    );
    const [one, other] = await Promise.all(forms);
    expect([other?.status, other?.location]).toEqual([one?.status, one?.location]);
    if (path !== '/auth/login') expect(portal.sleptMs.slice(before)).toEqual([250, 250, 250, 250]);
  });

  test('is told by mail to who owns the address, and changes nothing', async () => {
    const email = await verified();
    await register(email, { password: 'a password of somebody else', name: 'Eve' });
    const last = (await mailsTo(email)).at(-1);
    expect(last?.kind).toBe('address_taken');
    expect(last?.facts).toMatchObject({ resetLink: 'http://sluice.test/forgot-password' });
    expect((await findUserByEmail(storage.db, email))?.name).toBe('Ada');
    expect((await portal.sendJson('/auth/login', { email, password })).status).toBe(200);
  });

  test('where it does not, as much is written as a mail would take', async () => {
    const count = async () => (await portal.mails()).length;
    const before = await count();
    await portal.sendJson('/auth/forgot-password', { email: newAddress() });
    await portal.sendJson('/auth/resend-verification', { email: await verified() });
    expect((await portal.mails()).filter(({ kind }) => kind === 'decoy').length).toBeGreaterThanOrEqual(2);
    expect(await count()).toBe(before + 3);
  });

  test('429 for who has mails sent to one address, whether or not it has an account', async () => {
    for (const email of [await verified(), newAddress()]) {
      portal.setNowMs(portal.nowMs() + 24 * hourMs);
      const statuses: number[] = [];
      for (let sent = 0; sent < 6; sent += 1) {
        statuses.push((await portal.sendJson('/auth/forgot-password', { email })).status);
      }
      expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
      // Mails of another kind neither use up those to a new password, nor are they used up by them.
      expect((await portal.sendJson('/auth/resend-verification', { email })).status).toBe(200);
    }
  });
});

test('the version of the terms that was accepted is kept with the account', async () => {
  const email = await verified();
  const cookie = cookiesOf((await portal.sendJson('/auth/login', { email, password })).answer);
  const status = await portal.ask('/api/legal/status', { headers: { cookie } });
  expect(JSON.parse(status.text)).toMatchObject({ ok: true, accepted: true, accepted_version: legalVersion });
});
