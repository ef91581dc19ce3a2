import { describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import type { TestDatabase } from '../../../test/support/databases.ts';
import { issueToken } from '../../identity/index.ts';
import { notificationEvents } from '../../storage/schema/events.ts';
import { users } from '../../storage/schema/identity.ts';
import { type TestPortal, withTestPortal } from '../testing/test-portal.ts';

const password = 'four plain words here';
const dayMs = 24 * 3_600_000;
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

let storage: TestDatabase;
let portal: TestPortal;
withTestPortal((opened) => {
  ({ storage, portal } = opened);
});

/** What the browser keeps of an answer. */
const keptOf = (answer: Response): string =>
  answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');

async function signIn(email: string, cookie = '', site = portal, userAgent = firefox) {
  const headers = { 'user-agent': userAgent, ...(cookie === '' ? {} : { cookie }) };
  const { answer, status } = await site.sendJson('/auth/login', { email, password }, headers);
  expect(status).toBe(200);
  return keptOf(answer);
}

const toldOf = async (email: string) =>
  (await portal.mails()).filter((mail) => mail.to === email && mail.kind === 'new_sign_in');

async function newPerson(language: string) {
  const user = await portal.newUser({ password });
  await storage.db.update(users).set({ language }).where(eq(users.id, user.id));
  return user;
}

const raisedFor = async (userId: number) =>
  (await storage.db.select().from(notificationEvents).orderBy(notificationEvents.id)).filter(
    ({ kind, audienceId }) => kind === 'account.new_browser' && audienceId === userId,
  );

describe('a sign-in', () => {
  test('is told by mail from the second browser on, in the language of the account', async () => {
    const { id, email } = await newPerson('fr');
    const first = await signIn(email);
    expect(await toldOf(email)).toEqual([]);
    await signIn(email, first);
    expect(await toldOf(email)).toEqual([]);
    await signIn(email);
    const [told, ...others] = await toldOf(email);
    expect(others).toEqual([]);
    expect(told).toMatchObject({ language: 'fr', facts: { device: 'Firefox · Linux' } });
    // Webhooks are told of it too, once as well.
    expect(await raisedFor(id)).toMatchObject([
      { audience: 'account', facts: { device: 'Firefox · Linux', address: told?.facts['address'] } },
    ]);
    expect(String(told?.facts['sessionsLink'])).toEndWith('/dashboard/settings/security');
  });

  test('from a browser that knows somebody else is told, and the browser knows both then', async () => {
    const [one, other] = [await newPerson('en'), await newPerson('en')];
    const ones = await signIn(one.email);
    await signIn(other.email);
    const both = await signIn(other.email, ones.replace(/sluice=[^;]*(; )?/, ''));
    expect(await toldOf(other.email)).toHaveLength(1);
    await signIn(one.email, both.replace(/sluice=[^;]*(; )?/, ''));
    expect(await toldOf(one.email)).toEqual([]);
  });

  test('is told by the first 300 characters of what a browser says of itself, whose length is its own choice', async () => {
    const { email } = await newPerson('en');
    await signIn(email);
    await signIn(email, '', portal, `${'x'.repeat(300)} ${firefox}`);
    expect(await toldOf(email)).toMatchObject([{ facts: { device: '–' } }]);
  });

  test('is told where the browser shows a word that was not sealed here', async () => {
    const { email } = await newPerson('en');
    await signIn(email);
    await signIn(email, 'sluice-known=v1.forged');
    expect(await toldOf(email)).toHaveLength(1);
  });

  test('is told anew where the password was changed or reset since the browser was known', async () => {
    const { id, email } = await newPerson('en');
    const stolen = (await signIn(email)).replace(/sluice=[^;]*(; )?/, '');
    await signIn(email, stolen);
    expect(await toldOf(email)).toEqual([]);
    const { secret } = await portal.write(issueToken, 'reset_password', id, { email });
    await portal.sendJson('/auth/reset-password', { token: secret, password });
    const known = await signIn(email, stolen);
    expect(await toldOf(email)).toHaveLength(1);
    await signIn(email, known.replace(/sluice=[^;]*(; )?/, ''));
    expect(await toldOf(email)).toHaveLength(1);
  });

  test('is not kept from a browser that knows who it is by strangers who guess', async () => {
    const { email } = await newPerson('en');
    const known = (await signIn(email)).replace(/sluice=[^;]*(; )?/, '');
    const guess = () => portal.sendJson('/auth/login', { email, password: 'a wrong guess' });
    for (let guessed = 0; guessed < 10; guessed += 1) expect((await guess()).status).toBe(401);
    expect((await portal.sendJson('/auth/login', { email, password })).status).toBe(429);
    await signIn(email, known);
  });

  test('is told anew after a year, and where the browser’s word has no time', async () => {
    const { id, email } = await newPerson('en');
    const known = (await signIn(email)).replace(/sluice=[^;]*(; )?/, '');
    const { envelope } = portal.services;
    const old = await envelope.seal(JSON.stringify({ kind: 'known browser', people: [id] }));
    await signIn(email, `sluice-known=${encodeURIComponent(old)}`);
    expect(await toldOf(email)).toHaveLength(1);
    portal.setNowMs(portal.nowMs() + 364 * dayMs);
    await signIn(email, known);
    expect(await toldOf(email)).toHaveLength(1);
    portal.setNowMs(portal.nowMs() + dayMs);
    await signIn(email, known);
    expect(await toldOf(email)).toHaveLength(2);
  });

  test('that follows from a reset is told once, by the mail about the password', async () => {
    const { id, email } = await newPerson('en');
    await signIn(email);
    const { secret } = await portal.write(issueToken, 'reset_password', id, { email });
    const next = 'four other words here';
    const reset = await portal.sendJson('/auth/reset-password', { token: secret, password: next });
    expect(reset.status).toBe(200);
    const kinds = (await portal.mails()).filter(({ to }) => to === email).map(({ kind }) => kind);
    expect(kinds).toEqual(['password_changed']);
    // The browser is known from then on.
    const cookie = keptOf(reset.answer).replace(/sluice=[^;]*(; )?/, '');
    const again = await portal.sendJson('/auth/login', { email, password: next }, { cookie });
    expect([again.status, await toldOf(email)]).toEqual([200, []]);
  });

  test('that fails is told to nobody, and leaves the browser as it was', async () => {
    const { email } = await newPerson('en');
    await signIn(email);
    const { answer, status } = await portal.sendJson('/auth/login', { email, password: 'another one' });
    expect([status, keptOf(answer)]).toEqual([401, '']);
    expect(await toldOf(email)).toEqual([]);
  });
});
