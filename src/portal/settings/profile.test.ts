import { beforeEach, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import type { TestDatabase } from '../../../test/support/databases.ts';
import { everybody } from '../../base/scope.ts';
import { findUser } from '../../identity/users.ts';
import { setBudget } from '../../ledger/index.ts';
import { users } from '../../storage/schema/identity.ts';
import { languages } from '../languages/language.ts';
import { type TestPortal, withTestPortal } from '../testing/test-portal.ts';

const password = 'four plain words here';
const page = '/dashboard/settings';
const displayName = `${page}/display-name`;
const html = { accept: 'text/html' };

let storage: TestDatabase;
let portal: TestPortal;
withTestPortal((opened) => {
  ({ storage, portal } = opened);
});
// So that no allowance of a test before is missed.
beforeEach(() => portal.setNowMs(portal.nowMs() + 3_600_000));

const find = (id: number) => findUser(everybody, storage.db, id);
const later = () => portal.setNowMs(portal.nowMs() + 600_000);

describe('the profile of a person', () => {
  test('is shown on its page in every language, and says nothing twice', async () => {
    const { cookie } = await portal.signedIn({ name: 'Ada <b>', password });
    later();
    for (const language of languages) {
      const { status, text } = await portal.ask(page, {
        headers: { ...html, cookie, 'accept-language': language },
      });
      expect(status).toBe(200);
      expect(text).toContain('value="Ada &lt;b&gt;"');
      expect(text).not.toMatch(/undefined|\[object|NaN|<b>/);
      const ids = [...text.matchAll(/<(?:input|select)[^>]* id="([^"]+)"/g)].map(([, id]) => id);
      expect(new Set(ids).size).toBe(ids.length);
    }
  });

  test('is saved as a whole by a form, and in part by a program: what is not given stays', async () => {
    const { user, cookie } = await portal.signedIn({ name: 'Ada' });
    const fields = { name: ' Ada L. ', language: 'fr', theme: 'dark' };
    const sent = await portal.sendForm(page, fields, { cookie });
    expect([sent.status, sent.location]).toEqual([303, page]);
    const kept = sent.answer.headers.getSetCookie().join();
    expect(kept).toContain('sluice-theme=dark');
    expect(kept).toContain('sluice-language=fr');
    expect(decodeURIComponent(kept)).toContain('Votre profil est enregistré.');
    expect(await find(user.id)).toMatchObject({ name: 'Ada L.', language: 'fr' });
    const part = await portal.sendJson(page, { name: '' }, { cookie });
    expect(JSON.parse(part.text)).toEqual({ ok: true, name: '', language: 'fr', theme: 'system' });
    expect(await find(user.id)).toMatchObject({ name: '', language: 'fr' });
    const nothing = await portal.sendJson(page, {}, { cookie });
    expect(nothing.status).toBe(200);
    const theme = await portal.sendJson(
      page,
      { theme: 'system' },
      { cookie: `${cookie}; sluice-theme=dark` },
    );
    expect(JSON.parse(theme.text)).toMatchObject({ theme: 'system' });
    expect(theme.answer.headers.getSetCookie().join()).toMatch(/sluice-theme=;.*Max-Age=0/);
  });

  test.each([
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ name: 'a\u0000b' }, 'name'],
    [{ name: 'a\r\nBcc: b' }, 'name'],
    [{ name: ['a'] }, 'name'],
    [{ language: 'xx' }, 'language'],
    [{ language: '' }, 'language'],
    [{ theme: 'neon' }, 'theme'],
    [{ theme: { $gt: '' } }, 'theme'],
  ])('422 for %j, and nothing of the rest is saved', async (wrong, field) => {
    const { user, cookie } = await portal.signedIn({ name: 'Ada' });
    const refused = await portal.sendJson(page, { name: 'Other', theme: 'dark', ...wrong }, { cookie });
    expect([refused.status, Object.keys(JSON.parse(refused.text).fields)]).toEqual([422, [field]]);
    expect(refused.answer.headers.getSetCookie().join()).not.toContain('sluice-theme');
    expect((await find(user.id))?.name).toBe('Ada');
  });
});

describe('the display name', () => {
  const save = (cookie: string, body: unknown) => portal.sendJson(displayName, body, { cookie });

  test('is any object, answered as it is stored, in place of the one before', async () => {
    const { user, cookie } = await portal.signedIn();
    const given = {
      display_name: 'Ada',
      avatar: { shape: 'round', colours: ['#fff', null, 1.5] },
      ключ: true,
    };
    const saved = await save(cookie, given);
    expect(JSON.parse(saved.text)).toEqual({ ok: true, display_name: given });
    expect((await find(user.id))?.name).toBe('Ada');
    const next = await save(cookie, { nick: '<script>' });
    expect(JSON.parse(next.text)).toEqual({ ok: true, display_name: { nick: '<script>' } });
    expect((await find(user.id))?.name).toBe('Ada');
    const [row] = await storage.db.select().from(users).where(eq(users.id, user.id));
    expect(row?.displayName).toEqual({ nick: '<script>' });
    const emptied = await save(cookie, {});
    expect(JSON.parse(emptied.text)).toEqual({ ok: true, display_name: {} });
  });

  const nested = (levels: number): unknown => (levels === 0 ? 'x' : { a: nested(levels - 1) });
  test.each([
    ['a list', '[]', 422],
    ['null', 'null', 422],
    ['a text', '"Ada"', 422],
    ['no JSON', '{', 400],
    ['too many levels', JSON.stringify(nested(9)), 422],
    ['very many levels', `${'{"a":'.repeat(2600)}1${'}'.repeat(2600)}`, 422],
    ['more bytes than are kept', JSON.stringify({ a: 'x'.repeat(9000) }), 422],
    ['more bytes than are read', JSON.stringify({ a: 'x'.repeat(20_000) }), 413],
    ['a NUL in a text', '{"a":"\\u0000"}', 422],
    ['a NUL in a name', '{"\\u0000":1}', 422],
    ['half a character', '{"a":["\\ud800"]}', 422],
  ])('is not %s', async (_title, body, status) => {
    const { user, cookie } = await portal.signedIn();
    await save(cookie, { kept: true });
    expect((await save(cookie, body)).status).toBe(status);
    const [row] = await storage.db.select().from(users).where(eq(users.id, user.id));
    expect(row?.displayName).toEqual({ kept: true });
  });

  test('takes what is deep but not too deep, and names that mean something elsewhere', async () => {
    const { cookie } = await portal.signedIn();
    expect((await save(cookie, JSON.stringify(nested(8)))).status).toBe(200);
    const odd = await save(cookie, '{"__proto__":{"polluted":true},"constructor":1,"toString":2}');
    expect(odd.status).toBe(200);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    expect((await portal.sendJson(displayName, {})).status).toBe(401);
  });
});

describe('the e-mail address of a person', () => {
  const ask = (cookie: string, body: object) => portal.sendJson(`${page}/email`, body, { cookie });
  const mailsTo = async (email: string) => (await portal.mails()).filter(({ to }) => to === email);
  const secretTo = async (email: string) =>
    new URL(String((await mailsTo(email)).at(-1)?.facts['link'])).searchParams.get('token') ?? '';
  const confirm = (cookie: string, token: string) =>
    portal.sendJson(`${page}/email/confirm`, { token }, { cookie });

  test('changes once a link that came to the new one is followed, and the old one is told', async () => {
    const { user, cookie } = await portal.signedIn({ password });
    later();
    expect((await ask(cookie, { email: 'new@example.test' })).status).toBe(403);
    const wrong = await ask(cookie, { email: 'new@example.test', current_password: 'wrong' });
    expect([wrong.status, Object.keys(JSON.parse(wrong.text).fields)]).toEqual([422, ['current_password']]);
    const fields = { email: ' New@Example.test ', current_password: password };
    const sent = await portal.sendForm(`${page}/email`, fields, { cookie });
    expect([sent.status, sent.location]).toEqual([303, page]);
    expect((await find(user.id))?.email).toBe(user.email);
    const token = await secretTo('new@example.test');
    for (const language of languages) {
      const headers = { ...html, cookie, 'accept-language': language };
      const { status, text } = await portal.ask(`${page}/email?token=${token}`, { headers });
      expect(status).toBe(200);
      expect(text).toContain('new@example.test');
    }
    expect((await find(user.id))?.email).toBe(user.email);
    const done = await confirm(cookie, token);
    expect(JSON.parse(done.text)).toEqual({ ok: true, email: 'new@example.test' });
    expect((await find(user.id))?.email).toBe('new@example.test');
    expect((await mailsTo(user.email)).map(({ kind }) => kind)).toEqual(['address_changed']);
    const login = (email: string) => portal.sendJson('/auth/login', { email, password });
    expect([(await login(user.email)).status, (await login('new@example.test')).status]).toEqual([401, 200]);
    expect((await confirm(cookie, token)).status).toBe(410);
  });

  test('is asked for without a password right after a sign-in, and by who has none after another one', async () => {
    const { cookie } = await portal.signedIn();
    expect((await ask(cookie, { email: 'fresh@example.test' })).status).toBe(200);
    later();
    expect((await ask(cookie, { email: 'stale@example.test' })).status).toBe(403);
    const { text } = await portal.ask(page, { headers: { ...html, cookie } });
    expect(text).toContain('/login?again=1&amp;next=%2Fdashboard%2Fsettings');
    const again = await portal.ask('/login?again=1&next=%2Fdashboard%2Fsettings', {
      headers: { ...html, cookie },
    });
    expect(again.status).toBe(200);
  });

  test('that somebody has is answered alike, and its owner is told', async () => {
    const owner = await portal.newUser();
    const { user, cookie } = await portal.signedIn();
    const [taken, free] = [
      await ask(cookie, { email: owner.email }),
      await ask(cookie, { email: 'free@example.test' }),
    ];
    expect([taken.status, taken.text]).toEqual([free.status, free.text]);
    expect((await mailsTo(owner.email)).map(({ kind }) => kind)).toEqual(['address_taken']);
    // What cannot be delivered stands in the owner's activity, and never in that of who asked.
    const whose = [...(await mailsTo(owner.email)), ...(await mailsTo('free@example.test'))];
    expect(whose.map(({ accountId }) => accountId)).toEqual([owner.id, null]);
    // Taken between the mail and its link.
    const token = await secretTo('free@example.test');
    await portal.newUser({ email: 'free@example.test' });
    expect((await confirm(cookie, token)).status).toBe(422);
    expect((await find(user.id))?.email).toBe(user.email);
  });

  test('is changed by nobody else’s link, by none that is over, and by none but the newest', async () => {
    const [one, other] = [await portal.signedIn(), await portal.signedIn()];
    await ask(one.cookie, { email: 'first@example.test' });
    const first = await secretTo('first@example.test');
    await ask(one.cookie, { email: 'second@example.test' });
    const second = await secretTo('second@example.test');
    for (const [cookie, token] of [
      [other.cookie, second],
      [one.cookie, first],
      [one.cookie, 'none'],
      [one.cookie, ''],
    ] as const) {
      expect((await confirm(cookie, token)).status).toBe(410);
      const shown = await portal.ask(`${page}/email?token=${token}`, { headers: { ...html, cookie } });
      expect(shown.status).toBe(410);
    }
    portal.setNowMs(portal.nowMs() + 24 * 3_600_000);
    expect((await confirm(one.cookie, second)).status).toBe(410);
    expect((await portal.sendJson(`${page}/email/confirm`, { token: second })).status).toBe(401);
  });

  test('of an account of the configuration file stays, and says who can change it', async () => {
    const { user, cookie } = await portal.signedIn();
    await storage.db.update(users).set({ managedBy: 'file' }).where(eq(users.id, user.id));
    expect((await ask(cookie, { email: 'elsewhere@example.test' })).status).toBe(409);
    const { text } = await portal.ask(page, { headers: { ...html, cookie } });
    expect(text).toContain('only whoever runs this service can change the address');
    expect(text).not.toContain('name="email"');
  });

  test('of whom the configuration file gives a budget stays, too', async () => {
    const { user, cookie } = await portal.signedIn();
    const subject = { kind: 'user', id: user.id } as const;
    const limit = { period: 'daily', limitNanoUsd: 5n, managedBy: 'file' } as const;
    await portal.write(setBudget, { subject, ...limit });
    expect((await ask(cookie, { email: 'elsewhere@example.test' })).status).toBe(409);
    const { text } = await portal.ask(page, { headers: { ...html, cookie } });
    expect(text).not.toContain('name="email"');
  });

  test.each(['', 'nobody', 'a@b\r\nBcc: c@d.example', `${'x'.repeat(250)}@example.test`, 7, null])(
    '422 for %j',
    async (email) => {
      const { cookie } = await portal.signedIn();
      expect((await ask(cookie, { email })).status).toBe(422);
    },
  );

  test('422 for one’s own, and 429 for too many', async () => {
    const { user, cookie } = await portal.signedIn();
    expect((await ask(cookie, { email: user.email })).status).toBe(422);
    const statuses = [];
    for (let count = 0; count < 5; count += 1) {
      statuses.push((await ask(cookie, { email: 'flooded@example.test' })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 429]);
  });
});
