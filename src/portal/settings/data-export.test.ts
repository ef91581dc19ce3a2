import { beforeEach, describe, expect, test } from 'bun:test';
import { within } from '../../../test/support/writing.ts';
import { everybody, onlyOf } from '../../base/scope.ts';
import { clockShowing } from '../../base/testing/manual-clock.ts';
import { readZip } from '../../base/testing/read-zip.ts';
import { silentLog } from '../../base/testing/silent-log.ts';
import { createKey } from '../../identity/index.ts';
import { apiKeys } from '../../storage/schema/api-keys.ts';
import { languages } from '../languages/language.ts';
import { type TestPortal, withTestPortal } from '../testing/test-portal.ts';
import { makeWaitingExports } from './data-export-keeper.ts';
import { removeEverywhere } from './remove-account.ts';

const password = 'four plain words here';
const page = '/dashboard/settings/data';
const path = '/dashboard/settings/export';
const html = { accept: 'text/html' };

let portal: TestPortal;
withTestPortal((opened) => {
  ({ portal } = opened);
});
beforeEach(() => portal.setNowMs(portal.nowMs() + 3_600_000));

const make = () => makeWaitingExports({ ...portal.services, log: silentLog }, new AbortController().signal);
const ask = (cookie: string, body: object = {}) => portal.sendJson(path, body, { cookie });
const state = async (cookie: string) => JSON.parse((await portal.ask(path, { headers: { cookie } })).text);
const fetchFile = async (cookie: string) => {
  const answer = await portal.app.request(`http://sluice.test${path}/download`, { headers: { cookie } });
  return { answer, bytes: new Uint8Array(await answer.arrayBuffer()) };
};

describe('the file with all data of an account', () => {
  test('is asked for, made in the background, and fetched as often as one likes for a day', async () => {
    const { user, cookie } = await portal.signedIn({ name: 'Ada <b>', password });
    const { token } = await portal.write(within(everybody, createKey), 'sluice_', {
      ...{ ownerId: user.id, name: 'build' },
    });
    const hook = {
      name: 'on call',
      url: 'https://example.com/hook',
      format: 'standard',
      events: ['wallet.low'],
    };
    const made = await portal.sendJson('/dashboard/settings/webhooks', hook, { cookie });
    const { secret: webhookSecret } = JSON.parse(made.text);
    expect(await state(cookie)).toMatchObject({ ok: true, status: 'none' });
    const asked = await ask(cookie);
    expect([asked.status, JSON.parse(asked.text)]).toMatchObject([200, { ok: true, status: 'waiting' }]);
    expect((await fetchFile(cookie)).answer.status).toBe(404);
    for (const language of languages) {
      const headers = { ...html, cookie, 'accept-language': language };
      const waiting = await portal.ask(page, { headers });
      expect([waiting.status, waiting.text.includes('data-reload-after="5"')]).toEqual([200, true]);
      expect(waiting.text).toContain('aria-busy="true"');
      expect(waiting.text).not.toMatch(/undefined|\[object|NaN/);
    }
    await make();
    expect(await state(cookie)).toMatchObject({ status: 'ready', expires_at: expect.any(String) });
    const ready = await portal.ask(page, { headers: { ...html, cookie } });
    expect(ready.text).toContain(`href="${path}/download"`);
    expect(ready.text).not.toContain('data-reload-after');
    const { answer, bytes } = await fetchFile(cookie);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/zip');
    expect(answer.headers.get('content-disposition')).toMatch(
      /^attachment; filename="account-data-[\d-]+\.zip"$/,
    );
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('content-length')).toBe(String(bytes.length));
    const files = readZip(bytes);
    expect([...files.keys()]).toEqual([
      ...['profile.json', 'api-keys.json', 'sessions.json', 'passkeys.json', 'identities.json'],
      ...[
        'terms-accepted.json',
        'notification-contacts.jsonl',
        'webhooks.json',
        'activity.jsonl',
        'statement.csv',
        'requests.csv',
        'export.json',
      ],
    ]);
    expect(JSON.parse(files.get('profile.json') ?? '')).toMatchObject({ email: user.email, name: 'Ada <b>' });
    expect(JSON.parse(files.get('api-keys.json') ?? '')).toMatchObject([{ name: 'build' }]);
    expect(JSON.parse(files.get('terms-accepted.json') ?? '')).toHaveLength(1);
    expect(files.get('activity.jsonl')).toContain('session.started');
    const contacts = files.get('notification-contacts.jsonl')?.trim().split('\n') ?? [];
    expect(contacts.map((line) => JSON.parse(line))).toMatchObject([
      { main: true, kinds: expect.arrayContaining(['payment', 'new_account']) },
    ]);
    expect(JSON.parse(files.get('webhooks.json') ?? '')).toMatchObject([hook]);
    expect(JSON.parse(files.get('export.json') ?? '')).toMatchObject({ oldest_requests_left_out: false });
    const everything = [...files.values()].join('\n');
    expect(everything).not.toMatch(/sealed/i);
    for (const secret of [token, '$argon2', webhookSecret, cookie.replace('sluice=', '')]) {
      expect(everything).not.toContain(secret);
    }
    expect((await fetchFile(cookie)).bytes).toEqual(bytes);
    portal.setNowMs(portal.nowMs() + 86_400_001);
    expect(await state(cookie)).toMatchObject({ status: 'none' });
    expect((await fetchFile(cookie)).answer.status).toBe(404);
  });

  test('lasts a day, whichever clock the processes have that make and remove exports', async () => {
    const { cookie } = await portal.signedIn();
    const makeAt = (aheadMs: number) =>
      makeWaitingExports(
        { ...portal.services, log: silentLog, clock: clockShowing(() => portal.nowMs() + aheadMs) },
        new AbortController().signal,
      );
    await ask(cookie);
    await makeAt(-2 * 86_400_000);
    expect(await state(cookie)).toMatchObject({ status: 'ready' });
    await makeAt(2 * 86_400_000);
    expect(await state(cookie)).toMatchObject({ status: 'ready' });
  });

  test('has all keys, however many pages they are, and is sound without any', async () => {
    const { storage } = portal.services;
    const keysOf = async (count: number) => {
      const { user, cookie } = await portal.signedIn();
      const rows = Array.from({ length: count }, (_, at) => ({
        ...{ ownerId: user.id, name: `key ${at}`, tokenHash: `${at} of ${user.id}` },
        ...{ tokenPrefix: 'sluice_', tokenLastFour: 'last' },
      }));
      if (count > 0) await storage.db.insert(apiKeys).values(rows);
      await ask(cookie);
      await make();
      return JSON.parse(readZip((await fetchFile(cookie)).bytes).get('api-keys.json') ?? '');
    };
    expect(await keysOf(0)).toEqual([]);
    expect((await keysOf(1001)).map(({ name }: { name: string }) => name)).toEqual(
      Array.from({ length: 1001 }, (_, at) => `key ${at}`),
    );
  });

  test('is nobody else’s, and goes with its account', async () => {
    const [mine, theirs] = [await portal.signedIn(), await portal.signedIn()];
    await ask(mine.cookie);
    await make();
    expect((await fetchFile(mine.cookie)).answer.status).toBe(200);
    expect((await fetchFile(theirs.cookie)).answer.status).toBe(404);
    expect((await fetchFile('')).answer.status).toBe(401);
    expect((await ask('')).status).toBe(401);
    const head = await portal.ask(`${path}/download`, { method: 'HEAD', headers: { cookie: theirs.cookie } });
    expect(head.text).toBe('');
    await ask(theirs.cookie);
    const { user } = theirs;
    const removal = { userId: user.id, typedEmail: user.email, actor: user };
    await portal.write(within(onlyOf(user.id), removeEverywhere), removal);
    await make();
    expect(await state(mine.cookie)).toMatchObject({ status: 'ready' });
  });

  test('needs a proof once the sign-in is a while ago, by a form too', async () => {
    const { cookie } = await portal.signedIn({ password });
    portal.setNowMs(portal.nowMs() + 600_000);
    expect((await ask(cookie)).status).toBe(403);
    const wrong = await ask(cookie, { password: 'wrong' });
    expect([wrong.status, Object.keys(JSON.parse(wrong.text).fields)]).toEqual([422, ['password']]);
    for (const odd of [{ password: 'x'.repeat(2000) }, { password: [password] }, { password: {} }]) {
      expect((await ask(cookie, odd)).status).toBe(422);
    }
    const sent = await portal.sendForm(path, { password }, { cookie });
    expect([sent.status, sent.location]).toEqual([303, page]);
    expect(await state(cookie)).toMatchObject({ status: 'waiting' });
    const { text } = await portal.ask(page, { headers: { ...html, cookie } });
    const ids = [...text.matchAll(/<input[^>]* id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    await make();
  });

  test('429 for who asks for it again and again', async () => {
    const { cookie } = await portal.signedIn();
    const statuses = [];
    for (let count = 0; count < 6; count += 1) statuses.push((await ask(cookie)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  });
});
