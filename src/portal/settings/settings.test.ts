import { beforeEach, describe, expect, test } from 'bun:test';
import type { TestDatabase } from '../../../test/support/databases.ts';
import { everybody } from '../../base/scope.ts';
import { findOrganisation, issueToken, startSession } from '../../identity/index.ts';
import { signedInBy } from '../../identity/testing/signed-in-by.ts';
import { findUser } from '../../identity/users.ts';
import { languages } from '../languages/language.ts';
import { type TestPortal, withTestPortal } from '../testing/test-portal.ts';
import { deviceOf } from './device.ts';

const password = 'four plain words here';
const actions = '/dashboard/settings';
const page = `${actions}/security`;

let storage: TestDatabase;
let portal: TestPortal;
withTestPortal((opened) => {
  ({ storage, portal } = opened);
});
beforeEach(() => portal.setNowMs(portal.nowMs() + 3_600_000));

const show = (cookie: string, headers: Record<string, string> = {}) =>
  portal.ask(page, { headers: { accept: 'text/html', cookie, ...headers } });

/** Another browser of the same person. */
async function alsoSignedIn(userId: number, userAgent: string | null = null): Promise<string> {
  const { token } = await portal.write(startSession, userId, signedInBy('password', { userAgent }));
  return `sluice=${token}`;
}

const works = async (cookie: string) =>
  (await portal.ask('/api/legal/status', { headers: { cookie } })).status === 200;
const idsIn = (text: string) => [...text.matchAll(/sessions\/(\d+)\/end"/g)].map(([, id]) => Number(id));

describe('the sessions of a person', () => {
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

  test('are listed with their browsers, in every language, and nobody else’s', async () => {
    const { user, cookie } = await portal.signedIn();
    await alsoSignedIn(user.id, firefox);
    await alsoSignedIn(user.id, '<script>alert(1)</script>');
    await portal.signedIn();
    for (const language of languages) {
      const { status, text } = await show(cookie, { 'accept-language': language });
      expect(status).toBe(200);
      expect(idsIn(text)).toHaveLength(3);
      expect(text).toContain('Firefox · Linux');
      expect(text).not.toContain('<script>alert');
      expect(text).not.toMatch(/undefined|\[object|NaN/);
    }
  });

  test('end one by one, or all but this one', async () => {
    const { user, cookie } = await portal.signedIn();
    const others = [await alsoSignedIn(user.id), await alsoSignedIn(user.id), await alsoSignedIn(user.id)];
    const [, second = 0] = idsIn((await show(cookie)).text);
    const ended = await portal.sendForm(`${actions}/sessions/${second}/end`, {}, { cookie });
    expect([ended.status, ended.location]).toEqual([303, page]);
    const alive = await Promise.all(others.map(works));
    expect(alive.filter(Boolean)).toHaveLength(2);
    const all = await portal.sendJson(`${actions}/sessions/end-others`, {}, { cookie });
    expect(JSON.parse(all.text)).toEqual({ ok: true });
    expect(await Promise.all(others.map(works))).toEqual([false, false, false]);
    expect(await works(cookie)).toBe(true);
  });

  test('this one ends with its cookie', async () => {
    const { cookie } = await portal.signedIn();
    const [own = 0] = idsIn((await show(cookie)).text);
    const ended = await portal.sendForm(`${actions}/sessions/${own}/end`, {}, { cookie });
    expect(ended.location).toBe('/login');
    expect(ended.answer.headers.getSetCookie().join()).toMatch(/^sluice=;.*Max-Age=0/);
    expect(await works(cookie)).toBe(false);
  });

  test('404 for somebody else’s, which goes on', async () => {
    const [mine, theirs] = [await portal.signedIn(), await portal.signedIn()];
    const [id = 0] = idsIn((await show(theirs.cookie)).text);
    for (const wrong of [id, 999_999]) {
      const { status } = await portal.sendJson(
        `${actions}/sessions/${wrong}/end`,
        {},
        { cookie: mine.cookie },
      );
      expect(status).toBe(404);
    }
    expect(await works(theirs.cookie)).toBe(true);
    const odd = await portal.sendJson(`${actions}/sessions/1e999/end`, {}, { cookie: mine.cookie });
    expect(odd.status).toBe(422);
  });

  test('401 for a program, and the way to sign in for a browser, once nobody is signed in', async () => {
    expect((await portal.sendJson(`${actions}/sessions/end-others`, {})).status).toBe(401);
    expect((await portal.ask(page, { headers: { accept: 'text/html' } })).location).toBe(
      '/login?next=%2Fdashboard%2Fsettings%2Fsecurity',
    );
  });
});

describe('the password of a person', () => {
  const change = { current_password: password, password: 'four other words here' };

  test('changes with the one until now, ends the other sessions, and is told by mail', async () => {
    const { user, cookie } = await portal.signedIn({ password });
    const other = await alsoSignedIn(user.id);
    const wrong = await portal.sendForm(
      `${actions}/password`,
      { ...change, current_password: 'wrong' },
      { cookie },
    );
    expect(wrong.location).toBe(page);
    const kept = wrong.answer.headers.getSetCookie().map((set) => set.split(';')[0]);
    expect((await show([cookie, ...kept].join('; '))).text).toContain('This is not your password.');
    expect(await works(other)).toBe(true);
    const right = await portal.sendJson(`${actions}/password`, change, { cookie });
    expect(JSON.parse(right.text)).toEqual({ ok: true });
    expect([await works(cookie), await works(other)]).toEqual([true, false]);
    const mails = await portal.mails();
    expect(mails.findLast(({ to }) => to === user.email)?.kind).toBe('password_changed');
    const login = (given: string) => portal.sendJson('/auth/login', { email: user.email, password: given });
    expect([(await login(password)).status, (await login(change.password)).status]).toEqual([401, 200]);
  });

  test('of who has none is made without', async () => {
    const { user, cookie } = await portal.signedIn();
    expect((await show(cookie)).text).not.toContain('name="current_password"');
    const made = await portal.sendJson(`${actions}/password`, { password }, { cookie });
    expect(made.status).toBe(200);
    expect((await portal.sendJson('/auth/login', { email: user.email, password })).status).toBe(200);
    expect((await portal.sendJson(`${actions}/password`, { password }, { cookie })).status).toBe(422);
  });
});

describe('the first sign-in link', () => {
  test('leads its owner to a password and the name of the organisation, once', async () => {
    const owner = await portal.newUser({ role: 'platform_owner' });
    const { secret } = await portal.write(issueToken, 'sign_in', owner.id);
    const used = await portal.sendForm(`/sign-in/${secret}`, {});
    expect([used.status, used.location]).toEqual([303, '/welcome']);
    const cookie = used.answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const headers = { accept: 'text/html', cookie };
    for (const language of languages) {
      const { text } = await portal.ask('/welcome', { headers: { ...headers, 'accept-language': language } });
      expect(text).toContain(owner.email);
      expect(text).not.toMatch(/undefined|\[object|NaN/);
    }
    const nameless = await portal.sendJson('/welcome', { password }, { cookie });
    expect([nameless.status, Object.keys(JSON.parse(nameless.text).fields)]).toEqual([422, ['organisation']]);
    const short = await portal.sendJson('/welcome', { organisation: 'Mills', password: 'short' }, { cookie });
    expect(short.status).toBe(422);
    const settled = await portal.sendForm('/welcome', { organisation: 'Mills <b>', password }, { cookie });
    expect([settled.status, settled.location]).toEqual([303, '/dashboard']);
    const { organisationId = null } = (await findUser(everybody, storage.db, owner.id)) ?? {};
    const organisation = await findOrganisation(everybody, storage.db, organisationId ?? 0);
    expect(organisation?.name).toBe('Mills <b>');
    const dashboard = await portal.ask('/dashboard', { headers });
    expect(dashboard.text).toContain('Mills &lt;b&gt;');
    expect(dashboard.text).not.toContain('<b>');
    expect((await portal.sendJson('/welcome', { organisation: 'B', password }, { cookie })).status).toBe(409);
    expect((await portal.ask('/welcome', { headers })).location).toBe('/dashboard');
    expect((await portal.sendJson('/auth/login', { email: owner.email, password })).status).toBe(200);
  });

  test('403 for everybody who is not the owner', async () => {
    const { cookie } = await portal.signedIn({ role: 'platform_admin' });
    expect((await portal.sendJson('/welcome', { organisation: 'B', password }, { cookie })).status).toBe(403);
  });
});

test.each([
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
    'Edge · Windows',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/605.1.15',
    'Safari · macOS',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1',
    'Chrome · iPhone',
  ],
  [
    'Mozilla/5.0 (Linux; Android 16; SM-S931B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0 Mobile Safari/537.36',
    'Samsung Internet · Android',
  ],
  ['curl/8.14.1', 'curl'],
  ['', undefined],
  [null, undefined],
  [`${'Version/1 '.repeat(30)}`, 'Version'],
])('%j is shown as %p', (userAgent, device) => {
  expect(deviceOf(userAgent)).toBe(device);
});
