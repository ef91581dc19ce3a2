import { describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { z } from 'zod';
import type { TestDatabase } from '../../../../test/support/databases.ts';
import { within } from '../../../../test/support/writing.ts';
import { everybody } from '../../../base/scope.ts';
import { CallerDirectory, createKey, findKey, setAdminView, type UserRole } from '../../../identity/index.ts';
import { upsertManagedKey } from '../../../identity/keys.ts';
import { type House, newcomersIn } from '../../../identity/testing/newcomers.ts';
import { mintToken } from '../../../identity/token.ts';
import { listBudgets, setBudgetDefault } from '../../../ledger/index.ts';
import { apiKeys } from '../../../storage/schema/api-keys.ts';
import { users } from '../../../storage/schema/identity.ts';
import { sessions } from '../../../storage/schema/sign-in.ts';
import { languages } from '../../languages/language.ts';
import { type TestPortal, withTestPortal } from '../../testing/test-portal.ts';

const path = '/dashboard/keys';
const html = { accept: 'text/html' };
const dayMs = 86_400_000;

let storage: TestDatabase;
let portal: TestPortal;
let own: House;
let foreign: House;
withTestPortal(async (opened) => {
  ({ storage, portal } = opened);
  const newcomers = newcomersIn(storage, portal.write);
  own = await newcomers.house('own');
  foreign = await newcomers.house('foreign');
});

async function of(role: UserRole, house: House = own) {
  const { user, cookie } = await portal.signedIn({ role });
  await storage.db
    .update(users)
    .set({ organisationId: house.id, departmentId: house.sales })
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
const read = async (keyId: number) => {
  const key = await findKey(everybody, storage.db, keyId);
  if (key === undefined) throw new Error('there is no such key');
  return key;
};
const fieldsOf = (text: string): readonly string[] => Object.keys(JSON.parse(text).fields ?? {});
const open = (address: string, cookie: string) => portal.ask(address, { headers: { ...html, cookie } });

describe('what becomes of what a key sends', () => {
  const form = async (to: string, fields: Record<string, string>, cookie: string) =>
    portal.ask(to, {
      method: 'POST',
      headers: { ...html, cookie, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    });

  test('is asked for by its form and by programs, kept where nothing is said of it, and taken away', async () => {
    const { cookie } = await of('member');
    const { key } = await create(cookie, {
      data_collection: 'deny',
      quantizations: ['fp8', 'bf16'],
      rescue: true,
    });
    expect(key).toMatchObject({
      ...{ data_collection: 'deny', zdr: false, data_regions: null, rescue: true },
      quantizations: ['fp8', 'bf16'],
    });
    const stored = { data_collection: 'deny', quantizations: ['fp8', 'bf16'] };
    expect(await read(key.id)).toMatchObject({ dataPolicy: stored, rescue: true });
    // A program that says one thing of it changes nothing else.
    await portal.sendJson(`${path}/${key.id}`, { name: 'other', zdr: true }, { cookie });
    expect(await read(key.id)).toMatchObject({ dataPolicy: { ...stored, zdr: true }, rescue: true });
    const shown = await open(`${path}/${key.id}/edit`, cookie);
    const { text } = shown;
    expect(text).toContain('value="fp8" checked');
    expect(text).toMatch(/name="zdr"[^>]*checked/);
    expect(text).toMatch(/value="on" selected/);
    // Another one that begins with its fields demands what it demands.
    expect((await open(`${path}/new?from=${key.id}`, cookie)).text).toMatch(/name="zdr"[^>]*checked/);
    // The detail says it.
    expect((await open(`${path}/${key.id}`, cookie)).text).toContain('known to keep nothing');
    // As a browser sends it where all of it was unticked.
    const { revision } = await read(key.id);
    await form(
      `${path}/${key.id}`,
      {
        ...{ name: 'plain', revision: String(revision), scopes: 'inference' },
        ...{ data_collection: 'off', zdr: 'off', rescue: 'model' },
        ...{ data_regions_from: 'any', data_regions: '', quantizations_from: 'any', quantizations: '' },
      },
      cookie,
    );
    expect(await read(key.id)).toMatchObject({ name: 'plain', dataPolicy: null, rescue: null });
  });

  test('is refused where it cannot be', async () => {
    const { cookie } = await of('member');
    for (const [fields, name] of [
      [{ data_regions: ['atlantis'] }, 'data_regions'],
      [{ quantizations: ['int3'] }, 'quantizations'],
      [{ quantizations_from: 'these', quantizations: [] }, 'quantizations'],
      [{ data_collection: 'perhaps' }, 'data_collection'],
      [{ rescue: 'perhaps' }, 'rescue'],
    ] as const) {
      const answer = await portal.sendJson(`${path}/new`, { name: 'one', ...fields }, { cookie });
      expect([name, answer.status, fieldsOf(answer.text)]).toEqual([name, 422, [name]]);
    }
  });
});

describe('creating a key', () => {
  test('gives it the budgets of its group, but for periods that were asked for', async () => {
    const { cookie } = await of('member', foreign);
    const group = { organisationId: foreign.id, departmentId: foreign.sales };
    for (const period of ['daily', 'monthly'] as const) {
      const asked = {
        group,
        receivers: 'keys',
        period,
        limitNanoUsd: 8_000_000_000n,
        managedBy: null,
      } as const;
      await portal.write(setBudgetDefault, asked);
    }
    const { key } = await create(cookie, { budget_monthly: '2' });
    const given = await listBudgets(storage.db, 0, [{ kind: 'key', id: key.id }]);
    expect(given.map(({ period, limitNanoUsd }) => [period, limitNanoUsd])).toEqual([
      ['monthly', 2_000_000_000n],
      ['daily', 8_000_000_000n],
    ]);
  });

  test('takes every field, tells the token once, and the key is what was asked for', async () => {
    const { cookie, user } = await of('member');
    const { key, token } = await create(cookie, {
      name: ' build ',
      scopes: ['inference', 'webchat'],
      requests_per_minute: 60,
      tokens_per_minute: 1000,
      concurrent_requests: 2,
      strict_output: true,
      expires_at: '2031-02-01T00:00:00Z',
      budget_daily: '12.50',
      budget_total: 100,
    });
    expect(token).toMatch(/^sluice_\w{46}$/);
    expect(await read(key.id)).toMatchObject({
      name: 'build',
      ownerId: user.id,
      scopes: ['inference', 'webchat'],
      requestsPerMinute: 60,
      tokensPerMinute: 1000,
      concurrentRequests: 2,
      strictOutput: true,
      expiresAt: new Date('2031-02-01T00:00:00Z'),
      allowedModels: null,
    });
    const budgets = await listBudgets(storage.db, portal.nowMs(), [{ kind: 'key', id: key.id }]);
    expect(budgets.map(({ period, limitNanoUsd }) => [period, limitNanoUsd])).toEqual([
      ['daily', 12_500_000_000n],
      ['total', 100_000_000_000n],
    ]);
    const directory = new CallerDirectory({
      ...{ db: storage.db, changes: storage.changes, clock: portal.services.clock, tokenPrefix: 'sluice_' },
    });
    expect((await directory.find(token)).keyId).toBe(key.id);
  });

  test('by a form shows the token on the next page, once, and then says so; it is in no address', async () => {
    const { cookie } = await of('member');
    const fields = { name: 'by form', models_from: 'any', models: '', expires: '30', scopes: 'inference' };
    const sent = await portal.sendForm(`${path}/new`, fields, { cookie });
    expect([sent.status, sent.location]).toEqual([
      303,
      expect.stringMatching(/^\/dashboard\/keys\/\d+\/token$/),
    ]);
    const [kept = ''] = sent.answer.headers
      .getSetCookie()
      .filter((one) => one.startsWith('sluice-new-token='));
    expect(kept).toMatch(/HttpOnly/i);
    expect(kept).toContain(`Path=${sent.location}`);
    expect(kept).not.toContain('sluice_');
    const withToken = `${cookie}; ${kept.split(';')[0]}`;
    expect(
      (await portal.ask(sent.location ?? '', { method: 'HEAD', headers: { cookie: withToken } })).status,
    ).toBe(200);
    const shown = await open(sent.location ?? '', withToken);
    expect(shown.text).toMatch(/sluice_[0-9A-Za-z]{46}/);
    expect(shown.answer.headers.get('cache-control')).toContain('no-store');
    expect(shown.answer.headers.getSetCookie().join()).toMatch(/sluice-new-token=;/);
    const again = await open(sent.location ?? '', cookie);
    expect(again.status).toBe(200);
    expect(again.text).not.toMatch(/sluice_[0-9A-Za-z]{46}/);
    expect(again.text).toContain('was shown once');
    const stranger = await of('member');
    expect((await open(sent.location ?? '', `${stranger.cookie}; ${kept.split(';')[0]}`)).status).toBe(404);
    portal.setNowMs(portal.nowMs() + 120_000);
    const late = await open(sent.location ?? '', withToken);
    expect(late.text).not.toMatch(/sluice_[0-9A-Za-z]{46}/);
    for (const bad of ['x', '', 'v1.AAAA']) {
      expect((await open(sent.location ?? '', `${cookie}; sluice-new-token=${bad}`)).status).toBe(200);
    }
  });

  test('422 with every field that cannot be, and a form is drawn again with all that was written', async () => {
    const { cookie } = await of('member');
    const long = 'n'.repeat(10_000);
    const hostile: readonly (readonly [object, string])[] = [
      [{ name: long }, 'name'],
      [{ name: '' }, 'name'],
      [{ name: 'a\0b' }, 'name'],
      [{ name: null }, 'name'],
      [{ name: ['x'] }, 'name'],
      [{ owner: 'nobody' }, 'owner'],
      [{ owner: "' OR 1=1 --" }, 'owner'],
      [{ department: -1 }, 'department'],
      [{ department: {} }, 'department'],
      [{ project: 1.5 }, 'project'],
      [{ project: 999_999 }, 'project'],
      [{ models: ['no-such-model'] }, 'models'],
      [{ models: 'a\0' }, 'models'],
      [{ models_from: 'these', models: [] }, 'models'],
      [{ models: Array.from({ length: 2001 }, () => 'm') }, 'models'],
      [{ providers: [1] }, 'providers.0'],
      [{ regions: ['<script>'] }, 'regions'],
      [{ scopes: [] }, 'scopes'],
      [{ scopes: ['everything'] }, 'scopes.0'],
      [{ budget_daily: '-1' }, 'budget_daily'],
      [{ budget_daily: '1e9' }, 'budget_daily'],
      [{ budget_weekly: '0.0000000001' }, 'budget_weekly'],
      [{ budget_monthly: '9'.repeat(15) }, 'budget_monthly'],
      [{ budget_total: true }, 'budget_total'],
      [{ requests_per_minute: 0 }, 'requests_per_minute'],
      [{ requests_per_minute: '1.5' }, 'requests_per_minute'],
      [{ tokens_per_minute: 2 ** 31 }, 'tokens_per_minute'],
      [{ concurrent_requests: '٣' }, 'concurrent_requests'],
      [{ expires: 'soon' }, 'expires'],
      [{ expires: 'date' }, 'expires_on'],
      [{ expires: 'date', expires_on: '2030-12-30' }, 'expires_on'],
      [{ expires: 'date', expires_on: '2031-02-30' }, 'expires_on'],
      [{ expires: 'never', expires_on: '2031-02-01' }, 'expires_on'],
      [{ expires: '30', expires_on: '2031-02-01' }, 'expires_on'],
      [{ expires: 'keep', expires_on: '2031-02-01' }, 'expires_on'],
      [{ expires: 'never', expires_at: '2031-02-01T00:00:00Z' }, 'expires_at'],
      [{ expires_on: '2031-02-01', expires_at: '2031-02-01T00:00:00Z' }, 'expires_at'],
      [{ expires_on: '2030-12-30' }, 'expires_on'],
      [{ expires_at: '2020-01-01T00:00:00Z' }, 'expires'],
      [{ expires_at: 'tomorrow' }, 'expires_at'],
      [{ strict_output: 'perhaps' }, 'strict_output'],
    ];
    for (const [fields, field] of hostile) {
      const answer = await portal.sendJson(`${path}/new`, { name: 'x', ...fields }, { cookie });
      expect([fields, answer.status, fieldsOf(answer.text)]).toEqual([fields, 422, [field]]);
    }
    const { text, status } = await portal.sendForm(
      `${path}/new`,
      { name: long, budget_daily: 'a lot', requests_per_minute: '7', scopes: 'webchat', expires: '90' },
      { cookie },
    );
    expect(status).toBe(422);
    expect(text).toContain(long);
    expect(text).toContain('value="7"');
    expect(text).toMatch(/id="scopes-webchat"[^>]*checked/);
    expect(text).toMatch(/<option value="90" selected/);
    expect(text).toContain('id="name-error"');
    expect((await portal.sendJson(`${path}/new`, '{', { cookie })).status).toBe(400);
    expect((await portal.sendJson(`${path}/new`, { name: 'x' })).status).toBe(401);
    const elsewhere = { cookie, 'sec-fetch-site': 'cross-site' };
    expect((await portal.sendJson(`${path}/new`, { name: 'x' }, elsewhere)).status).toBe(403);
  });

  test('of an account that has as many as there may be is refused, and the form says what to do', async () => {
    const { user, cookie } = await of('member');
    const kept = Array.from({ length: 1000 }, (_, at) => ({
      ...{ ownerId: user.id, name: `key ${at}`, tokenHash: `${at} of ${user.id}` },
      ...{ tokenPrefix: 'sluice_', tokenLastFour: 'last' },
    }));
    await storage.db.insert(apiKeys).values(kept);
    const refused = await portal.sendJson(`${path}/new`, { name: 'next' }, { cookie });
    expect([refused.status, fieldsOf(refused.text)]).toEqual([422, ['owner']]);
    const { status, text } = await portal.sendForm(`${path}/new`, { name: 'next' }, { cookie });
    expect(status).toBe(422);
    expect(text).toContain('This account has 1,000 keys that are not revoked, which is the most.');
  });

  test('that are made without end wait for each other', async () => {
    const { cookie } = await of('member');
    for (let made = 0; made < 100; made += 1) await create(cookie);
    expect((await portal.sendJson(`${path}/new`, { name: 'next' }, { cookie })).status).toBe(429);
    portal.setNowMs(portal.nowMs() + 10_000);
    await create(cookie);
  });

  test('that is to expire with the last day that can be written does so', async () => {
    const { cookie } = await of('member');
    for (const last of [
      { expires: 'date', expires_on: '9999-12-31' },
      { expires_at: '9999-12-31T23:59:59-23:59' },
    ]) {
      const { status, text } = await portal.sendJson(`${path}/new`, { name: 'last', ...last }, { cookie });
      expect([status, JSON.parse(text).key.expires_at]).toEqual([200, '9999-12-31T23:59:59.999Z']);
      expect((await open(`${path}/${JSON.parse(text).key.id}`, cookie)).status).toBe(200);
    }
  });

  test('for others is for who administers them, and not for anybody above', async () => {
    const member = await of('member');
    const head = await of('department_admin');
    const chief = await of('org_owner');
    const outside = await of('member', foreign);
    const forOther = (cookie: string, owner: string) =>
      portal.sendJson(`${path}/new`, { name: 'for another', owner }, { cookie });
    expect((await forOther(head.cookie, member.user.email)).status).toBe(200);
    expect((await forOther(head.cookie, chief.user.email)).status).toBe(403);
    const [far, none] = await Promise.all([
      forOther(head.cookie, outside.user.email),
      forOther(head.cookie, 'nobody@example.test'),
    ]);
    expect([far.status, none.status]).toEqual([422, 422]);
    expect(far.text).toBe(none.text);
    expect((await forOther(member.cookie, head.user.email)).status).toBe(422);
    await head.look(false);
    expect((await forOther(head.cookie, member.user.email)).status).toBe(422);
  });

  test('says what a key could do, in every language, without making one', async () => {
    const { cookie } = await of('member');
    for (const language of languages) {
      const answer = await portal.sendJson(
        `${path}/preview`,
        { budget_monthly: '200', requests_per_minute: 600, models: ['gone'], expires: '7' },
        { cookie, 'accept-language': language },
      );
      const { sentences } = JSON.parse(answer.text);
      expect(sentences.join(' ')).toContain('gone');
      expect(sentences.join(' ')).toContain('600');
    }
    expect((await portal.sendJson(`${path}/preview`, { scopes: [] }, { cookie })).status).toBe(422);
    // Of a form without a name yet.
    expect((await portal.sendJson(`${path}/preview`, { name: '' }, { cookie })).status).toBe(200);
  });
});

describe('a key', () => {
  test('is changed in part, with a revision that overtaking changes is noticed by', async () => {
    const { cookie } = await of('member');
    const { key } = await create(cookie, { requests_per_minute: 5, budget_daily: '1', strict_output: true });
    const address = `${path}/${key.id}`;
    const change = (body: object) => portal.sendJson(address, body, { cookie });
    const first = await change({ name: 'two', revision: key.revision });
    expect(first.status).toBe(200);
    expect(await read(key.id)).toMatchObject({ name: 'two', requestsPerMinute: 5, strictOutput: true });
    const second = await change({
      name: 'three',
      requests_per_minute: null,
      budget_daily: 2,
      revision: key.revision,
    });
    expect(second.status).toBe(409);
    expect(JSON.parse(second.text).fields).toEqual({
      revision: 'It is now: 2',
      name: 'It is now: two',
      requests_per_minute: 'It is now: 5',
      budget_daily: 'It is now: 1.00',
    });
    expect(await read(key.id)).toMatchObject({ name: 'two' });
    const form = await portal.sendForm(
      address,
      { name: 'by form', revision: '1', strict_output: 'off', models_from: 'any' },
      { cookie },
    );
    expect(form.status).toBe(409);
    expect(form.text).toContain('It is now: two');
    expect(form.text).toContain('value="by form"');
    expect(form.text).toContain('name="revision" value="2"');
    const saved = await portal.sendForm(
      address,
      { name: 'by form', revision: '2', strict_output: 'off', budget_daily: '' },
      { cookie },
    );
    expect([saved.status, saved.location]).toEqual([303, address]);
    expect(await read(key.id)).toMatchObject({ name: 'by form', strictOutput: false });
    expect(await listBudgets(storage.db, portal.nowMs(), [{ kind: 'key', id: key.id }])).toEqual([]);
    for (const body of [
      { name: '' },
      { revision: 'x' },
      { revision: -1.5 },
      { requests_per_minute: 'many' },
    ]) {
      expect((await change(body)).status).toBe(422);
    }
  });

  test('keeps what it was drawn from while a mistake is mended, so that nobody is overwritten unseen', async () => {
    const { cookie } = await of('member');
    const { key } = await create(cookie);
    const address = `${path}/${key.id}`;
    const fields = { name: 'a', revision: '1', requests_per_minute: '' };
    await portal.sendJson(address, { requests_per_minute: 5 }, { cookie });
    const mistaken = await portal.sendForm(address, { ...fields, budget_daily: 'abc' }, { cookie });
    expect(mistaken.status).toBe(422);
    expect(mistaken.text).toContain('name="revision" value="1"');
    const mended = await portal.sendForm(address, { ...fields, budget_daily: '1' }, { cookie });
    expect(mended.status).toBe(409);
    expect(mended.text).toContain('It is now: 5');
    expect(await read(key.id)).toMatchObject({ requestsPerMinute: 5, revision: 2 });
  });

  test('is drawn again with all that was written where the rule refuses, in the words of the rule', async () => {
    const { cookie } = await of('org_admin');
    const { user: member } = await of('member');
    const fields = { name: 'k', owner: member.email, scopes: 'account', budget_daily: '7' };
    const refused = await portal.sendForm(`${path}/new`, fields, { cookie });
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('value="7"');
    expect(refused.text).toContain('opens the account of its owner');
    const german = { cookie, 'accept-language': 'de' };
    expect((await portal.sendForm(`${path}/new`, fields, german)).text).toContain('öffnet das Konto');
  });

  test('is rotated, disabled, enabled and revoked, each by a program and by a form', async () => {
    const { cookie } = await of('member');
    const { key, token } = await create(cookie, { name: 'turned & <b>' });
    const address = `${path}/${key.id}`;
    const act = async (what: string, body: object = {}) => {
      const { status, text } = await portal.sendJson(`${address}/${what}`, body, { cookie });
      return { status, told: JSON.parse(text) };
    };
    const byForm = (what: string, fields: Record<string, string> = {}) =>
      portal.sendForm(`${address}/${what}`, fields, { cookie });
    const rotated = await act('rotate', { overlap_hours: 1 });
    expect(rotated.told).toMatchObject({ ok: true, token: expect.stringMatching(/^sluice_\w{46}$/) });
    expect(rotated.told.token).not.toBe(token);
    expect(rotated.told.key.previous_ends_at).toBe(new Date(portal.nowMs() + dayMs / 24).toISOString());
    expect((await act('rotate')).status).toBe(409);
    expect((await byForm('rotate')).location).toBe(address);
    expect((await byForm('end-overlap')).location).toBe(address);
    expect((await act('end-overlap')).status).toBe(409);
    for (const overlap_hours of [-1, 721, 1.5, 'x', null, '', '9'.repeat(400)]) {
      expect((await act('rotate', { overlap_hours })).status).toBe(422);
    }
    expect((await byForm('rotate', { overlap_hours: '0' })).location).toBe(`${address}/token`);
    expect((await act('disable')).told.key.enabled).toBe(false);
    expect((await byForm('enable')).status).toBe(303);
    expect((await read(key.id)).enabled).toBe(true);
    expect((await byForm('revoke', { 'revoke-name': 'another' })).location).toBe(address);
    expect((await read(key.id)).revokedAt).toBeNull();
    expect((await act('revoke', { 'revoke-name': 'another' })).status).toBe(422);
    expect((await byForm('revoke', { 'revoke-name': 'turned & <b>' })).location).toBe(address);
    expect((await read(key.id)).revokedAt).not.toBeNull();
    expect((await act('revoke')).status).toBe(200);
    for (const what of ['rotate', 'enable', 'disable']) expect((await act(what)).status).toBe(409);
    expect((await portal.sendJson(address, { name: 'x' }, { cookie })).status).toBe(409);
  });

  test('that is declared is changed in the file alone, and can be revoked here', async () => {
    const { cookie, user } = await of('member');
    const { key } = await portal.write(upsertManagedKey, 'sluice_', {
      ...{ ownerId: user.id, name: 'declared', managedBy: 'file' as const },
      token: mintToken(portal.services.ids, 'sluice_'),
    });
    const address = `${path}/${key.id}`;
    for (const what of ['', '/rotate', '/disable', '/end-overlap']) {
      const { status, text } = await portal.sendJson(`${address}${what}`, {}, { cookie });
      expect(status).toBe(409);
      if (what !== '/end-overlap') expect(JSON.parse(text).error).toContain('configuration file');
    }
    const page = await open(address, cookie);
    expect(page.text).toContain('The configuration file declares this key');
    expect(page.text).not.toContain(`${address}/rotate`);
    expect((await portal.sendJson(`${address}/revoke`, {}, { cookie })).status).toBe(200);
  });

  test('404 for one of somebody else, at every route, and nothing changes', async () => {
    const stranger = await of('org_owner', foreign);
    const { user } = await of('member');
    const { key } = await portal.write(within(everybody, createKey), 'sluice_', {
      ownerId: user.id,
      name: 'theirs',
    });
    for (const id of [key.id, 999_999]) {
      for (const page of ['', '/edit', '/token']) {
        expect((await open(`${path}/${id}${page}`, stranger.cookie)).status).toBe(404);
      }
      expect((await open(`${path}/new?from=${id}`, stranger.cookie)).status).toBe(404);
      for (const what of ['', '/rotate', '/disable', '/enable', '/end-overlap', '/revoke']) {
        const { status } = await portal.sendJson(`${path}/${id}${what}`, {}, { cookie: stranger.cookie });
        expect([what, status]).toEqual([what, 404]);
      }
    }
    expect(await read(key.id)).toEqual(key);
    for (const id of ['0', '-1', 'x', '1e3x', '99999999999999999999']) {
      expect((await open(`${path}/${id}`, stranger.cookie)).status).toBe(422);
    }
  });

  test('403 for one of somebody above, whom who looks may only look at', async () => {
    const head = await of('department_admin');
    const chief = await of('org_owner');
    const { key } = await create(chief.cookie);
    const page = await open(`${path}/${key.id}`, head.cookie);
    expect(page.status).toBe(200);
    expect(page.text).not.toContain('/rotate"');
    for (const what of ['', '/rotate', '/disable', '/revoke']) {
      expect((await portal.sendJson(`${path}/${key.id}${what}`, {}, { cookie: head.cookie })).status).toBe(
        403,
      );
    }
  });
});
