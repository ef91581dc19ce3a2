import { describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { type TestDatabase, testDatabases } from '../../../../test/support/databases.ts';
import { organisations, users } from '../../../storage/schema/identity.ts';
import { webhookDeliveries, webhookTries } from '../../../storage/schema/webhooks.ts';
import { languages } from '../../languages/language.ts';
import { openTestPortal, type TestPortal, withTestPortal } from '../../testing/test-portal.ts';

const page = '/dashboard/settings/webhooks';
const html = { accept: 'text/html' };
const fields = { name: 'On call', url: 'https://example.com/hook', format: 'standard', events_are: 'all' };

let storage: TestDatabase;
let portal: TestPortal;
withTestPortal((opened) => {
  ({ storage, portal } = opened);
});

async function newOrganisation(slug: string): Promise<number> {
  const [row] = await storage.db.insert(organisations).values({ name: slug, slug }).returning();
  return row?.id ?? 0;
}
async function signedInAt(organisationId: number, role: 'member' | 'org_admin') {
  const person = await portal.signedIn();
  await storage.db.update(users).set({ organisationId, role }).where(eq(users.id, person.user.id));
  return person;
}
async function make(cookie: string, change: object = {}) {
  const { status, text } = await portal.sendJson(page, { ...fields, ...change }, { cookie });
  expect([status, text]).toEqual([200, expect.stringContaining('"ok":true')]);
  return JSON.parse(text) as { secret: string; webhook: { id: number; events: string[] | null } };
}

describe('webhooks in the settings', () => {
  test('are made by a form, whose secret is shown once', async () => {
    const { cookie } = await portal.signedIn();
    const sent = await portal.sendForm(page, { ...fields, enabled: 'on' }, { cookie });
    expect(sent.status).toBe(303);
    expect(sent.location).toMatch(/^\/dashboard\/settings\/webhooks\/\d+\/secret$/);
    const [kept] = sent.answer.headers
      .getSetCookie()
      .filter((each) => each.startsWith('sluice-new-webhook='));
    expect(kept).toMatch(/HttpOnly.*SameSite=Strict/i);
    expect(kept).not.toContain('whsec_');
    const both = `${cookie}; ${kept?.split(';')[0]}`;
    const shown = await portal.ask(sent.location ?? '', { headers: { ...html, cookie: both } });
    expect(shown.text).toMatch(/whsec_[A-Za-z0-9+/]{43}=/);
    expect(shown.answer.headers.getSetCookie().join()).toContain('sluice-new-webhook=;');
    const again = await portal.ask(sent.location ?? '', { headers: { ...html, cookie } });
    expect(again.text).not.toContain('whsec_');
    const list = await portal.ask(page, { headers: { ...html, cookie } });
    expect(list.text).toContain('On call');
    expect(list.text).toContain('example.com');
  });

  test('are shown in every language with their form and their history, without a word missing', async () => {
    const { cookie } = await portal.signedIn();
    const { webhook } = await make(cookie, { name: 'Ada <b>' });
    await portal.sendJson(`${page}/${webhook.id}/test`, {}, { cookie });
    const [delivery] = await storage.db.select().from(webhookDeliveries);
    await storage.db.insert(webhookTries).values({
      ...{ deliveryId: delivery?.id ?? 0, at: new Date(portal.nowMs()), status: 500, durationMs: 42 },
      error: 'answered with status 500',
    });
    for (const language of languages) {
      for (const path of [page, `${page}/new`, `${page}/${webhook.id}`, `${page}/${webhook.id}/secret`]) {
        const { status, text } = await portal.ask(path, {
          headers: { ...html, cookie, 'accept-language': language },
        });
        expect([path, status]).toEqual([path, 200]);
        expect(text).not.toMatch(/undefined|\[object|NaN|<b>/);
        const ids = [...text.matchAll(/<(?:input|select)[^>]* id="([^"]+)"/g)].map(([, id]) => id);
        expect(new Set(ids).size).toBe(ids.length);
      }
    }
    const { text } = await portal.ask(`${page}/${webhook.id}`, { headers: { ...html, cookie } });
    expect(text).toContain('webhook.test');
    expect(text).toContain('42 ms');
    expect(text).toContain('Ada &lt;b&gt;');
  });

  test('are changed, tried, sent again, rotated and deleted', async () => {
    const { cookie } = await portal.signedIn();
    const { webhook, secret } = await make(cookie, { events: ['wallet.low'], events_are: undefined });
    expect(webhook.events).toEqual(['wallet.low']);
    const at = `${page}/${webhook.id}`;
    const changed = await portal.sendForm(
      at,
      { ...fields, events_are: 'some', events: 'payment.received', enabled: 'off', format: 'slack' },
      { cookie },
    );
    expect([changed.status, changed.location]).toEqual([303, at]);
    const told = await portal.sendJson(at, { ...fields, events: null, enabled: true }, { cookie });
    expect(JSON.parse(told.text)).toMatchObject({ ok: true, webhook: { events: null, enabled: true } });
    expect((await portal.sendJson(`${at}/test`, {}, { cookie })).status).toBe(200);
    const waiting = (await storage.db.select().from(webhookDeliveries)).find(
      ({ webhookId }) => webhookId === webhook.id,
    );
    const again = await portal.sendJson(`${at}/deliveries/${waiting?.id}/redeliver`, {}, { cookie });
    expect(again.status).toBe(409);
    const rotated = JSON.parse((await portal.sendJson(`${at}/rotate`, {}, { cookie })).text);
    expect(rotated.secret).toStartWith('whsec_');
    expect(rotated.secret).not.toBe(secret);
    expect((await portal.sendJson(`${at}/resume`, {}, { cookie })).status).toBe(200);
    expect((await portal.sendJson(`${at}/delete`, {}, { cookie })).status).toBe(200);
    expect((await portal.ask(at, { headers: { ...html, cookie } })).status).toBe(404);
  });

  test('are not overwritten by a form that was drawn before somebody else changed them', async () => {
    const { cookie } = await portal.signedIn();
    const { webhook } = await make(cookie);
    const at = `${page}/${webhook.id}`;
    const shown = async () => (await portal.ask(at, { headers: { ...html, cookie } })).text;
    const seen = /name="seen" value="([^"]+)"/.exec(await shown())?.[1] ?? '';
    const url = 'https://example.com/moved';
    await portal.sendJson(at, { ...fields, url, enabled: false }, { cookie });
    const stale = { ...fields, name: 'Renamed', enabled: 'on', seen };
    // A mistake is mended first, which does not make the form a newer one.
    const mistaken = await portal.sendForm(at, { ...stale, events_are: 'some', events: '' }, { cookie });
    const drawn = mistaken.answer.headers.getSetCookie().map((each) => each.split(';')[0]);
    const again = await portal.ask(at, { headers: { ...html, cookie: [cookie, ...drawn].join('; ') } });
    expect(again.text).toContain(`name="seen" value="${seen}"`);
    const refused = await portal.sendForm(at, stale, { cookie });
    expect(refused.location).toBe(at);
    const kept = refused.answer.headers.getSetCookie().map((each) => each.split(';')[0]);
    const told = await portal.ask(at, { headers: { ...html, cookie: [cookie, ...kept].join('; ') } });
    expect(told.text).toContain('Somebody else changed this meanwhile.');
    expect(told.text).toContain(`It is now: ${url}`);
    expect(told.text).toContain('It is now: Off');
    expect(told.text).toContain('value="Renamed"');
    expect(await shown()).toContain(url);
    const byProgram = await portal.sendJson(at, { ...fields, seen }, { cookie });
    expect(byProgram.status).toBe(409);
    // Whoever was shown what it is now may save over that.
    const now = /name="seen" value="([^"]+)"/.exec(told.text)?.[1] ?? '';
    await portal.sendForm(at, { ...stale, seen: now }, { cookie });
    expect(await shown()).toContain('Renamed');
  });

  test('are not made for some events without one that is named', async () => {
    const { cookie } = await portal.signedIn();
    const none = { ...fields, events_are: 'some', events: '' };
    expect((await portal.sendForm(page, none, { cookie })).location).toBe(`${page}/new`);
    expect((await portal.sendJson(page, { ...none, events: [] }, { cookie })).status).toBe(422);
    expect((await portal.ask(page, { headers: { ...html, cookie } })).text).not.toContain('On call');
  });

  test('are tried ten times at once by an account, and then once a minute', async () => {
    const { cookie } = await portal.signedIn();
    const { webhook } = await make(cookie);
    const at = `${page}/${webhook.id}`;
    const test = async () => (await portal.sendJson(`${at}/test`, {}, { cookie })).status;
    for (let times = 0; times < 10; times += 1) expect(await test()).toBe(200);
    expect(await test()).toBe(429);
    const again = await portal.sendJson(`${at}/deliveries/1/redeliver`, {}, { cookie });
    expect(again.status).toBe(429);
    portal.setNowMs(portal.nowMs() + 60_000);
    expect([await test(), await test()]).toEqual([200, 429]);
  });

  test('are deleted by a form with their name alone, which the server compares', async () => {
    const { cookie } = await portal.signedIn();
    const { webhook } = await make(cookie, { name: 'On call' });
    const at = `${page}/${webhook.id}`;
    const isThere = async () => (await portal.ask(at, { headers: { ...html, cookie } })).status === 200;
    for (const typed of [{}, { 'remove-name': '' }, { 'remove-name': 'on call' }]) {
      const refused = await portal.sendForm(`${at}/delete`, typed, { cookie, 'accept-language': 'de' });
      expect([refused.status, refused.location]).toEqual([303, at]);
      expect(await isThere()).toBe(true);
      const kept = refused.answer.headers.getSetCookie().map((each) => each.split(';')[0]);
      const { text } = await portal.ask(at, {
        headers: { ...html, cookie: [cookie, ...kept].join('; '), 'accept-language': 'de' },
      });
      expect(text).toContain('Das ist nicht der Name des Webhooks.');
    }
    expect((await portal.sendJson(`${at}/delete`, { 'remove-name': 'other' }, { cookie })).status).toBe(422);
    const gone = await portal.sendForm(`${at}/delete`, { 'remove-name': ' On call ' }, { cookie });
    expect([gone.status, gone.location]).toEqual([303, page]);
    expect(await isThere()).toBe(false);
  });

  test('say in the reader’s words what is wrong with an address, and keep what was written', async () => {
    const { cookie } = await portal.signedIn();
    const refused = await portal.sendForm(
      page,
      { ...fields, url: 'https://169.254.169.254/', name: 'Metadata' },
      { cookie, 'accept-language': 'de' },
    );
    expect([refused.status, refused.location]).toEqual([303, `${page}/new`]);
    const kept = refused.answer.headers.getSetCookie().map((each) => each.split(';')[0]);
    const shown = await portal.ask(`${page}/new`, {
      headers: { ...html, cookie: [cookie, ...kept].join('; '), 'accept-language': 'de' },
    });
    expect(shown.text).toContain('Sie führt in ein privates Netz');
    expect(shown.text).toContain('value="Metadata"');
    const sent = new URLSearchParams([
      ...[
        ['name', 'Some'],
        ['url', 'https://169.254.169.254/'],
        ['format', 'standard'],
      ],
      ...[
        ['events_are', 'some'],
        ['events', ''],
        ['events', 'wallet.low'],
        ['events', 'key.expired'],
      ],
      ['enabled', 'off'],
    ]);
    const again = await portal.ask(page, {
      ...{ method: 'POST', body: sent.toString() },
      headers: { ...html, cookie, 'content-type': 'application/x-www-form-urlencoded' },
    });
    const keptAgain = again.answer.headers.getSetCookie().map((each) => each.split(';')[0]);
    const { text } = await portal.ask(`${page}/new`, {
      headers: { ...html, cookie: [cookie, ...keptAgain].join('; ') },
    });
    const isTicked = (id: string) => new RegExp(`<input[^>]*id="${id}"[^>]*\\bchecked`).test(text);
    const ids = [
      'events_are-some',
      'events-wallet.low',
      'events-key.expired',
      'events-payment.received',
      'enabled',
    ];
    expect(ids.filter(isTicked)).toEqual(ids.slice(0, 3));
    const program = await portal.sendJson(page, { ...fields, url: 'http://example.com' }, { cookie });
    expect([program.status, JSON.parse(program.text).ok]).toEqual([422, false]);
  });

  test('are looked up while nobody waits for the database, whose one connection a transaction would hold', async () => {
    const embedded = await testDatabases.find(({ kind }) => kind === 'embedded')?.open();
    if (embedded === undefined) throw new Error('There is no embedded database.');
    let lookUps = 0;
    const webhookNetwork = {
      isPrivateAllowed: false,
      async resolve() {
        await embedded.db.select().from(users).limit(1);
        lookUps += 1;
        return [{ address: '93.184.215.14', family: 4 as const }];
      },
    };
    const alone = await openTestPortal(embedded, { webhookNetwork });
    const { cookie } = await alone.signedIn();
    const made = await alone.sendJson(page, fields, { cookie });
    expect(made.status).toBe(200);
    const { id } = JSON.parse(made.text).webhook;
    expect((await alone.sendJson(`${page}/${id}`, fields, { cookie })).status).toBe(200);
    expect(lookUps).toBe(2);
    await alone.close();
    await embedded.close();
  });

  test('of an organisation are its administrators’ alone, and those of others are not there', async () => {
    const first = await newOrganisation('first');
    const second = await newOrganisation('second');
    const admin = await signedInAt(first, 'org_admin');
    const colleague = await signedInAt(first, 'org_admin');
    const member = await signedInAt(first, 'member');
    const foreign = await signedInAt(second, 'org_admin');
    const { webhook } = await make(admin.cookie);
    const at = `${page}/${webhook.id}`;
    const statusFor = async (cookie: string) =>
      (await portal.ask(at, { headers: { ...html, cookie } })).status;
    expect(await statusFor(colleague.cookie)).toBe(200);
    expect(await statusFor(member.cookie)).toBe(404);
    expect(await statusFor(foreign.cookie)).toBe(404);
    for (const action of ['', '/test', '/rotate', '/resume', '/delete']) {
      expect((await portal.sendJson(`${at}${action}`, fields, { cookie: member.cookie })).status).toBe(404);
      expect((await portal.sendJson(`${at}${action}`, fields, { cookie: foreign.cookie })).status).toBe(404);
    }
    expect((await portal.sendJson(page, fields, { cookie: member.cookie })).status).toBe(403);
    const list = await portal.ask(page, { headers: { ...html, cookie: member.cookie } });
    expect([list.status, list.text.includes('On call')]).toEqual([200, false]);
  });
});
