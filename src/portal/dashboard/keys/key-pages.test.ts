import { describe, expect, test } from 'bun:test';
import { and, eq } from 'drizzle-orm';
import { z } from 'zod';
import type { TestDatabase } from '../../../../test/support/databases.ts';
import { setAdminView, type UserRole } from '../../../identity/index.ts';
import { type House, newcomersIn } from '../../../identity/testing/newcomers.ts';
import { apiKeys } from '../../../storage/schema/api-keys.ts';
import { budgets, budgetWindows } from '../../../storage/schema/budgets.ts';
import { projectMembers, projects, users } from '../../../storage/schema/identity.ts';
import { funds } from '../../../storage/schema/ledger.ts';
import { sessions } from '../../../storage/schema/sign-in.ts';
import { insertUsage, requestIdAt } from '../../../usage/testing/insert-usage.ts';
import { sampleRecord } from '../../../usage/testing/sample-record.ts';
import { languages } from '../../languages/language.ts';
import { type TestPortal, withTestPortal } from '../../testing/test-portal.ts';

const path = '/dashboard/keys';
const html = { accept: 'text/html' };

let storage: TestDatabase;
let portal: TestPortal;
let own: House;
withTestPortal(async (opened) => {
  ({ storage, portal } = opened);
  own = await newcomersIn(storage, portal.write).house('own');
});

async function of(role: UserRole) {
  const { user, cookie } = await portal.signedIn({ role });
  await storage.db
    .update(users)
    .set({ organisationId: own.id, departmentId: own.sales })
    .where(eq(users.id, user.id));
  const [session] = await storage.db.select().from(sessions).where(eq(sessions.userId, user.id));
  const look = (adminMode: boolean) =>
    portal.write(setAdminView, session?.id ?? 0, { adminMode, organisationId: null });
  await look(true);
  return { user, cookie, look };
}

const made = z.object({
  ok: z.literal(true),
  token: z.string(),
  key: z.looseObject({ id: z.int(), revision: z.int() }),
});
const create = async (cookie: string, fields: object = {}) => {
  const answer = await portal.sendJson(`${path}/new`, { name: 'one', ...fields }, { cookie });
  expect(answer.status, answer.text).toBe(200);
  return made.parse(JSON.parse(answer.text));
};
const open = (address: string, cookie: string) => portal.ask(address, { headers: { ...html, cookie } });

describe('the pages', () => {
  test('offer another token to who gets one: not of a key whose owner is elsewhere, which can be ended', async () => {
    const lender = await of('member');
    const head = await of('department_admin');
    const { key } = await create(lender.cookie);
    const show = async (cookie: string) => {
      const { status, text } = await open(`${path}/${key.id}`, cookie);
      const offers = ['rotate', 'revoke'].map((what) => text.includes(`id="${what}"`));
      const list = (await open(path, cookie)).text;
      // The list of keys offers the same in the row.
      expect(['#rotate', '#revoke'].map((what) => list.includes(`${path}/${key.id}${what}"`))).toEqual(
        offers,
      );
      expect(list.includes(`action="${path}/${key.id}/disable"`)).toBe(offers[1] === true);
      return [status, ...offers];
    };
    expect(await show(lender.cookie)).toEqual([200, true, true]);
    expect(await show(head.cookie)).toEqual([200, true, true]);
    await storage.db
      .update(apiKeys)
      .set({ organisationId: own.id, departmentId: own.sales })
      .where(eq(apiKeys.id, key.id));
    await storage.db.update(users).set({ departmentId: own.labs }).where(eq(users.id, lender.user.id));
    expect(await show(head.cookie)).toEqual([200, false, true]);
    expect((await portal.sendJson(`${path}/${key.id}/rotate`, {}, { cookie: head.cookie })).status).toBe(403);
    expect(await show(lender.cookie)).toEqual([200, true, true]);
    await storage.db.update(users).set({ role: 'org_admin' }).where(eq(users.id, lender.user.id));
    expect(await show(head.cookie)).toEqual([200, false, false]);
    for (const what of ['disable', 'revoke']) {
      expect((await portal.sendJson(`${path}/${key.id}/${what}`, {}, { cookie: head.cookie })).status).toBe(
        403,
      );
    }
  });

  test('keep a key where it is, also where whoever changes it does not see that place', async () => {
    const { user, cookie } = await of('member');
    const { key } = await create(cookie);
    const [seen, given] = await storage.db
      .insert(projects)
      .values(['Seen', 'Given'].map((name) => ({ organisationId: own.id, name })))
      .returning();
    await storage.db
      .insert(projectMembers)
      .values({ projectId: seen?.id ?? 0, userId: user.id, organisationId: own.id });
    const placed = { organisationId: own.id, projectId: given?.id ?? 0 };
    await storage.db.update(apiKeys).set(placed).where(eq(apiKeys.id, key.id));
    const { text } = await open(`${path}/${key.id}/edit`, cookie);
    const select = /<select[^>]* name="project".*?<\/select>/s.exec(text)?.[0] ?? '';
    expect(select).toContain('Seen');
    expect(select).toMatch(new RegExp(`<option value="${given?.id}" selected`));
  });

  test('are there in every language, and show nothing as markup', async () => {
    const { cookie } = await of('member');
    const name = '<b>"&\u202e名前';
    const { key } = await create(cookie, { name, budget_daily: '1', requests_per_minute: 3, expires: '7' });
    for (const language of languages) {
      for (const page of [
        path,
        `${path}/new`,
        `${path}/new?from=${key.id}`,
        `${path}/${key.id}`,
        `${path}/${key.id}/edit`,
      ]) {
        const answer = await portal.ask(page, { headers: { ...html, cookie, 'accept-language': language } });
        expect([page, answer.status]).toEqual([page, 200]);
        expect(answer.text).not.toContain('<b>"');
      }
    }
  });

  test('a key has left of a budget what is not spent, and leads to the requests that its figures are of', async () => {
    const { cookie, user } = await of('member');
    const { key } = await create(cookie, { name: 'spending', budget_total: '10' });
    const budgetOf = async (fund: { balanceNanoUsd: bigint; leasedNanoUsd: bigint }) => {
      const [row] = await storage.db
        .select()
        .from(budgets)
        .where(and(eq(budgets.subjectKind, 'key'), eq(budgets.subjectId, key.id)));
      const [made] = await storage.db.insert(funds).values(fund).returning();
      const window = { budgetId: row?.id ?? 0, startsAt: new Date(0), fundId: made?.id ?? 0 };
      await storage.db
        .insert(budgetWindows)
        .values({ ...window, limitNanoUsd: 10_000_000_000n })
        .onConflictDoUpdate({
          target: [budgetWindows.budgetId, budgetWindows.startsAt],
          set: { fundId: window.fundId },
        });
      return (await open(`${path}/${key.id}`, cookie)).text;
    };
    const held = await budgetOf({ balanceNanoUsd: 10_000_000_000n, leasedNanoUsd: 2_500_000_000n });
    expect(held).toContain('$10.00 left');
    await budgetOf({ balanceNanoUsd: 40_000_000n, leasedNanoUsd: 0n });
    expect((await open(path, cookie)).text).toContain('99% of $10.00');
    await budgetOf({ balanceNanoUsd: 7_100_000_000n, leasedNanoUsd: 0n });
    expect((await open(path, cookie)).text).toContain('29% of $10.00');
    expect(await budgetOf({ balanceNanoUsd: -30_000_000n, leasedNanoUsd: 0n })).toContain('$0.00 left');
    const startedAt = new Date(portal.nowMs() - 20 * 86_400_000);
    await insertUsage(storage.db, [
      sampleRecord('', {
        ...{ requestId: requestIdAt(startedAt), startedAt, keyId: key.id },
        ...{ userId: user.id, payerId: user.id },
      }),
    ]);
    const { text } = await open(`${path}/${key.id}`, cookie);
    for (const range of ['month', 'all']) {
      expect(text).toContain(`href="/dashboard/request-log?range=${range}&amp;key=${key.id}"`);
    }
    expect(text).not.toContain('All models of this key');
    await insertUsage(
      storage.db,
      Array.from({ length: 12 }, (_, index) =>
        sampleRecord('', {
          ...{ requestId: requestIdAt(startedAt), startedAt, keyId: key.id, model: `model-${index}` },
          ...{ userId: user.id, payerId: user.id },
        }),
      ),
    );
    expect((await open(`${path}/${key.id}`, cookie)).text).toContain(
      `href="/dashboard/usage?key=${key.id}">All models of this key<`,
    );
  });

  test('a key shows what was done to it, by whom, and nothing that was done to another', async () => {
    const { cookie, user } = await of('member');
    const { key } = await create(cookie, { name: 'watched' });
    await create(cookie, { name: 'not this one' });
    await portal.sendJson(`${path}/${key.id}/disable`, {}, { cookie });
    const { text } = await open(`${path}/${key.id}`, cookie);
    const from = text.indexOf('id="activity-title"');
    const activity = text.slice(from, text.indexOf('</table>', from));
    expect(activity).toContain('>you<');
    expect(activity.match(/watched/g)).toHaveLength(2);
    expect(activity).not.toContain('not this one');
    const head = await of('department_admin');
    expect((await open(`${path}/${key.id}`, head.cookie)).text).toContain(`>${user.email}<`);
  });

  test('the list is searched, filtered, ordered and paged by its address alone', async () => {
    const { cookie, user } = await of('member');
    const rows = Array.from({ length: 60 }, (_, index) => ({
      ownerId: user.id,
      name: `key ${String(index).padStart(2, '0')}`,
      tokenHash: `list ${user.id} ${index}`,
      tokenPrefix: 'sluice_test',
      tokenLastFour: String(1000 + index),
    }));
    await storage.db.insert(apiKeys).values(rows);
    const namesAt = async (query: string) => {
      const { status, text } = await open(`${path}${query}`, cookie);
      expect([query, status]).toEqual([query, 200]);
      return [...text.matchAll(/class="strong">(key \d\d)</g)].map(([, name]) => name);
    };
    expect(await namesAt('?sort=name')).toHaveLength(50);
    expect((await namesAt('?sort=name&page=2'))[0]).toBe('key 50');
    expect(await namesAt('?sort=name&page=999')).toHaveLength(10);
    expect((await namesAt('?sort=-name'))[0]).toBe('key 59');
    expect(await namesAt('?search=1007')).toEqual(['key 07']);
    expect(await namesAt('?search=KEY+07&state=active')).toEqual(['key 07']);
    expect(await namesAt('?state=revoked')).toEqual([]);
    expect(await namesAt(`?search=${encodeURIComponent("%'; DROP TABLE api_keys; --")}`)).toEqual([]);
    for (const sort of ['owner', 'expiry', '-expiry', 'spend', '-spend', 'used', '-used', 'made']) {
      expect(await namesAt(`?sort=${sort}`)).toHaveLength(50);
    }
    for (const query of [
      'page=-1',
      'page=0',
      'page=x',
      'page=1e99',
      'sort=token',
      'state=x',
      'owner=-1',
      'department=x',
      `search=${'x'.repeat(201)}`,
    ]) {
      expect([query, (await open(`${path}?${query}`, cookie)).status]).toEqual([query, 422]);
    }
    const empty = await of('member');
    expect((await open(path, empty.cookie)).text).toContain('No key yet');
    expect((await open(`${path}?search=x`, empty.cookie)).text).toContain('No key fits');
    expect((await portal.ask(path, { headers: html })).location).toBe('/login?next=%2Fdashboard%2Fkeys');
  });

  test('show an admin what they administer in admin mode, and their own outside of it', async () => {
    const head = await of('department_admin');
    const member = await of('member');
    const { key } = await create(member.cookie, { name: 'of the member' });
    expect((await open(path, head.cookie)).text).toContain('of the member');
    expect((await open(`${path}/${key.id}`, head.cookie)).status).toBe(200);
    await head.look(false);
    expect((await open(path, head.cookie)).text).not.toContain('of the member');
    expect((await open(`${path}/${key.id}`, head.cookie)).status).toBe(404);
  });
});
