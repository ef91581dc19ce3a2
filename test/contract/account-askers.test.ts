/** Who may ask the account API 2.0, and how they say who they are. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { systemIds } from '../../src/base/ids.ts';
import { everybody, onlyOf } from '../../src/base/scope.ts';
import {
  acceptLegal,
  createKey,
  createUser,
  makeKey,
  rotateKey,
  startSession,
  type User,
} from '../../src/identity/index.ts';
import { keyFields } from '../../src/identity/key.ts';
import { signedInBy } from '../../src/identity/testing/signed-in-by.ts';
import { openLegalTexts } from '../../src/portal/index.ts';
import { users } from '../../src/storage/schema/identity.ts';
import { sessions, totpSecrets } from '../../src/storage/schema/sign-in.ts';
import { type AskApi, askApiAs, basicOf, readApiErrors, readApiList } from '../support/account-client.ts';
import { startTestSluice, type TestSluice } from '../support/sluice.ts';
import { type Write, within, writerOn } from '../support/writing.ts';

const contactsPath = '/api/2.0/notification_contacts/';
const password = 'a long enough password';

let sluice: TestSluice;
let write: Write;
let people = 0;
beforeAll(async () => {
  sluice = await startTestSluice();
  const { storage, clock } = sluice.running.services;
  write = writerOn({ storage, clock, ids: systemIds });
});
afterAll(() => sluice.stop());

async function newPerson(): Promise<{ user: User; ask: AskApi }> {
  people += 1;
  const email = `asker-${people}@example.test`;
  const user = await write(createUser, { email, role: 'member', password });
  return { user, ask: askApiAs(sluice.url, basicOf(email, password)) };
}
const nobody = (): AskApi => askApiAs(sluice.url, null);
const db = () => sluice.running.services.storage.db;

describe('who asks', () => {
  test('nobody is asked for Basic or Bearer', async () => {
    for (const authorization of [
      null,
      'Digest username="a"',
      'Basic',
      'Basic !!!',
      'Basic YWJj',
      'Bearer nonsense',
      'Bearer ',
    ]) {
      const refused = await askApiAs(sluice.url, authorization)(contactsPath);
      expect([authorization, refused.status]).toEqual([authorization, 401]);
      expect(readApiErrors(refused)[0]?.error_type).toBe('permission');
      expect(refused.headers.get('www-authenticate')).toMatch(
        /^Basic realm="[^"]+", charset="UTF-8", Bearer realm="[^"]+"$/,
      );
    }
  });

  test('a password lets in; a changed one, a suspension and a second factor do not, at once', async () => {
    const { user, ask } = await newPerson();
    const { url } = sluice;
    expect((await ask(contactsPath)).status).toBe(200);
    expect((await askApiAs(url, basicOf(user.email.toUpperCase(), password))(contactsPath)).status).toBe(200);
    expect((await askApiAs(url, basicOf(user.email, 'wrong'))(contactsPath)).status).toBe(401);
    const change = (values: Partial<typeof users.$inferInsert>) =>
      db().update(users).set(values).where(eq(users.id, user.id));
    for (const [status, word] of [
      ['suspended', 'suspended'],
      ['archived', 'closed'],
      ['unverified', 'confirmed'],
    ] as const) {
      await change({ status });
      const refused = await ask(contactsPath);
      expect([status, refused.status]).toEqual([status, 403]);
      expect(readApiErrors(refused)[0]).toMatchObject({
        error_type: 'permission',
        error_message: expect.stringContaining(word),
      });
    }
    await change({ status: 'active' });
    await db()
      .insert(totpSecrets)
      .values({ userId: user.id, sealedSecret: 's', confirmedAt: new Date(0) });
    const refused = await ask(contactsPath);
    expect(refused.status).toBe(403);
    expect(readApiErrors(refused)[0]?.error_message).toContain('scope `account`');
    await db().delete(totpSecrets).where(eq(totpSecrets.userId, user.id));
    await change({
      passwordHash: await Bun.password.hash('another long password', {
        algorithm: 'argon2id',
        memoryCost: 64,
        timeCost: 1,
      }),
    });
    expect((await ask(contactsPath)).status).toBe(401);
  });

  test('a password is compared once for minutes, also for who asks many times at once', async () => {
    const { ask } = await newPerson();
    // More than may be tried at once: only what was compared counts as a try.
    const answers = await Promise.all(Array.from({ length: 40 }, () => ask(contactsPath)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test('who guesses has to wait, and does not learn whether there is an account', async () => {
    const { user } = await newPerson();
    for (const email of [user.email, 'nobody@example.test']) {
      const guess = askApiAs(sluice.url, basicOf(email, 'a wrong guess'));
      const answers = [];
      for (let count = 0; count < 11; count += 1) answers.push(await guess(contactsPath));
      expect(answers.slice(0, 10).map(({ status }) => status)).toEqual(Array(10).fill(401));
      const [last] = answers.slice(-1);
      if (last === undefined) throw new Error('nothing was asked');
      expect(last.status).toBe(429);
      expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(readApiErrors(last)[0]?.error_type).toBe('backend');
    }
  });

  test('a key with the scope read looks, one with account changes too, one without neither', async () => {
    const { user } = await newPerson();
    const withScopes = async (scopes: ('inference' | 'webchat' | 'read' | 'account')[]) => {
      const fields = keyFields.parse({ ownerId: user.id, name: scopes.join(' '), scopes });
      const { token } = await write(within(onlyOf(user.id), createKey), 'sluice_', fields);
      return askApiAs(sluice.url, `Bearer ${token}`);
    };
    const add = { method: 'POST', json: { objects: [{ email: 'key@example.test' }] } };
    const statuses = async (ask: AskApi) => [
      (await ask(contactsPath)).status,
      (await ask(contactsPath, { method: 'HEAD' })).status,
      (await ask(contactsPath, add)).status,
    ];
    expect(await statuses(await withScopes(['read']))).toEqual([200, 200, 403]);
    expect(await statuses(await withScopes(['account']))).toEqual([200, 200, 201]);
    expect(await statuses(await withScopes(['inference', 'webchat']))).toEqual([403, 403, 403]);
    await db().update(users).set({ status: 'suspended' }).where(eq(users.id, user.id));
    expect(await statuses(await withScopes(['account']))).toEqual([403, 403, 403]);
  });

  test('a key that an administrator made for somebody, or made anew, opens nobody’s account', async () => {
    const { user } = await newPerson();
    const admin = await write(createUser, { email: 'admin@example.test', role: 'platform_admin' });
    const tokenPrefix = 'sluice_';
    const make = (actor: User) =>
      write(within(everybody, makeKey), {
        ...{ actor, tokenPrefix, departmentId: null, projectId: null },
        fields: { ownerId: user.id, name: 'made', scopes: ['read'] },
      });
    const statusOf = async (token: string) =>
      (await askApiAs(sluice.url, `Bearer ${token}`)(contactsPath)).status;
    const [own, given] = [await make(user), await make(admin)];
    expect([await statusOf(own.token), await statusOf(given.token)]).toEqual([200, 403]);
    const rotate = (actor: User, keyId: number) =>
      write(within(everybody, rotateKey), { actor, keyId, tokenPrefix, overlapHours: 0 });
    expect(await statusOf((await rotate(user, given.key.id)).token)).toBe(403);
    expect(await statusOf((await rotate(user, own.key.id)).token)).toBe(200);
    expect(await statusOf((await rotate(admin, own.key.id)).token)).toBe(403);
  });

  test("a session of the portal lets in, and another site's page changes nothing by it", async () => {
    const { user } = await newPerson();
    const { token } = await write(startSession, user.id, signedInBy('password'));
    const cookie = `sluice=${token}`;
    const ask = nobody();
    const refused = await ask(contactsPath, { headers: { cookie } });
    expect([refused.status, readApiErrors(refused)[0]?.error_message]).toEqual([
      403,
      expect.stringContaining('terms'),
    ]);
    await write(within(onlyOf(user.id), acceptLegal), openLegalTexts(null).version);
    expect((await ask(contactsPath, { headers: { cookie } })).status).toBe(200);
    const add = (headers: Record<string, string>) =>
      ask(contactsPath, {
        method: 'POST',
        json: { objects: [{ email: 's@example.test' }] },
        headers: { cookie, ...headers },
      });
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
    ] as Record<string, string>[]) {
      const stopped = await add(headers);
      expect(stopped.status).toBe(403);
      readApiErrors(stopped);
    }
    expect(readApiList(await ask(contactsPath, { headers: { cookie } })).meta.total_count).toBe(1);
    expect((await add({ 'sec-fetch-site': 'same-origin' })).status).toBe(201);
    expect((await add({ origin: sluice.url })).status).toBe(201);
    expect((await ask(contactsPath, { headers: { cookie: 'sluice=nonsense' } })).status).toBe(401);
  });

  test('asking by a session leaves it to pages to move it on, which can tell the browser', async () => {
    const { user } = await newPerson();
    await write(within(onlyOf(user.id), acceptLegal), openLegalTexts(null).version);
    const { token, expiresAt } = await write(startSession, user.id, signedInBy('password'));
    const hourAgo = new Date(expiresAt.getTime() - 3_600_000);
    await db().update(sessions).set({ expiresAt: hourAgo }).where(eq(sessions.userId, user.id));
    const headers = { cookie: `sluice=${token}` };
    expect((await nobody()(contactsPath, { headers })).status).toBe(200);
    const page = await fetch(`${sluice.url}/dashboard/settings`, { headers });
    expect(page.headers.getSetCookie()).toContainEqual(expect.stringMatching(/^sluice=.*Max-Age=6047\d\d/));
  });
});
