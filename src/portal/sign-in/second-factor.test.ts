import { beforeEach, describe, expect, test } from 'bun:test';
import { Secret, TOTP } from 'otpauth';
import { z } from 'zod';
import type { IdentityProvider } from '../../configuration/index.ts';
import { softAuthenticator } from '../../identity/testing/soft-authenticator.ts';
import { languages } from '../languages/language.ts';
import { origin, type TestPortal, withTestPortal } from '../testing/test-portal.ts';

const password = 'four plain words here';
const settings = '/dashboard/settings';
const security = `${settings}/security`;
const setUp = `${settings}/two-step`;
const html = { accept: 'text/html' };

const provider: IdentityProvider = {
  ...{ name: 'work', label: 'Acme', issuer: 'https://id.acme.test', organisation: null },
  ...{ clientId: 'sluice', clientSecret: 'a secret', enforcedDomains: ['acme.test'] },
  kind: 'oidc',
};

let portal: TestPortal;
withTestPortal(
  (opened) => {
    ({ portal } = opened);
  },
  { changes: { identityProviders: [provider] } },
);
beforeEach(() => portal.setNowMs(portal.nowMs() + 3_600_000));

const cookiesOf = (answer: Response) =>
  answer.headers
    .getSetCookie()
    .filter((cookie) => !cookie.includes('Max-Age=0'))
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
const codeOf = (secret: string) =>
  TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: portal.nowMs() });
const begun = z.object({ secret: z.string(), uri: z.string() });
const shownCodes = z.object({ recovery_codes: z.array(z.string()) });
const question = z.object({ options: z.object({ challenge: z.string() }) });

/** Somebody who is asked for codes, as a program sets it up. */
async function withTwoSteps() {
  const { user, cookie } = await portal.signedIn({ password });
  const { secret } = begun.parse(JSON.parse((await portal.sendJson(setUp, {}, { cookie })).text));
  const confirmed = await portal.sendJson(`${setUp}/confirm`, { code: codeOf(secret) }, { cookie });
  const { recovery_codes } = shownCodes.parse(JSON.parse(confirmed.text));
  portal.setNowMs(portal.nowMs() + 30_000);
  return { user, cookie, secret, recovery: recovery_codes };
}

describe('two-step sign-in', () => {
  test('is set up from the settings, with a picture to scan, in every language', async () => {
    const { cookie } = await portal.signedIn({ password });
    expect((await portal.ask(setUp, { headers: { ...html, cookie } })).location).toBe(security);
    expect((await portal.sendForm(setUp, {}, { cookie })).location).toBe(setUp);
    for (const language of languages) {
      const page = await portal.ask(setUp, { headers: { ...html, cookie, 'accept-language': language } });
      expect(page.status).toBe(200);
      expect(page.text).toContain('<svg');
    }
    const { text } = await portal.ask(setUp, { headers: { ...html, cookie } });
    const secret = (/<code class="break">([A-Z2-7 ]+)</.exec(text)?.[1] ?? '').replaceAll(' ', '');
    const wrong = await portal.sendForm(`${setUp}/confirm`, { code: '000000' }, { cookie });
    expect([wrong.status, wrong.location]).toEqual([303, setUp]);
    const right = await portal.sendForm(`${setUp}/confirm`, { code: codeOf(secret) }, { cookie });
    expect(right.status).toBe(200);
    expect(right.text.match(/<li><code>/g)).toHaveLength(10);
    expect((await portal.sendForm(setUp, {}, { cookie })).location).toBe(security);
  });

  test('asks for a code after the password, and goes on where it was wanted', async () => {
    const { user, secret } = await withTwoSteps();
    const first = await portal.sendForm('/auth/login', {
      email: user.email,
      password,
      next: '/dashboard/settings',
    });
    expect(first.location).toBe(`/login/second-factor?next=${encodeURIComponent('/dashboard/settings')}`);
    const cookie = cookiesOf(first.answer);
    expect(cookie).not.toContain('sluice=');
    expect((await portal.ask(settings, { headers: { ...html, cookie } })).status).toBe(303);
    const asked = await portal.ask(first.location ?? '', { headers: { ...html, cookie } });
    expect(asked.text).toContain('autocomplete="one-time-code"');
    const wrong = await portal.sendJson('/login/second-factor', { code: '000000' }, { cookie });
    expect([wrong.status, JSON.parse(wrong.text)]).toMatchObject([401, { ok: false, code: 'wrong_code' }]);
    const fields = { code: codeOf(secret), next: '/dashboard/settings' };
    const right = await portal.sendForm('/login/second-factor', fields, { cookie });
    expect([right.status, right.location]).toEqual([303, '/dashboard/settings']);
    expect(
      (await portal.ask(settings, { headers: { ...html, cookie: cookiesOf(right.answer) } })).status,
    ).toBe(200);
    const elsewhere = { code: fields.code, next: 'https://other.test' };
    expect((await portal.sendForm('/login/second-factor', elsewhere, { cookie })).location).not.toContain(
      'other',
    );
  });

  test('tells its person by mail of somebody who has the password and guesses', async () => {
    const { user } = await withTwoSteps();
    const first = await portal.sendForm('/auth/login', { email: user.email, password });
    const cookie = cookiesOf(first.answer);
    const warnings = async () =>
      (await portal.mails()).filter(({ to, kind }) => to === user.email && kind === 'codes_guessed');
    for (let tried = 0; tried < 4; tried += 1) {
      await portal.sendJson('/login/second-factor', { code: '000000' }, { cookie });
    }
    expect(await warnings()).toEqual([]);
    await portal.sendJson('/login/second-factor', { code: '000000' }, { cookie });
    expect(await warnings()).toMatchObject([{ facts: { resetLink: `${origin}/forgot-password` } }]);
  });

  test('is asked for in vain without the first step', async () => {
    expect((await portal.ask('/login/second-factor', { headers: html })).location).toBe('/login');
    const answer = await portal.sendJson('/login/second-factor', { code: '123456' });
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([401, { code: 'first_step_over' }]);
  });

  test('is changed with a code and not without, and never by somebody else', async () => {
    const { user, cookie, secret, recovery } = await withTwoSteps();
    const wrong = await portal.sendJson(`${setUp}/remove`, { code: '000000' }, { cookie });
    expect(wrong.status).toBe(401);
    const renewed = await portal.sendJson(`${setUp}/recovery-codes`, { code: recovery[0] }, { cookie });
    const fresh = shownCodes.parse(JSON.parse(renewed.text)).recovery_codes;
    expect(fresh).not.toContain(recovery[1]);
    const other = await portal.signedIn({ password });
    const foreign = await portal.sendJson(
      `${setUp}/remove`,
      { code: codeOf(secret) },
      { cookie: other.cookie },
    );
    expect(foreign.status).toBe(401);
    expect((await portal.sendForm(`${setUp}/remove`, { code: codeOf(secret) }, { cookie })).location).toBe(
      security,
    );
    const login = await portal.sendJson('/auth/login', { email: user.email, password });
    expect(JSON.parse(login.text)).toEqual({ ok: true, next: '/dashboard' });
  });
});

describe('a passkey', () => {
  const asked = (challenge: string) => ({ challenge, origin, rpId: 'sluice.test' });

  async function ask(path: string, cookie = '') {
    const { answer, text } = await portal.sendJson(path, {}, cookie === '' ? {} : { cookie });
    return { challenge: question.parse(JSON.parse(text)).options.challenge, kept: cookiesOf(answer) };
  }

  async function withPasskey(person = {}) {
    const { user, cookie } = await portal.signedIn(person);
    const device = softAuthenticator();
    const { challenge, kept } = await ask(`${settings}/passkeys/options`, cookie);
    const body = { answer: device.create(asked(challenge)), name: '<b>Phone</b>' };
    const added = await portal.sendJson(`${settings}/passkeys`, body, { cookie: `${cookie}; ${kept}` });
    return { user, cookie, device, added, body, kept };
  }

  test('is added in the settings, and signs in without a password', async () => {
    const { cookie, device, added } = await withPasskey({ password });
    expect(JSON.parse(added.text)).toEqual({ ok: true, next: security });
    const page = await portal.ask(security, { headers: { ...html, cookie } });
    expect(page.text).toContain('&lt;b&gt;Phone');
    const { challenge, kept } = await ask('/auth/passkey/options');
    const body = { answer: device.get(asked(challenge)), next: '/dashboard/settings' };
    const entered = await portal.sendJson('/auth/passkey', body, { cookie: kept });
    expect(JSON.parse(entered.text)).toEqual({ ok: true, next: '/dashboard/settings' });
    const inside = { ...html, cookie: cookiesOf(entered.answer) };
    expect((await portal.ask(settings, { headers: inside })).status).toBe(200);
    const id = /passkeys\/(\d+)\/remove/.exec(page.text)?.[1];
    const foreign = await portal.signedIn();
    const path = `${settings}/passkeys/${id}/remove`;
    expect((await portal.sendJson(path, {}, { cookie: foreign.cookie })).status).toBe(404);
    expect((await portal.sendJson(path, {}, { cookie })).status).toBe(200);
    const again = await ask('/auth/passkey/options');
    const late = { answer: device.get(asked(again.challenge)) };
    expect((await portal.sendJson('/auth/passkey', late, { cookie: again.kept })).status).toBe(401);
  });

  test('from before its domain belonged to a provider is refused, and the browser stays as it was', async () => {
    const { user, device } = await withPasskey({ email: 'ada@acme.test' });
    const other = await portal.signedIn();
    const { challenge, kept } = await ask('/auth/passkey/options');
    const cookie = `${other.cookie}; ${kept}`;
    const refused = await portal.sendJson(
      '/auth/passkey',
      { answer: device.get(asked(challenge)) },
      { cookie },
    );
    expect([refused.status, JSON.parse(refused.text).code]).toEqual([403, 'sign_in_elsewhere']);
    // Of the passkey, when it was added, and of no sign-in.
    const told = (await portal.mails()).filter(({ to }) => to === user.email);
    expect(told.map(({ kind }) => kind)).toEqual(['sign_in_changed']);
    expect((await portal.ask(settings, { headers: { ...html, cookie: other.cookie } })).status).toBe(200);
  });

  test('stays where it is the only way in, and the page says so', async () => {
    const { cookie } = await withPasskey();
    const { text } = await portal.ask(security, { headers: { ...html, cookie } });
    const path = `${settings}/passkeys/${/passkeys\/(\d+)\/remove/.exec(text)?.[1]}/remove`;
    const refused = await portal.sendForm(path, {}, { cookie });
    expect([refused.status, refused.location]).toEqual([303, security]);
    const told = { ...html, cookie: `${cookie}; ${cookiesOf(refused.answer)}` };
    const page = await portal.ask(security, { headers: told });
    expect(page.text).toContain('This is the only way that you can sign in. Set a password first.');
    expect((await portal.sendJson(path, {}, { cookie })).status).toBe(409);
    expect(page.text).toContain(path);
  });

  test('401 for an answer to no question, to another one, to one of the settings, and to one of long ago', async () => {
    const { device, kept: ofSettings } = await withPasskey();
    const { challenge, kept } = await ask('/auth/passkey/options');
    const other = await ask('/auth/passkey/options');
    const enter = (cookie: string) =>
      portal.sendJson('/auth/passkey', { answer: device.get(asked(challenge)) }, { cookie });
    for (const cookie of ['', other.kept, ofSettings, 'sluice-passkey=nonsense']) {
      expect((await enter(cookie)).status).toBe(401);
    }
    portal.setNowMs(portal.nowMs() + 300_000);
    expect((await enter(kept)).status).toBe(401);
  });

  test('409 for a question that somebody else was asked, 422 for what is no answer', async () => {
    const { body, kept } = await withPasskey();
    const other = await portal.signedIn();
    const cookie = `${other.cookie}; ${kept}`;
    expect((await portal.sendJson(`${settings}/passkeys`, body, { cookie })).status).toBe(409);
    const odd = await portal.sendJson(`${settings}/passkeys`, { ...body, name: 'a\0b' }, { cookie });
    expect(odd.status).toBe(422);
    for (const answer of [null, {}, { ...body.answer, id: '<script>' }]) {
      const refused = await portal.sendJson(`${settings}/passkeys`, { answer }, { cookie: other.cookie });
      expect(refused.status).toBe(422);
    }
  });
});
