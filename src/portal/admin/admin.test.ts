import { describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { z } from 'zod';
import type { TestDatabase } from '../../../test/support/databases.ts';
import type { UserRole } from '../../identity/index.ts';
import { createOrganisation } from '../../identity/organisations.ts';
import { newDepartment } from '../../identity/testing/new-department.ts';
import { users } from '../../storage/schema/identity.ts';
import { languages } from '../languages/language.ts';
import { type TestPortal, withTestPortal } from '../testing/test-portal.ts';

const path = '/dashboard/admin/users/invite';
const html = { accept: 'text/html' };

let storage: TestDatabase;
let portal: TestPortal;
let own: { readonly id: number; readonly sales: number };
let foreign: { readonly id: number; readonly sales: number };
withTestPortal(async (opened) => {
  ({ storage, portal } = opened);
  own = await newOrganisation('own');
  foreign = await newOrganisation('foreign');
});

async function newOrganisation(slug: string) {
  const { id } = await portal.write(createOrganisation, { name: `${slug} & <b>sons</b>`, slug });
  const department = await portal.write(newDepartment, id, 'Sales');
  return { id, sales: department.id };
}

/** Somebody of the own organisation and its department. */
async function of(role: UserRole) {
  const { user, cookie } = await portal.signedIn({ role });
  const place = { organisationId: own.id, departmentId: own.sales };
  await storage.db.update(users).set(place).where(eq(users.id, user.id));
  return { user, cookie };
}

const invite = (cookie: string, body: object) => portal.sendJson(path, body, { cookie });
const made = z.object({ ok: z.literal(true), invite_id: z.int() });
let invited = 0;
const newAddress = () => `invited-${++invited}@example.test`;

describe('inviting', () => {
  test('sends a mail with a link that lets the person join, and the list shows it', async () => {
    const { cookie } = await of('org_admin');
    const email = newAddress();
    const fields = { email, role: 'member', organisation: String(own.id), department: '' };
    const sent = await portal.sendForm(path, fields, { cookie });
    expect([sent.status, sent.location]).toEqual([303, path]);
    const mail = (await portal.mails()).find(({ to }) => to === email);
    expect(mail?.facts['organisation']).toBe('own & <b>sons</b>');
    const landing = await portal.ask(new URL(String(mail?.facts['link'])).pathname, { headers: html });
    expect(landing.status).toBe(200);
    for (const language of languages) {
      const page = await portal.ask(path, { headers: { ...html, cookie, 'accept-language': language } });
      expect(page.status).toBe(200);
      expect(page.text).toContain(email);
      expect(page.text).not.toContain('<b>sons');
    }
  });

  test('422 for a role above one’s own, and 404 for a place that is not one’s own or is none, which look the same', async () => {
    const { cookie } = await of('org_admin');
    const place = { organisation: own.id };
    const above = await invite(cookie, { email: newAddress(), role: 'org_owner', ...place });
    expect([above.status, JSON.parse(above.text)]).toMatchObject([
      422,
      { fields: { role: expect.any(String) } },
    ]);
    const refusals = [];
    for (const organisation of [foreign.id, 999_999]) {
      const { status, text } = await invite(cookie, { email: newAddress(), organisation });
      expect(status).toBe(404);
      refusals.push(text);
    }
    expect(refusals[0]).toBe(refusals[1] ?? '');
    const department = await invite(cookie, {
      email: newAddress(),
      organisation: own.id,
      department: foreign.sales,
    });
    expect([department.status, Object.keys(JSON.parse(department.text).fields)]).toEqual([
      404,
      ['department'],
    ]);
    for (const email of ['', 'nobody', 'a@b\r\nBcc: c@d.example']) {
      expect((await invite(cookie, { email, ...place })).status).toBe(422);
    }
  });

  test('429 for who floods one address with mails', async () => {
    const { cookie } = await of('org_admin');
    const fields = { email: newAddress(), organisation: own.id };
    const statuses = [];
    for (let sent = 0; sent < 5; sent += 1) statuses.push((await invite(cookie, fields)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 429]);
  });

  test('is revoked by who could have sent it, once, and is not there for others', async () => {
    const { cookie } = await of('org_admin');
    const sent = await invite(cookie, { email: newAddress(), organisation: own.id });
    const revoke = `${path}/${made.parse(JSON.parse(sent.text)).invite_id}/revoke`;
    const stranger = await portal.signedIn({ role: 'org_owner' });
    await storage.db.update(users).set({ organisationId: foreign.id }).where(eq(users.id, stranger.user.id));
    expect((await portal.sendJson(revoke, {}, { cookie: stranger.cookie })).status).toBe(404);
    expect((await portal.ask(path, { headers: { ...html, cookie: stranger.cookie } })).text).not.toContain(
      'invited-',
    );
    expect((await portal.sendJson(revoke, {}, { cookie: (await of('member')).cookie })).status).toBe(403);
    expect((await portal.sendJson(revoke, {}, { cookie })).status).toBe(200);
    expect((await portal.sendJson(revoke, {}, { cookie })).status).toBe(404);
  });

  test('has an end of its own for each who invites, whomever they write to', async () => {
    const { cookie } = await of('org_admin');
    const place = { organisation: own.id };
    const statuses = new Set<number>();
    for (let sent = 0; sent < 50; sent += 1) {
      statuses.add((await invite(cookie, { email: newAddress(), ...place })).status);
    }
    expect([...statuses]).toEqual([200]);
    expect((await invite(cookie, { email: newAddress(), ...place })).status).toBe(429);
    const other = await of('org_admin');
    expect((await invite(other.cookie, { email: newAddress(), ...place })).status).toBe(200);
    portal.setNowMs(portal.nowMs() + 300_000);
    expect((await invite(cookie, { email: newAddress(), ...place })).status).toBe(200);
  });

  test('a department’s admin invites into the department, and a platform admin anywhere', async () => {
    const department = await of('department_admin');
    const into = (organisation: number, sales: number | null) => ({
      email: newAddress(),
      organisation,
      department: sales,
    });
    expect((await invite(department.cookie, into(own.id, own.sales))).status).toBe(200);
    expect((await invite(department.cookie, into(own.id, null))).status).toBe(422);
    const platform = await portal.signedIn({ role: 'platform_admin' });
    expect((await invite(platform.cookie, into(foreign.id, foreign.sales))).status).toBe(200);
    expect((await invite(platform.cookie, { email: newAddress() })).status).toBe(200);
  });
});

describe('what an admin looks at', () => {
  const choose = (cookie: string, body: object, where = '/dashboard/set-admin-org') =>
    portal.sendJson(where, body, { cookie });

  test('is toggled, and is nothing for a member to change', async () => {
    const { cookie } = await of('org_admin');
    for (const admin_mode of [true, false]) {
      const answer = await portal.sendJson('/dashboard/toggle-admin-mode', {}, { cookie });
      expect(JSON.parse(answer.text)).toEqual({ ok: true, admin_mode });
    }
    // A button says which of both, and pressed twice means it once.
    for (const admin_mode of ['on', 'on', 'off', 'off']) {
      const answer = await portal.sendJson('/dashboard/toggle-admin-mode', { admin_mode }, { cookie });
      expect(JSON.parse(answer.text)).toEqual({ ok: true, admin_mode: admin_mode === 'on' });
    }
    const member = await of('member');
    const refused = await portal.sendJson('/dashboard/toggle-admin-mode', {}, { cookie: member.cookie });
    expect(refused.status).toBe(403);
  });

  test('narrows to an organisation that the role reaches, by id or by the older name, and to no other', async () => {
    const platform = await portal.signedIn({ role: 'platform_admin' });
    const chosen = await choose(platform.cookie, { org_id: foreign.id });
    expect(JSON.parse(chosen.text)).toEqual({ ok: true, org_id: foreign.id });
    const into = await invite(platform.cookie, { email: newAddress(), organisation: own.id });
    expect(into.status).toBe(404);
    const older = await choose(platform.cookie, { domain: 'OWN' }, '/dashboard/set-admin-domain');
    expect(JSON.parse(older.text)).toEqual({ ok: true, org_id: own.id });
    expect(JSON.parse((await choose(platform.cookie, { org_id: '' })).text)).toEqual({
      ok: true,
      org_id: null,
    });
    const { cookie } = await of('org_admin');
    for (const body of [{ org_id: foreign.id }, { org_id: 999_999 }, { domain: 'foreign' }]) {
      expect((await choose(cookie, body)).status).toBe(404);
    }
    expect((await choose(cookie, { org_id: own.id })).status).toBe(200);
  });

  test('is where a platform admin invites to, and to no organisation only who looks at everything', async () => {
    const platform = await portal.signedIn({ role: 'platform_admin' });
    const offers = async () => {
      const address = '/dashboard/admin/users/invite';
      const { text } = await portal.ask(address, { headers: { ...html, cookie: platform.cookie } });
      return /<select[^>]*name="organisation"[\s\S]*?<\/select>/.exec(text)?.[0].includes('value=""');
    };
    expect(await offers()).toBe(true);
    await choose(platform.cookie, { org_id: foreign.id });
    expect(await offers()).toBe(false);
  });

  test('is said on every page, with the way out, and the switch lists the organisations of who reaches all', async () => {
    const platform = await portal.signedIn({ role: 'platform_admin' });
    const look = async (cookie: string) => {
      const page = await portal.ask('/dashboard/settings', { headers: { ...html, cookie } });
      expect(page.status).toBe(200);
      return page.text;
    };
    expect(await look(platform.cookie)).not.toContain('admin-bar');
    await portal.sendForm('/dashboard/toggle-admin-mode', {}, { cookie: platform.cookie });
    const everything = await look(platform.cookie);
    expect(everything).toContain('You are viewing all organisations.');
    expect(everything).toContain('foreign &amp; &lt;b&gt;sons');
    await choose(platform.cookie, { org_id: own.id });
    expect(await look(platform.cookie)).toContain('You are viewing everything of own &amp; &lt;b&gt;sons');
    const admin = await of('org_admin');
    await portal.sendForm('/dashboard/toggle-admin-mode', {}, { cookie: admin.cookie });
    const narrow = await look(admin.cookie);
    expect(narrow).toContain('You are viewing everything of own');
    expect(narrow).not.toContain('foreign &amp;');
    const member = await of('member');
    expect(await look(member.cookie)).not.toContain('toggle-admin-mode');
  });

  test('goes on to the page that a form names, and never to another host', async () => {
    const { cookie } = await of('org_admin');
    const ways = [
      ['/dashboard/settings', '/dashboard/settings'],
      ['//evil.example', '/dashboard'],
      ['https://evil.example', '/dashboard'],
      ['/\\evil.example', '/dashboard'],
      ['', '/dashboard'],
    ] as const;
    for (const [next, to] of ways) {
      const toggled = await portal.sendForm('/dashboard/toggle-admin-mode', { next }, { cookie });
      expect([toggled.status, toggled.location]).toEqual([303, to]);
      const chosen = await portal.sendForm('/dashboard/set-admin-org', { next, org_id: '' }, { cookie });
      expect([chosen.status, chosen.location]).toEqual([303, to]);
    }
    const long = await portal.sendJson(
      '/dashboard/toggle-admin-mode',
      { next: 'x'.repeat(2001) },
      { cookie },
    );
    expect(long.status).toBe(422);
    for (const org_id of ['x', -1, 1.5, {}, [1, 2], '1e400']) {
      expect((await choose(cookie, { org_id })).status).toBe(422);
    }
    expect((await choose(cookie, { domain: 'mill\0' })).status).toBe(422);
  });
});
