import { afterAll, beforeAll, expect, test } from 'bun:test';
import { owner, startTestSluice, type TestSluice, usualProvider } from '../../../../test/support/sluice.ts';
import { serveVendor, type Vendor } from '../../../../test/support/vendor.ts';

const password = 'a long enough password';
const poor = 'poor@example.test';
const member = 'member@example.test';

let sluice: TestSluice;
let vendor: Vendor;
beforeAll(async () => {
  vendor = serveVendor();
  sluice = await startTestSluice({
    file: () => ({
      users: [
        { email: owner, password, role: 'platform_owner', wallet_usd: 25 },
        { email: poor, password, role: 'platform_owner' },
        { email: member, password, role: 'platform_owner', wallet_usd: 1, requests_per_minute: 1 },
      ],
      providers: [
        { name: 'simulator', kind: 'simulator' },
        { ...usualProvider(vendor.url), name: 'vendor' },
      ],
      models: [
        ...['chat', 'embedding'].map((type) => ({
          ...{ id: `a-${type}`, type, owned_by: 'sluice', prices: { input: 1, output: 4 } },
          providers: [{ provider: 'simulator', upstream_id: 'simulator' }],
        })),
        {
          ...{ id: 'a-thinker', type: 'chat', owned_by: 'sluice', prices: { input: 1, output: 4 } },
          providers: [{ provider: 'vendor', upstream_id: 'thinker' }],
        },
      ],
    }),
  });
});
afterAll(async () => {
  await sluice.stop();
  vendor.stop();
});

async function cookieOf(email: string): Promise<string> {
  const answer = await fetch(`${sluice.url}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  expect(answer.status).toBe(200);
  return answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
}

const ask = (cookie: string, body: object, headers: Record<string, string> = {}, signal?: AbortSignal) =>
  fetch(`${sluice.url}/dashboard/try`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie, ...headers },
    body: JSON.stringify(body),
    ...(signal !== undefined && { signal }),
  });

const prompt = { model: 'a-chat', prompt: 'Why is the sky blue?', max_tokens: 256 };

test('a prompt is answered piece by piece, charged to who asked, and stored like any request', async () => {
  const cookie = await cookieOf(owner);
  const before = await sluice.availableNanoUsd();
  const answer = await ask(cookie, prompt);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toStartWith('text/event-stream');
  const told = (await answer.text())
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => JSON.parse(frame.replace(/^data: /, '')));
  expect(told.filter(({ text }) => text !== undefined).length).toBeGreaterThan(3);
  const { record } = told.at(-1);
  expect(record).toMatchObject({ id: expect.any(String), cost: expect.stringMatching(/^\$0\.000\d+$/) });
  const [stored] = await sluice.usage();
  expect(stored).toMatchObject({ requestId: record.id, model: 'a-chat', outcome: 'complete' });
  expect(stored?.keyId).toBeLessThan(0);
  expect(stored?.chargedNanoUsd).toBeGreaterThan(0n);
  expect(await sluice.availableNanoUsd()).toBe(before - (stored?.chargedNanoUsd ?? 0n));
  const page = await fetch(`${sluice.url}/dashboard/models/a-chat`, {
    headers: { cookie, accept: 'text/html' },
  });
  expect(await page.text()).toContain('data-try="/dashboard/try"');
});

test('402 without money, 429 beyond a limit, 404 for what is no chat model, 422 for what is no prompt', async () => {
  const refused = await ask(await cookieOf(poor), prompt);
  expect(refused.status).toBe(402);
  expect(await refused.json()).toMatchObject({ ok: false, error: expect.any(String) });
  const cookie = await cookieOf(member);
  for (const model of ['a-embedding', 'nobody', '../a-chat', '<b>']) {
    expect((await ask(cookie, { ...prompt, model })).status).toBe(404);
  }
  const odd = [
    ...[{ prompt: '' }, { prompt: '  ' }, { prompt: 'x'.repeat(8001) }, { prompt: null }, { model: '' }],
    ...[{ max_tokens: 15 }, { max_tokens: 4097 }, { max_tokens: 'many' }, { max_tokens: 1.5 }],
  ];
  for (const change of odd) expect((await ask(cookie, { ...prompt, ...change })).status).toBe(422);
  const first = await ask(cookie, prompt);
  expect(first.status).toBe(200);
  await first.text();
  const second = await ask(cookie, prompt);
  expect(second.status).toBe(429);
  expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('401 without a session, and 403 from another site', async () => {
  expect((await ask('', prompt)).status).toBe(401);
  const cookie = await cookieOf(owner);
  expect((await ask(cookie, prompt, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
});

test('who stops pays for what came, and not for the rest', async () => {
  const cookie = await cookieOf(owner);
  const stop = new AbortController();
  const answer = await ask(cookie, { ...prompt, max_tokens: 4096 }, {}, stop.signal);
  const reader = answer.body?.getReader();
  await reader?.read();
  stop.abort();
  while (sluice.running.services.relays.size > 0) await new Promise((resolve) => setImmediate(resolve));
  const stored = await sluice.usage();
  expect(stored.length).toBeGreaterThan(0);
});

test('who stops while a model only thinks ends it, and waits for no text of it', async () => {
  const cookie = await cookieOf(owner);
  let isEnded = false;
  vendor.answer = () => {
    const delta = { role: 'assistant', reasoning_content: 'Blue, because' };
    const thought = { id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta }] };
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(`data: ${JSON.stringify(thought)}\n\n`),
      cancel: () => {
        isEnded = true;
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
  const stop = new AbortController();
  const asking = ask(cookie, { ...prompt, model: 'a-thinker', max_tokens: 4096 }, {}, stop.signal);
  const { relays } = sluice.running.services;
  while (relays.size === 0) await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  await expect(asking).rejects.toThrow();
  await sluice.readsOnNoLonger();
  const stored = await sluice.nextUsage(({ model }) => model === 'a-thinker');
  expect(stored).toMatchObject({ outcome: 'client_closed' });
  while (!isEnded) await new Promise((resolve) => setImmediate(resolve));
  expect(relays.size).toBe(0);
});
