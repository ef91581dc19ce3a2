import { beforeEach, describe, expect, spyOn, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import type { TestDatabase } from '../../../test/support/databases.ts';
import { startSession } from '../../identity/index.ts';
import { createOrganisation } from '../../identity/organisations.ts';
import { signedInBy } from '../../identity/testing/signed-in-by.ts';
import { users } from '../../storage/schema/identity.ts';
import { openTestPortal, origin, type TestPortal, withTestPortal } from '../testing/test-portal.ts';

const password = 'four plain words here';
const html = { accept: 'text/html' };

let storage: TestDatabase;
let portal: TestPortal;
withTestPortal((opened) => {
  ({ storage, portal } = opened);
});
beforeEach(() => portal.setNowMs(portal.nowMs() + 24 * 3_600_000));

const works = async (cookie: string) =>
  (await portal.ask('/api/legal/status', { headers: { cookie } })).status === 200;
const sessionIn = (answer: Response) =>
  answer.headers
    .getSetCookie()
    .find((set) => set.startsWith('sluice='))
    ?.split(';')[0] ?? '';

describe('session ids', () => {
  test('that somebody else put into the browser are not taken over by signing in', async () => {
    const user = await portal.newUser({ password });
    const credentials = { email: user.email, password };
    const invented = await portal.sendForm('/auth/login', credentials, {
      cookie: `sluice=${'a'.repeat(43)}`,
    });
    expect(sessionIn(invented.answer)).not.toContain('aaaa');
    const attacker = await portal.signedIn();
    const fixed = await portal.sendForm('/auth/login', credentials, { cookie: attacker.cookie });
    expect(sessionIn(fixed.answer)).not.toBe(attacker.cookie);
    expect(await works(attacker.cookie)).toBe(false);
    expect(await works(sessionIn(fixed.answer))).toBe(true);
  });

  test('that were stolen are worth nothing after signing out, and a session is no password', async () => {
    const { cookie } = await portal.signedIn({ password });
    const change = { password: 'a password of the thief' };
    expect((await portal.sendJson('/dashboard/settings/password', change, { cookie })).status).toBe(422);
    await portal.ask('/logout', { headers: { ...html, cookie } });
    expect(await works(cookie)).toBe(false);
  });

  test.each(['', 'x', 'x'.repeat(5000), '%00', '"; DROP TABLE', 'a=b; sluice='])(
    'of nobody are refused: %j',
    async (token) => {
      expect(await works(`sluice=${token}`)).toBe(false);
    },
  );
});

describe('addresses to go on to', () => {
  test.each([
    'https://evil.test',
    '//evil.test',
    '/\\evil.test',
    '/\t/evil.test',
    'javascript:alert(1)',
    '\u0000/evil',
    '/a\r\nset-cookie: b=c',
    ' //evil.test',
  ])('lead nowhere else: %j', async (next) => {
    const user = await portal.newUser({ password });
    const login = await portal.sendForm('/auth/login', { email: user.email, password, next });
    expect([login.status, login.location]).toEqual([303, '/dashboard']);
    const cookie = sessionIn(login.answer);
    const program = await portal.sendJson('/auth/login', { email: user.email, password, next });
    expect(JSON.parse(program.text).next).toBe('/dashboard');
    const accept = await portal.sendForm('/api/legal/accept', { next }, { cookie });
    expect(accept.location).toBe('/dashboard');
    expect((await portal.sendForm('/set-language', { language: 'en', next })).location).toBe('/');
    const query = new URLSearchParams({ next });
    expect((await portal.ask(`/login?${query}`, { headers: { ...html, cookie } })).location).toBe(
      '/dashboard',
    );
    expect((await portal.ask(`/legal/accept?${query}`, { headers: { ...html, cookie } })).location).toBe(
      '/dashboard',
    );
    expect((await portal.ask(`/login?${query}`, { headers: html })).text).not.toContain('name="next"');
  });
});

describe('hosts that the request names', () => {
  test('do not come into mails: a link with a secret leads nowhere else', async () => {
    const user = await portal.newUser({ password });
    const before = (await portal.mails()).length;
    const send = async (host: string) => {
      const answer = await portal.app.request(`http://${host}/auth/forgot-password`, {
        method: 'POST',
        body: JSON.stringify({ email: user.email }),
        headers: { 'content-type': 'application/json' },
      });
      return answer.status;
    };
    for (const host of ['evil.example', '203.0.113.9', 'localhost.evil.example', '127.0.0.1.evil.example']) {
      expect(await send(host)).toBe(500);
    }
    expect((await portal.mails()).length).toBe(before);
  });

  test('keep nobody from changing a password, of which no mail can tell there', async () => {
    const { user, cookie } = await portal.signedIn({ password });
    const before = (await portal.mails()).length;
    const changed = { current_password: password, password: 'four other plain words' };
    const answer = await portal.app.request('http://ai.example.com:3000/dashboard/settings/password', {
      method: 'POST',
      body: JSON.stringify(changed),
      headers: { 'content-type': 'application/json', cookie },
    });
    expect(answer.status).toBe(200);
    expect((await portal.mails()).length).toBe(before);
    const credentials = { email: user.email, password: changed.password };
    expect((await portal.sendJson('/auth/login', credentials)).status).toBe(200);
  });

  test("nor does a portal's, in mails to people who are not of its organisation", async () => {
    const { id: organisationId } = await portal.write(createOrganisation, { name: 'Pelican' });
    const pelican = { host: 'ai.pelican.example', name: 'Pelican Cloud', accent: null, logo: null };
    const atPelican = await openTestPortal(storage, {
      publicUrl: 'https://sluice.example',
      resellerHosts: {
        find: (host) => (host === pelican.host ? { ...pelican, organisationId } : undefined),
      },
    });
    atPelican.setNowMs(portal.nowMs());
    const [stranger, owner, own] = [
      await portal.newUser({ password }),
      await portal.newUser({ password, role: 'platform_owner' }),
      await portal.newUser({ password }),
    ];
    for (const { id } of [owner, own]) {
      await storage.db.update(users).set({ organisationId }).where(eq(users.id, id));
    }
    for (const [{ email }, host] of [
      [stranger, 'sluice.example'],
      [owner, 'sluice.example'],
      [own, pelican.host],
    ] as const) {
      const asked = await atPelican.app.request(`http://${pelican.host}/auth/forgot-password`, {
        method: 'POST',
        body: JSON.stringify({ email }),
        headers: { 'content-type': 'application/json', host: pelican.host },
      });
      expect(asked.status).toBe(200);
      const mail = (await atPelican.mails()).find(({ to }) => to === email);
      expect(String(mail?.facts['link'])).toStartWith(`https://${host}/reset-password?token=`);
    }
    await atPelican.close();
  });

  test('nor where the address is configured', async () => {
    const behindProxy = await openTestPortal(storage, { publicUrl: 'https://sluice.example' });
    behindProxy.setNowMs(portal.nowMs());
    const user = await portal.newUser({ password });
    const asked = await behindProxy.app.request('http://evil.example/auth/forgot-password', {
      method: 'POST',
      body: JSON.stringify({ email: user.email }),
      headers: { 'content-type': 'application/json' },
    });
    expect(asked.status).toBe(200);
    const mail = (await behindProxy.mails()).find(({ to }) => to === user.email);
    expect(String(mail?.facts['link'])).toStartWith('https://sluice.example/reset-password?token=');
    await behindProxy.close();
  });
});

describe('odd bodies', () => {
  const paths = [
    '/auth/login',
    '/auth/register',
    '/auth/forgot-password',
    '/auth/reset-password',
    '/auth/resend-verification',
    '/verify-email',
    '/set-language',
  ];

  test.each([
    ['400 for what is not JSON', '{"email":', 400],
    ['422 for JSON that is no object', '"x"', 422],
    ['422 for null', 'null', 422],
    ['422 for a list', '[]', 422],
    ['422 for nothing', '', 422],
    ['422 for a prototype', '{"__proto__":{"email":"a@b.test"},"constructor":1}', 422],
    ['413 for too much', JSON.stringify({ email: 'x'.repeat(70_000) }), 413],
    ['422 for much', JSON.stringify({ email: `${'x'.repeat(60_000)}@b.test` }), 422],
  ])('%s', async (_, body, status) => {
    for (const path of paths)
      expect([path, (await portal.sendJson(path, body)).status]).toEqual([path, status]);
  });

  test('deep JSON is an answer and not a crash', async () => {
    const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
    for (const path of paths) {
      const { status } = await portal.sendJson(path, deep);
      expect([400, 422]).toContain(status);
    }
  });

  test('400 for another type of content, and 403 from a page of another site', async () => {
    for (const path of paths) {
      expect((await portal.sendJson(path, '<a/>', { 'content-type': 'text/xml' })).status).toBe(400);
      const foreign = { 'sec-fetch-site': 'cross-site' };
      expect((await portal.sendJson(path, {}, foreign)).status).toBe(403);
      expect((await portal.sendForm(path, {}, { origin: 'https://evil.test' })).status).toBe(403);
    }
  });
});

test('10,000 wrong passwords cost sixty comparisons, and their owner signs in afterwards', async () => {
  const user = await portal.newUser({ password });
  // They are counted here, and need not be paid for.
  const verify = spyOn(Bun.password, 'verify').mockResolvedValue(false);
  const statuses = new Map<number, number>();
  try {
    for (let sent = 0; sent < 10_000; sent += 100) {
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          portal.app.request(`${origin}/auth/login`, {
            method: 'POST',
            body: JSON.stringify({
              email: sent % 2 === 0 ? `guess-${index}@example.test` : user.email,
              password: 'wrong',
            }),
            headers: { 'content-type': 'application/json' },
          }),
        ),
      );
      for (const { status, headers } of answers) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status === 429) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      }
    }
    expect(Object.fromEntries(statuses)).toEqual({ 401: 60, 429: 9_940 });
    expect(verify).toHaveBeenCalledTimes(60);
  } finally {
    verify.mockRestore();
  }
  portal.setNowMs(portal.nowMs() + 5_000);
  expect((await portal.sendJson('/auth/login', { email: user.email, password })).status).toBe(200);
}, 60_000);

test('a session that another person’s browser has does not show who else is signed in where', async () => {
  const [one, other] = [await portal.signedIn(), await portal.signedIn()];
  await portal.write(startSession, other.user.id, signedInBy('password', { address: '203.0.113.77' }));
  const { text } = await portal.ask('/dashboard/settings', { headers: { ...html, cookie: one.cookie } });
  expect(text).not.toContain('203.0.113.77');
  expect(text).not.toContain(other.user.email);
});
