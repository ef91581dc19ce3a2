import { beforeEach, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import type { TestDatabase } from '../../../test/support/databases.ts';
import { listActivity } from '../../audit/index.ts';
import { everybody } from '../../base/scope.ts';
import { findUserByEmail } from '../../identity/index.ts';
import { upsertManagedKey } from '../../identity/keys.ts';
import { createOrganisation } from '../../identity/organisations.ts';
import { mintToken } from '../../identity/token.ts';
import { findUser } from '../../identity/users.ts';
import { removeBudget, setBudget } from '../../ledger/index.ts';
import { apiKeys } from '../../storage/schema/api-keys.ts';
import { auditEntries } from '../../storage/schema/audit.ts';
import { notificationContacts } from '../../storage/schema/contacts.ts';
import { organisations, users } from '../../storage/schema/identity.ts';
import { languages } from '../languages/language.ts';
import { type TestPortal, withTestPortal } from '../testing/test-portal.ts';

const password = 'four plain words here';
const page = '/dashboard/settings/data';
const path = '/dashboard/settings/delete';
const html = { accept: 'text/html' };

let storage: TestDatabase;
let portal: TestPortal;
let leftNanoUsd = 0n;
withTestPortal(
  (opened) => {
    ({ storage, portal } = opened);
  },
  { changes: { wallets: { available: async () => leftNanoUsd } } },
);
beforeEach(() => {
  leftNanoUsd = 0n;
  portal.setNowMs(portal.nowMs() + 3_600_000);
});

const later = () => portal.setNowMs(portal.nowMs() + 600_000);
const remove = (cookie: string, body: object) => portal.sendJson(path, body, { cookie });
const show = (cookie: string, headers: Record<string, string> = {}) =>
  portal.ask(page, { headers: { ...html, cookie, ...headers } });

describe('an account', () => {
  test('is deleted by its typed address and its password, and a mail says so', async () => {
    const { user, cookie } = await portal.signedIn({ password, name: 'Ada' });
    later();
    const fields = { email: ` ${user.email.toUpperCase()} `, current_password: password };
    const sent = await portal.sendForm(path, fields, { cookie });
    expect([sent.status, sent.location]).toEqual([303, '/']);
    expect(sent.answer.headers.getSetCookie().join()).toMatch(/sluice=;.*Max-Age=0/);
    expect(await findUser(everybody, storage.db, user.id)).toBeUndefined();
    expect(await findUserByEmail(storage.db, user.email)).toBeUndefined();
    // What other rooms keep goes along.
    expect(await storage.db.$count(notificationContacts, eq(notificationContacts.userId, user.id))).toBe(0);
    const told = (await portal.mails()).filter(({ to }) => to === user.email);
    expect(told.map(({ kind }) => kind)).toEqual(['account_deleted']);
    expect((await show(cookie)).location).toStartWith('/login');
    const login = await portal.sendJson('/auth/login', { email: user.email, password });
    expect(login.status).toBe(401);
    // Whoever owns the address can begin anew.
    await portal.newUser({ email: user.email });
    const entries = await storage.db.select().from(auditEntries).where(eq(auditEntries.userId, user.id));
    expect(entries.map(({ action }) => action)).toContain('account.deleted');
    expect(JSON.stringify(entries.map(({ personal }) => personal))).not.toMatch(/example\.test|Mozilla/);
  });

  test('stays without a proof, with a wrong one and for another address', async () => {
    const { user, cookie } = await portal.signedIn({ password });
    const other = await portal.newUser();
    expect((await remove(cookie, { email: other.email })).status).toBe(422);
    later();
    expect((await remove(cookie, { email: user.email })).status).toBe(403);
    for (const wrong of [
      { email: user.email, current_password: 'wrong' },
      { email: other.email, current_password: password },
      { email: '', current_password: password },
      { email: [user.email], current_password: password },
      { current_password: password },
      {},
    ]) {
      expect([403, 422]).toContain((await remove(cookie, wrong)).status);
    }
    expect((await remove('', { email: user.email })).status).toBe(401);
    expect(await findUser(everybody, storage.db, user.id)).toBeDefined();
    expect(await findUser(everybody, storage.db, other.id)).toBeDefined();
  });

  test('is not guessed at by who sits at an open browser: 429', async () => {
    const { user, cookie } = await portal.signedIn({ password });
    later();
    const statuses = [];
    for (let count = 0; count < 11; count += 1) {
      statuses.push((await remove(cookie, { email: user.email, current_password: `no ${count}` })).status);
    }
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(422));
    expect(statuses[10]).toBe(429);
  });

  test('of who has no password needs a new sign-in, which the page leads to', async () => {
    const { user, cookie } = await portal.signedIn();
    later();
    const { text } = await show(cookie);
    expect(text).toContain('/login?again=1&amp;next=%2Fdashboard%2Fsettings%2Fdata');
    expect(text).not.toContain(`action="${path}"><button`);
    expect((await remove(cookie, { email: user.email })).status).toBe(403);
    const again = await portal.signedIn();
    expect((await remove(again.cookie, { email: again.user.email })).status).toBe(200);
  });

  test('says in every language what is left in the wallet', async () => {
    const { cookie } = await portal.signedIn();
    leftNanoUsd = 12_340_000_000n;
    for (const language of languages) {
      const { status, text } = await show(cookie, { 'accept-language': language });
      expect(status).toBe(200);
      expect(text).toMatch(/12[.,]34/);
      expect(text).not.toMatch(/undefined|\[object|NaN/);
    }
    leftNanoUsd = -5n;
    expect((await show(cookie)).text).not.toContain('in your wallet');
  });

  test('409 for the last owner of the platform, and not for one of two', async () => {
    const first = await portal.signedIn({ role: 'platform_owner' });
    const refused = await remove(first.cookie, { email: first.user.email });
    expect([refused.status, JSON.parse(refused.text)]).toMatchObject([
      409,
      { fields: { email: 'You are the last owner of this platform. Make somebody else an owner first.' } },
    ]);
    expect((await show(first.cookie)).text).toContain('You are the last owner of this platform.');
    const second = await portal.signedIn({ role: 'platform_owner' });
    const both = await Promise.all(
      [first, second].map(({ user, cookie }) => remove(cookie, { email: user.email })),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  test('409 for who pays for others, and not once nobody else is there', async () => {
    const { id: organisationId } = await portal.write(createOrganisation, { name: 'Mills' });
    const payer = await portal.signedIn();
    const member = await portal.newUser();
    for (const { id } of [payer.user, member]) {
      await storage.db.update(users).set({ organisationId }).where(eq(users.id, id));
    }
    const pays = { billingUserId: payer.user.id };
    await storage.db.update(organisations).set(pays).where(eq(organisations.id, organisationId));
    expect((await remove(payer.cookie, { email: payer.user.email })).status).toBe(409);
    expect((await show(payer.cookie, { 'accept-language': 'de' })).text).toContain('bezahlt für andere');
    await storage.db.update(users).set({ organisationId: null }).where(eq(users.id, member.id));
    expect((await remove(payer.cookie, { email: payer.user.email })).status).toBe(200);
    const [left] = await storage.db.select().from(organisations).where(eq(organisations.id, organisationId));
    expect(left?.billingUserId).toBeNull();
  });

  test('of an organisation is told in the activity of that, as somebody who is gone', async () => {
    const { id: organisationId } = await portal.write(createOrganisation, { name: 'Weirs' });
    const { user, cookie } = await portal.signedIn();
    await storage.db.update(users).set({ organisationId }).where(eq(users.id, user.id));
    expect((await remove(cookie, { email: user.email })).status).toBe(200);
    const { entries } = await listActivity({ whose: 'organisation', organisationId }, storage.db);
    expect(entries).toMatchObject([{ action: 'account.deleted', actorEmail: null }]);
  });

  test('409 for one of the configuration file', async () => {
    const { user, cookie } = await portal.signedIn();
    await storage.db.update(users).set({ managedBy: 'file' }).where(eq(users.id, user.id));
    expect((await remove(cookie, { email: user.email })).status).toBe(409);
    expect((await show(cookie)).text).not.toContain('name="email"');
  });

  test('409 for whom the configuration file names as the owner of a key, until it names that no more, or of a budget', async () => {
    const { user, cookie } = await portal.signedIn();
    const managedBy = 'file' as const;
    const subject = { kind: 'user', id: user.id } as const;
    const token = mintToken(portal.services.ids, 'sluice_');
    const { key } = await portal.write(upsertManagedKey, 'sluice_', {
      ...{ ownerId: user.id, name: 'ci', managedBy, token },
    });
    const refused = await remove(cookie, { email: user.email });
    expect([refused.status, JSON.parse(refused.text).fields.email]).toEqual([
      409,
      expect.stringContaining('configuration file'),
    ]);
    // The file names the owner of a revoked key all the same.
    await storage.db.update(apiKeys).set({ revokedAt: new Date() }).where(eq(apiKeys.id, key.id));
    expect((await remove(cookie, { email: user.email })).status).toBe(409);
    await storage.db.update(apiKeys).set({ managedBy: null }).where(eq(apiKeys.id, key.id));
    await portal.write(setBudget, { subject, period: 'daily', limitNanoUsd: 5n, managedBy });
    expect((await remove(cookie, { email: user.email })).status).toBe(409);
    expect((await show(cookie)).text).not.toContain('name="email"');
    await portal.write(removeBudget, { subject, period: 'daily' });
    expect((await remove(cookie, { email: user.email })).status).toBe(200);
  });
});
