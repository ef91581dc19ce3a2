import { describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { createOrganisation } from '../../identity/organisations.ts';
import { newDepartment } from '../../identity/testing/new-department.ts';
import { users } from '../../storage/schema/identity.ts';
import { transact } from '../../storage/work.ts';
import { activityWords } from '../languages/activity/index.ts';
import { languages } from '../languages/language.ts';
import { type TestPortal, withTestPortal } from '../testing/test-portal.ts';

const page = '/dashboard/activity';

let portal: TestPortal;
withTestPortal((opened) => {
  ({ portal } = opened);
});

const show = (cookie: string, query = '', headers: Record<string, string> = {}) =>
  portal.ask(`${page}${query}`, { headers: { accept: 'text/html', cookie, ...headers } });
const linesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

describe('the activity of an account', () => {
  test('tells what was done, by whom and with what, in every language', async () => {
    const { user, cookie } = await portal.signedIn();
    const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    const changed = await portal.sendJson(
      '/dashboard/settings/password',
      { password: 'four plain words here' },
      { cookie, 'user-agent': browser },
    );
    expect(changed.status).toBe(200);
    for (const language of languages) {
      const { status, text } = await show(cookie, '', { 'accept-language': language });
      expect(status).toBe(200);
      const { actions, you } = activityWords[language];
      for (const action of ['account.created', 'session.started', 'account.password_changed'] as const) {
        expect(text).toContain(actions[action]);
      }
      expect(text).toContain(`>${you}<`);
      expect(text).toContain('Firefox · Linux');
      expect(text).not.toMatch(/undefined|\[object|NaN/);
    }
    const exported = await portal.ask(`${page}/export`, { headers: { cookie } });
    expect(exported.answer.headers.get('content-type')).toContain('application/x-ndjson');
    expect(linesOf(exported.text)[0]).toMatchObject({
      action: 'account.password_changed',
      userId: user.id,
      actorId: user.id,
      actorEmail: user.email,
      chain: `person:${user.id}`,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  test('is nobody else’s, and an admin sees that of what they administer', async () => {
    const [mine, theirs] = [await portal.signedIn(), await portal.signedIn()];
    const admin = await portal.signedIn({ role: 'platform_admin' });
    const ofMine = async (cookie: string) => {
      const { text } = await portal.ask(`${page}/export`, { headers: { cookie } });
      return linesOf(text).some(({ userId }) => userId === mine.user.id);
    };
    expect([await ofMine(mine.cookie), await ofMine(theirs.cookie)]).toEqual([true, false]);
    await portal.sendJson('/dashboard/toggle-admin-mode', {}, { cookie: admin.cookie });
    expect(await ofMine(admin.cookie)).toBe(true);
    expect((await show(admin.cookie)).text).toContain(mine.user.email);
    await portal.sendJson('/dashboard/toggle-admin-mode', {}, { cookie: admin.cookie });
    expect(await ofMine(admin.cookie)).toBe(false);
  });

  test('tells whom it was done to by whom, and not from where', async () => {
    const { user, cookie } = await portal.signedIn();
    const admin = await portal.signedIn({ role: 'platform_admin' });
    const actor = { kind: 'person', userId: admin.user.id, address: '192.0.2.77' } as const;
    await transact({ ...portal.services, actor }, async ({ note }) =>
      note({
        action: 'account.status_changed',
        subject: { kind: 'person', id: user.id, label: 'their name' },
        owner: { kind: 'person', id: user.id },
      }),
    );
    const { text } = await portal.ask(`${page}/export`, { headers: { cookie } });
    expect(linesOf(text)[0]).toMatchObject({
      actorEmail: admin.user.email,
      personal: { label: 'their name' },
    });
    expect(`${text} ${(await show(cookie)).text}`).not.toContain('192.0.2.77');
    await portal.sendJson('/dashboard/toggle-admin-mode', {}, { cookie: admin.cookie });
    expect((await show(admin.cookie)).text).toContain('192.0.2.77');
  });

  test('comes in pages, and the export has all of it', async () => {
    const { user, cookie } = await portal.signedIn();
    const owner = { kind: 'person', id: user.id } as const;
    await transact(portal.services, async ({ note }) => {
      for (let id = 1; id <= 1_050; id += 1) {
        const label = id === 1 ? '<script>alert(1)</script>' : `key ${id}`;
        note({ action: 'key.created', subject: { kind: 'key', id, label }, owner });
      }
    });
    const first = await show(cookie, '?area=key');
    expect(first.text).toContain('key 1050');
    expect(first.text).not.toContain('key 1000<');
    const [, next = ''] = /\?area=key&amp;before=(\d+)/.exec(first.text) ?? [];
    const second = (await show(cookie, `?area=key&before=${next}`)).text;
    expect(second).toContain('key 1000');
    // It leads to the first page, from wherever one is.
    expect(second).toContain('class="button small" href="/dashboard/activity?area=key">Newest<');
    const exported = await portal.ask(`${page}/export?area=key`, { headers: { cookie } });
    expect(linesOf(exported.text)).toHaveLength(1_050);
    const last = linesOf(exported.text).at(-1).id;
    const { text } = await show(cookie, `?area=key&before=${last + 1}`);
    expect(text).toContain('&lt;script&gt;');
    expect(text).not.toContain('<script>alert');
  });

  test('says what it cannot take, and asks who it is first', async () => {
    const { cookie } = await portal.signedIn();
    for (const query of ['?area=nothing', '?before=-1', '?before=x', '?area=key&before=1e400']) {
      expect((await portal.ask(`${page}${query}`, { headers: { cookie } })).status).toBe(422);
    }
    for (const path of [page, `${page}/export`]) {
      expect((await portal.ask(path, { headers: { accept: 'application/json' } })).status).toBe(401);
    }
  });

  test('names what is known by an id alone, as it is called now', async () => {
    const { user, cookie } = await portal.signedIn();
    const { id } = await portal.write(createOrganisation, { name: 'Mill', slug: 'mill-of-activity' });
    const { id: departmentId } = await portal.write(newDepartment, id, 'Water works');
    await transact(portal.services, async ({ note }) => {
      const owner = { kind: 'person', id: user.id } as const;
      const details = { departmentId: { from: null, to: departmentId } };
      note({ action: 'key.changed', subject: { kind: 'key', id: 1, label: 'mill' }, owner, details });
      note({ action: 'budget.removed', subject: { kind: 'department', id: departmentId }, owner });
    });
    const outside = await show(cookie);
    expect(outside.text).toContain('mill · Department: – → not known here<');
    expect(outside.text).not.toContain('Water works');
    const { db } = portal.services.storage;
    await db.update(users).set({ organisationId: id }).where(eq(users.id, user.id));
    const inside = await show(cookie);
    expect(inside.text).toContain('mill · Department: – → Water works<');
    expect(inside.text).toContain('<small>Water works</small>');
  });
});
