import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { Hono } from 'hono';
import { usualDatabase } from '../../test/support/databases.ts';
import { type Write, within, writerOn } from '../../test/support/writing.ts';
import { ByteBudget } from '../base/byte-budget.ts';
import { proxyList } from '../base/client-address.ts';
import { Deadlines } from '../base/deadlines.ts';
import { openEnvelope } from '../base/envelope.ts';
import { systemIds } from '../base/ids.ts';
import type { LogFields } from '../base/log.ts';
import { everybody, onlyOf } from '../base/scope.ts';
import { clockShowing } from '../base/testing/manual-clock.ts';
import { silentLog } from '../base/testing/silent-log.ts';
import { noUsage } from '../base/token-usage.ts';
import { Catalogue, type ModelDeclaration, upsertModels, upsertProviders } from '../catalogue/index.ts';
import { acceptLegal, createKey, createUser, issueToken, revokeKey } from '../identity/index.ts';
import { startSession } from '../identity/sessions.ts';
import { signedInBy } from '../identity/testing/signed-in-by.ts';
import type { NewUser } from '../identity/users.ts';
import { Wallets } from '../ledger/index.ts';
import { MemoryLimiter } from '../limits/index.ts';
import { Outbox } from '../notifications/index.ts';
import type { Storage } from '../storage/index.ts';
import { transact } from '../storage/work.ts';
import type { UsageRecord } from '../usage/index.ts';
import { insertUsage, requestIdAt } from '../usage/testing/insert-usage.ts';
import { noUnits } from '../usage/testing/no-units.ts';
import { createPortal, openLegalTexts, type PortalServices } from './index.ts';
import { descriptions } from './testing/test-portal.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const weekSeconds = (7 * dayMs) / 1000;
const origin = 'http://sluice.test';

describe('the portal', () => {
  let storage: Storage;
  let write: Write;
  let catalogue: Catalogue;
  let wallets: Wallets;
  let services: PortalServices;
  let portal: Hono;
  let nowMs = Date.UTC(2031, 0, 1);
  const clock = clockShowing(() => nowMs);

  beforeAll(async () => {
    storage = await usualDatabase.open();
    const { db, changes } = storage;
    const parts = { storage, clock, ids: systemIds };
    write = writerOn(parts);
    const envelope = await openEnvelope('a secret of more than thirty-two characters');
    await transact(parts, async (work) => {
      await upsertProviders({ ...work, envelope }, null, [
        { name: 'main', kind: 'openai', baseUrl: null, region: null, timeoutsMs: {}, credentials: [] },
      ]);
      await upsertModels(work, null, [
        model("it's-priced", {
          prices: { input: 150_000_000n, output: 600_000_000n },
          contextWindow: 128_000,
        }),
        model('unpriced', { displayOrder: 2 }),
        model('hears', { type: 'transcription', prices: { audio_second: 100_000_000_000n } }),
        model('speaks', { type: 'speech', prices: { character: 15_000_000_000n } }),
        model('sorts', { type: 'rerank', prices: { rerank_unit: 2_000_000_000_000n } }),
      ]);
    });
    const fail = (problem: unknown) => {
      throw new Error(String(problem));
    };
    catalogue = await Catalogue.open({ db, changes, envelope, clock, onReloadFailed: fail, onWarning: fail });
    wallets = new Wallets({ db, changes, clock, databaseMs: async () => clock.nowMs() });
    services = {
      ...parts,
      catalogue,
      wallets,
      mail: new Outbox({ ...parts, envelope, service: { name: 'Sluice', url: 'http://sluice.test' } }),
      legal: openLegalTexts(null),
      demonstration: null,
      trial: null,
      descriptions,
      keptMails: null,
      webhookNetwork: { isPrivateAllowed: false, resolve: async () => [] },
      envelope,
      identityProviders: [],
      resellerHosts: { find: () => undefined },
      log: silentLog,
      bodies: new ByteBudget(1024 ** 2),
      deadlines: new Deadlines(clock),
      limiter: new MemoryLimiter(clock),
      tokenPrefix: 'sluice_',
      publicUrl: null,
      lowBalance: { lowNanoUsd: 10_000_000_000n, veryLowNanoUsd: 2_000_000_000n },
      trustedProxies: proxyList([]),
      stopping: new AbortController().signal,
      isDevelopment: true,
    };
    portal = createPortal(services);
  });
  beforeEach(() => {
    nowMs = Date.UTC(2031, 0, 1);
  });
  afterAll(async () => {
    await catalogue.close();
    await storage.close();
  });

  let people = 0;
  /** Who has accepted the terms. */
  async function newUser(fields: Partial<NewUser> = {}) {
    people += 1;
    const email = `person-${people}@example.test`;
    const user = await write(createUser, { email, role: 'member', ...fields });
    await write(within(onlyOf(user.id), acceptLegal), services.legal.version);
    return user;
  }

  /** A person and the Cookie header of their browser. */
  async function signedIn(fields: Partial<NewUser> = {}) {
    const user = await newUser(fields);
    const { token } = await write(startSession, user.id, signedInBy('password'));
    return { user, cookie: `sluice=${token}` };
  }

  async function get(path: string, cookie?: string) {
    const headers = { accept: 'text/html', ...(cookie === undefined ? {} : { cookie }) };
    const answer = await portal.request(`${origin}${path}`, { headers });
    return { answer, text: await answer.text(), location: answer.headers.get('location') };
  }

  /** Presses the button that a page at this path has. */
  async function press(path: string, cookie?: string, headers: Record<string, string> = {}) {
    const sent = { accept: 'text/html', ...(cookie === undefined ? {} : { cookie }), ...headers };
    const answer = await portal.request(`${origin}${path}`, { method: 'POST', headers: sent });
    return { answer, text: await answer.text(), location: answer.headers.get('location') };
  }

  const newLink = async (userId: number) => `/sign-in/${(await write(issueToken, 'sign_in', userId)).secret}`;

  describe('signing in', () => {
    test('303 to the dashboard with a session, once: 410 the second time', async () => {
      const user = await newUser();
      const link = await newLink(user.id);
      const first = await press(link);
      expect(first.answer.status).toBe(303);
      expect(first.location).toBe('/dashboard');
      const cookie = readCookie(first.answer);
      expect(cookie.attributes).toEqual(['HttpOnly', `Max-Age=${weekSeconds}`, 'Path=/', 'SameSite=Lax']);
      const dashboard = await get('/dashboard', cookie.pair);
      expect(dashboard.answer.status).toBe(200);
      expect(dashboard.text).toContain(user.email);
      for (const second of [await press(link), await get(link)]) {
        expect(second.answer.status).toBe(410);
        expect(second.answer.headers.getSetCookie()).toEqual([]);
        expect(second.text).toContain('users sign-in-link');
      }
    });

    test('opening a link shows whose it is and one button, however often, and signs nobody in', async () => {
      const user = await newUser();
      const link = await newLink(user.id);
      for (let opened = 0; opened < 3; opened += 1) {
        const { answer, text } = await get(link);
        expect(answer.status).toBe(200);
        expect(answer.headers.getSetCookie()).toEqual([]);
        expect(text).toContain(`You will be ${user.email} in this browser.`);
        expect(formsTo(text)).toEqual(['/preferences', link, '/preferences']);
      }
      expect((await press(link)).answer.status).toBe(303);
    });

    test('another site’s page cannot press the button', async () => {
      const link = await newLink((await newUser()).id);
      for (const headers of [
        { 'sec-fetch-site': 'cross-site', origin: 'null' },
        { 'sec-fetch-site': 'same-site', origin: 'http://other.test' },
        { origin: 'http://other.test' },
      ]) {
        const { answer, text } = await press(link, undefined, headers);
        expect(answer.status).toBe(403);
        expect(answer.headers.getSetCookie()).toEqual([]);
        expect(text).toContain('a page of another site');
      }
      const own = { 'sec-fetch-site': 'same-origin', origin: 'null' };
      expect((await press(link, undefined, own)).answer.status).toBe(303);
    });

    test('410 for a link that is over and for one that never was', async () => {
      const link = await newLink((await newUser()).id);
      nowMs += hourMs;
      for (const path of [link, '/sign-in/nonsense']) {
        expect((await get(path)).answer.status).toBe(410);
        expect((await press(path)).answer.status).toBe(410);
      }
    });

    test('HEAD leaves a link and a session as they are', async () => {
      const { user, cookie } = await signedIn();
      const link = await newLink(user.id);
      for (const path of [link, '/logout']) {
        await portal.request(`${origin}${path}`, { method: 'HEAD', headers: { cookie } });
      }
      expect((await get('/dashboard', cookie)).answer.status).toBe(200);
      expect((await press(link)).answer.status).toBe(303);
    });

    test('ends the session that the browser had before', async () => {
      const { user, cookie } = await signedIn();
      expect((await press(await newLink(user.id), cookie)).answer.status).toBe(303);
      expect((await get('/dashboard', cookie)).answer.status).toBe(303);
    });

    test('a link that does not work leaves the session that there is', async () => {
      const { cookie } = await signedIn();
      expect((await press('/sign-in/nonsense', cookie)).answer.status).toBe(410);
      expect((await get('/dashboard', cookie)).answer.status).toBe(200);
    });

    test('on https the cookie is Secure and __Host-, whatever the proxy speaks to us', async () => {
      const behindProxy = createPortal({ ...services, publicUrl: 'https://sluice.example' });
      const link = await newLink((await newUser()).id);
      const cookie = readCookie(
        await behindProxy.request(`${origin}${link}`, {
          method: 'POST',
          headers: { origin: 'https://sluice.example' },
        }),
      );
      expect(cookie.pair).toStartWith('__Host-sluice=');
      expect(cookie.attributes).toContain('Secure');
      const seen = await behindProxy.request(`${origin}/dashboard`, { headers: { cookie: cookie.pair } });
      expect(seen.status).toBe(200);
      expect(await seen.text()).toContain('https://sluice.example/v1');
    });

    test('without a configured address the request says whether it is https', async () => {
      const link = await newLink((await newUser()).id);
      const cookie = readCookie(await portal.request(`https://sluice.test${link}`, { method: 'POST' }));
      expect(cookie.pair).toStartWith('__Host-sluice=');
    });
  });

  describe('sessions', () => {
    test('303 to the sign-in page without one, with an unknown one and with one that is over', async () => {
      const { cookie } = await signedIn();
      nowMs += 7 * dayMs;
      for (const given of [undefined, 'sluice=nonsense', cookie]) {
        const { answer, location } = await get('/dashboard', given);
        expect(answer.status).toBe(303);
        expect(location).toBe('/login');
      }
    });

    test('slide, and the cookie with them', async () => {
      const { cookie } = await signedIn();
      nowMs += 6 * dayMs;
      const { answer } = await get('/dashboard', cookie);
      expect(readCookie(answer).pair).toBe(cookie);
      expect(readCookie(answer).attributes).toContain(`Max-Age=${weekSeconds}`);
      nowMs += 6 * dayMs;
      expect((await get('/dashboard', cookie)).answer.status).toBe(200);
    });

    test.each(['GET', 'POST'])('end with %s /logout, on the server too', async (method) => {
      const { cookie } = await signedIn();
      const { answer, location } =
        method === 'GET' ? await get('/logout', cookie) : await press('/logout', cookie);
      expect([answer.status, location]).toEqual([303, '/']);
      expect(readCookie(answer).attributes).toContain('Max-Age=0');
      expect((await get('/dashboard', cookie)).answer.status).toBe(303);
    });

    test.each([
      ['a link on another site', 'GET', { 'sec-fetch-site': 'cross-site' }],
      ['a browser that reads ahead', 'GET', { 'sec-fetch-site': 'same-origin', 'sec-purpose': 'prefetch' }],
    ])('are not ended by %s, which is asked first', async (_what, method, headers) => {
      const { cookie } = await signedIn();
      const answer = await portal.request(`${origin}/logout`, { method, headers: { cookie, ...headers } });
      expect(answer.status).toBe(200);
      expect(answer.headers.getSetCookie()).toEqual([]);
      expect(formsTo(await answer.text())).toContain('/logout');
      expect((await get('/dashboard', cookie)).answer.status).toBe(200);
      const own = { 'sec-fetch-site': 'same-origin', origin: 'null' };
      expect((await press('/logout', cookie, own)).location).toBe('/');
    });

    test.each([
      ['a form on another site', { 'sec-fetch-site': 'cross-site', origin: 'null' }],
      ['one of a browser that tells little', { origin: 'http://other.test' }],
    ])('are not ended by %s: 403', async (_what, headers) => {
      const { cookie } = await signedIn();
      expect((await press('/logout', cookie, headers)).answer.status).toBe(403);
      expect((await get('/dashboard', cookie)).answer.status).toBe(200);
    });

    test.each([
      ['suspended', '/account/suspended'],
      ['unverified', '/verify-email'],
      ['archived', '/account/archived'],
    ] as const)('303 for a person who is %s to %s, and 403 for their program', async (status, way) => {
      const { cookie, user } = await signedIn({ status });
      await write(within(everybody, createKey), 'sluice_', { ownerId: user.id, name: 'behind the door' });
      const { answer, location } = await get('/dashboard', cookie);
      expect([answer.status, location]).toEqual([303, way]);
      const shown = await get(way, cookie);
      expect(shown.answer.status).toBe(200);
      expect(shown.text).toContain('/logout');
      expect(shown.text).not.toContain('behind the door');
      const program = await portal.request(`${origin}/dashboard`, { headers: { cookie } });
      expect(program.status).toBe(403);
      expect(await program.json()).toMatchObject({ ok: false });
    });
  });

  describe('the dashboard', () => {
    test('of a new account says what to do next', async () => {
      const { cookie, user } = await signedIn();
      const { text } = await get('/dashboard', cookie);
      expect(text).toContain('$0.00');
      expect(text).not.toContain('npx sluice');
      expect(text).toContain(`add money to the wallet of <strong class="whole">${user.email}</strong>`);
      expect(text).toContain('href="/dashboard/keys/new"');
      expect(text).toContain('No request yet');
    });

    test('of who runs the service says by which command money is added', async () => {
      const { cookie, user } = await signedIn({ role: 'platform_admin' });
      const { text } = await get('/dashboard', cookie);
      expect(text).toContain(`npx sluice wallet credit \\\n  --owner ${user.email}`);
    });

    test('shows balance, keys and requests of the person, and nothing of anybody else', async () => {
      const { cookie, user } = await signedIn();
      const other = await signedIn();
      for (const { id } of [user, other.user]) await fill(id);
      const { text } = await get('/dashboard', cookie);
      expect(text).toContain('$12.34');
      expect(text).toContain(`key-of-${user.id}`);
      expect(text).toContain(`model-of-${user.id}`);
      expect(text).not.toContain(`-of-${other.user.id}`);
      expect(text).not.toContain(other.user.email);
    });

    test('shows tokens by their visible parts, and no revoked key', async () => {
      const { cookie, user } = await signedIn();
      const { key, token } = await write(within(everybody, createKey), 'sluice_', {
        ownerId: user.id,
        name: 'one',
      });
      await write(within(everybody, createKey), 'sluice_', { ownerId: user.id, name: 'two', enabled: false });
      await write(within(everybody, createKey), 'sluice_', {
        ownerId: user.id,
        name: 'three',
        expiresAt: new Date(nowMs + 1),
      });
      const revoked = await write(within(everybody, createKey), 'sluice_', {
        ownerId: user.id,
        name: 'four',
      });
      await write(within(everybody, revokeKey), revoked.key.id);
      nowMs += 1;
      const { text } = await get('/dashboard', cookie);
      expect(text).toContain(`${key.tokenPrefix}…${key.tokenLastFour}`);
      expect(text).not.toContain(token);
      expect(text).not.toContain('>four<');
      for (const state of ['Active', 'Disabled', 'Expired']) expect(text).toContain(`>${state}<`);
    });

    test('lists the last 10 requests, newest first, with counts, cost and outcome', async () => {
      const { cookie, user } = await signedIn();
      await insertUsage(
        storage.db,
        Array.from({ length: 21 }, (_, index) => {
          const startedAt = new Date(nowMs - index * 60_000);
          return record(user.id, { model: `m-${index}-`, requestId: requestIdAt(startedAt), startedAt });
        }),
      );
      const { text } = await get('/dashboard', cookie);
      const list = text.slice(text.indexOf('id="requests"'));
      const shown = [...list.matchAll(/>m-(\d+)-</g)].map(([, index]) => Number(index));
      expect(shown).toEqual(Array.from({ length: 10 }, (_, index) => index));
      for (const part of [
        '≈ 1,010 → 7',
        '1.50 s',
        '>$0.000012<',
        '0.000012345 USD',
        '> client disconnected<',
      ]) {
        expect(text).toContain(part);
      }
    });

    test('lists models with a price, the others only for who is not charged', async () => {
      const { text } = await get('/dashboard/models', (await signedIn()).cookie);
      const amounts = ['$0.006 per minute', '$15.00 per million characters', '$2.00 per 1,000 searches'];
      const words = text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
      for (const part of ['it&#39;s-priced', '128,000', '$0.15', '$0.60', ...amounts]) {
        expect(words).toContain(part);
      }
      expect(text).not.toContain('unpriced');
      const exempt = await get('/dashboard/models', (await signedIn({ billingExempt: true })).cookie);
      expect(exempt.text).toContain('unpriced');
    });

    test('shows what is not counted in tokens in its own units', async () => {
      const { cookie, user } = await signedIn();
      await insertUsage(storage.db, [
        record(user.id, { ...noUsage, ...noUnits, estimated: false, audioMs: 61_500 }),
        record(user.id, { ...noUsage, ...noUnits, estimated: false, characters: 1_204 }),
        record(user.id, { ...noUsage, ...noUnits, estimated: false, rerankUnits: 1, inputTokens: 30 }),
        record(user.id, { ...noUsage, ...noUnits, inputTokens: 40, extras: { web_search: 2, container: 1 } }),
      ]);
      const { text } = await get('/dashboard', cookie);
      for (const part of [
        ...['>1 min 02 s of audio<', '>1,204 characters<', '>30 → 0, 1 search<'],
        '>40 → 0, 2 web searches, 1 container<',
      ]) {
        expect(text).toContain(part);
      }
    });

    test('shows a balance to its last digit', async () => {
      const { cookie, user } = await signedIn();
      const deposit = { userId: user.id, amountNanoUsd: 4_500_000n, businessKey: `small ${user.id}` };
      await write((work) => wallets.deposit(work, deposit));
      expect((await get('/dashboard', cookie)).text).toContain('$0.00<span class="fraction">45</span>');
    });

    test('escapes what people named, for the page and for the shell', async () => {
      const { cookie, user } = await signedIn();
      await write(within(everybody, createKey), 'sluice_', {
        ownerId: user.id,
        name: '<img src=x onerror=alert(1)>',
      });
      const { text } = await get('/dashboard', cookie);
      expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;');
      expect(text).not.toContain('<img');
      const odd = await signedIn({ email: "o'brien`x`@example.test", role: 'platform_admin' });
      const { text: oddText } = await get('/dashboard', odd.cookie);
      expect(oddText).toContain('--owner &#39;o&#39;\\&#39;&#39;brien`x`@example.test&#39;');
      expect(text).toContain('&quot;it&#39;\\&#39;&#39;s-priced&quot;');
    });
  });

  describe('every page', () => {
    test('the start shows the next steps to whoever asks', async () => {
      const { answer, text } = await get('/');
      expect(answer.status).toBe(200);
      for (const part of ['Sign in', `${origin}/v1/chat/completions`, 'href="/dashboard"'])
        expect(text).toContain(part);
    });

    test.each(['/', '/dashboard', '/sign-in/nonsense', '/logout'])(
      '%s is held tight by its headers',
      async (path) => {
        const { headers } = (await get(path)).answer;
        const policy = headers.get('content-security-policy')?.split('; ') ?? [];
        const own = ['script', 'style', 'img', 'font', 'connect'].map((kind) => `${kind}-src 'self'`);
        for (const directive of ["default-src 'none'", ...own, "frame-ancestors 'none'"]) {
          expect(policy).toContain(directive);
        }
        expect(policy.join()).not.toContain('unsafe');
        expect(headers.get('x-content-type-options')).toBe('nosniff');
        expect(headers.get('referrer-policy')).toBe('no-referrer');
        expect(headers.get('cache-control')).toBe('no-store');
      },
    );

    test('leaves the answers of other faces as they are', async () => {
      const whole = new Hono().route('/', portal).get('/v1/models', (context) => context.text('models'));
      for (const path of ['/v1/models', '/nowhere', '/dashboard/nowhere']) {
        const { headers } = await whole.request(`${origin}${path}`);
        expect(headers.has('content-security-policy')).toBe(false);
        expect(headers.has('cache-control')).toBe(false);
      }
    });

    test('loads only files that are there, kept for ever, without inline script or style', async () => {
      const { text } = await get('/dashboard', (await signedIn()).cookie);
      expect(text).not.toMatch(/<script(?![^>]* src=")|<style|\sstyle=|\son\w+=/);
      const links = [...text.matchAll(/<(?:link|script) [^>]*(?:href|src)="([^"]+)"/g)].map(
        ([, to]) => to ?? '',
      );
      expect(links.map((link) => link.replace(/-[0-9a-f]{16}/, ''))).toEqual([
        ...['/assets/inter-latin.woff2', '/assets/mark.svg', '/assets/portal.css'],
        ...[
          '/assets/frame.js',
          '/assets/keyboard.js',
          '/assets/palette.js',
          '/assets/table.js',
          '/assets/chart.js',
          '/assets/first-steps.js',
        ],
      ]);
      for (const link of links) {
        const { answer } = await get(link);
        expect(answer.status).toBe(200);
        expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
        expect(answer.headers.get('content-type')).toMatch(
          /^(text\/css|text\/javascript|image\/svg\+xml|font\/woff2)/,
        );
      }
    });

    test('that fails is 500 with the same headers, tells the log and not the reader', async () => {
      const lines: LogFields[] = [];
      const broken = createPortal({
        ...services,
        wallets: { available: () => Promise.reject(new Error('the inner reason')) },
        log: { ...silentLog, error: (_, fields) => lines.push(fields ?? {}) },
      });
      const { cookie } = await signedIn();
      const answer = await broken.request(`${origin}/dashboard`, { headers: { cookie } });
      expect(answer.status).toBe(500);
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(await answer.text()).not.toContain('the inner reason');
      expect(lines).toEqual([
        {
          method: 'GET',
          status: 500,
          path: '/dashboard',
          errorCode: 'internal_error',
          detail: 'the inner reason',
        },
      ]);
    });
  });

  async function fill(userId: number) {
    const { db } = storage;
    await write(within(everybody, createKey), 'sluice_', { ownerId: userId, name: `key-of-${userId}` });
    await insertUsage(db, [record(userId, { model: `model-of-${userId}` })]);
    const deposit = { userId, amountNanoUsd: 12_345_000_000n, businessKey: `fill ${userId}` };
    await write((work) => wallets.deposit(work, deposit));
  }

  function record(userId: number, change: Partial<UsageRecord>): UsageRecord {
    return {
      ...noUsage,
      ...noUnits,
      requestId: systemIds.requestId(),
      startedAt: new Date(nowMs),
      keyId: 1,
      userId,
      payerId: userId,
      organisationId: null,
      departmentId: null,
      projectId: null,
      endpoint: '/v1/chat/completions',
      model: 'any',
      provider: 'main',
      upstreamModel: 'any',
      streamed: true,
      status: 200,
      outcome: 'client_closed',
      errorCode: null,
      attempts: [{ provider: 'main', credentialId: 1, status: 200, latencyMs: 1, errorCode: null }],
      inputTokens: 10,
      cacheReadTokens: 1_000,
      outputTokens: 7,
      estimated: true,
      priceVersionId: null,
      exempt: false,
      costNanoUsd: 12_345n,
      chargedNanoUsd: 12_345n,
      durationMs: 1_500,
      firstByteMs: 100,
      overheadMs: 1,
      ...change,
    };
  }
});

function model(id: string, change: Partial<ModelDeclaration>): ModelDeclaration {
  return {
    id,
    type: 'chat',
    ownedBy: 'somebody',
    aliases: [],
    contextWindow: null,
    maxOutputTokens: null,
    capabilities: [],
    prices: null,
    deployments: [{ provider: 'main', upstreamId: id }],
    displayOrder: 1,
    ...change,
  };
}

/** Where the forms of a page are sent, in its order. */
function formsTo(text: string): readonly (string | undefined)[] {
  return [...text.matchAll(/<form method="post" action="([^"]+)"/g)].map(([, to]) => to);
}

/** The one cookie that an answer sets, beside the word that the browser keeps of who signed in with it. */
function readCookie(answer: Response): { pair: string; attributes: string[] } {
  const [only = '', ...others] = answer.headers.getSetCookie();
  expect(others.filter((cookie) => !cookie.startsWith('sluice-known='))).toEqual([]);
  const [pair = '', ...attributes] = only.split('; ');
  return { pair, attributes: attributes.toSorted() };
}
