/** Every address that costs money, whole and streamed: each holds, settles, is on the bill, and counts in wallet and budgets. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Hono } from 'hono';
import { gatewayAddresses } from '../../src/gateway/index.ts';
import { checkBooks, listBudgets, setBudget } from '../../src/ledger/index.ts';
import { readMoney } from '../../src/ledger/testing/read-money.ts';
import { wavFile } from '../../src/protocols/audio-file/testing/plain-files.ts';
import { transact } from '../../src/storage/work.ts';
import { AccountService } from '../support/account-service.ts';
import { startTestSluice, type TestSluice, usualModel, usualProvider } from '../support/sluice.ts';

const sound = wavFile({ seconds: 2 });
const messages = [{ role: 'user', content: 'Where does the river go?' }];
const contents = [{ role: 'user', parts: [{ text: 'Where does the river go?' }] }];
const input = 'Where does the river go?';

const json = (path: string, body: object) => ({ path, body: () => JSON.stringify(body) });
const form = (path: string, model: string) => ({
  path,
  body() {
    const data = new FormData();
    data.append('file', new File([new Uint8Array(sound)], 'speech.wav'));
    data.append('model', model);
    return data;
  },
});

const routes = [
  json('/v1/chat/completions', { model: 'talks', messages }),
  json('/v1/chat/completions', { model: 'talks', messages, stream: true }),
  json('/v1/messages', { model: 'talks', messages, max_tokens: 100 }),
  json('/v1/messages', { model: 'talks', messages, max_tokens: 100, stream: true }),
  json('/v1/responses', { model: 'talks', input }),
  json('/v1/responses', { model: 'talks', input, stream: true }),
  ...['/v1beta/models', '/v1beta/tunedModels', '/v1/models', '/v1/tunedModels'].flatMap((path) => [
    json(`${path}/talks:generateContent`, { contents }),
    json(`${path}/talks:streamGenerateContent?alt=sse`, { contents }),
  ]),
  json('/v1/native/responses', { model: 'relays', input: messages, stream: true }),
  json('/v1/codex/responses', { model: 'relays', input: messages, stream: true }),
  json('/v1/embeddings', { model: 'embeds', input }),
  json('/v1/rerank', { model: 'ranks', query: 'a river', documents: ['a mill', 'a boat'] }),
  json('/v2/rerank', { model: 'ranks', query: 'a river', documents: ['a mill', 'a boat'] }),
  json('/v1/audio/speech', { model: 'speaks', input, voice: 'alloy' }),
  form('/v1/audio/transcriptions', 'hears'),
  form('/v1/audio/translations', 'hears'),
];

interface Line {
  readonly amount_usd: string;
}

/** 10^-18 USD. */
function readAtto(usd: string): bigint {
  const [whole = '', fraction = ''] = usd.split('.');
  return BigInt(whole + fraction.padEnd(18, '0'));
}

describe('an address that costs money', () => {
  let sluice: TestSluice;
  let account: AccountService;
  /** Between the gateway and its providers: sees what is held while a provider is asked. */
  let between: ReturnType<typeof Bun.serve>;
  const origins = new Map<string, string>();
  let held: string[] = [];

  beforeAll(async () => {
    account = new AccountService();
    between = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(http) {
        const { pathname, search } = new URL(http.url);
        const [, name = '', ...rest] = pathname.split('/');
        const asked = await fetch(`${sluice.url}/v1/key`, { headers: bearer() });
        const { wallet } = (await asked.json()) as { wallet: { held: string } };
        held.push(wallet.held);
        const headers = new Headers(http.headers);
        // The double hears in one language.
        headers.delete('host');
        const body = await http.arrayBuffer();
        return await fetch(
          `${origins.get(name)}/${rest.join('/').replace(/translations$/, 'transcriptions')}${search}`,
          {
            method: http.method,
            headers,
            body,
          },
        );
      },
    });
    const through = (name: string, provider: object): object => {
      origins.set(name, String(Reflect.get(provider, 'base_url')));
      return { ...provider, name, base_url: `http://127.0.0.1:${between.port}/${name}` };
    };
    const model = (id: string, type: string, prices: object, provider: string) => ({
      ...usualModel,
      ...{ id, type, prices, aliases: [], providers: [{ provider, upstream_id: `${id}-upstream` }] },
    });
    sluice = await startTestSluice({
      file: (url) => ({
        providers: [
          through('main', usualProvider(url)),
          through('ranker', { ...usualProvider(url), kind: 'jina' }),
          through('account', account.provider('account')),
        ],
        models: [
          { ...model('talks', 'chat', usualModel.prices, 'main'), aliases: ['tunedModels/talks'] },
          model('talks-for-more', 'chat', { input: 3, output: 9 }, 'main'),
          model('relays', 'chat', usualModel.prices, 'account'),
          model('embeds', 'embedding', { input: 1 }, 'main'),
          model('ranks', 'rerank', { input: 1 }, 'ranker'),
          model('speaks', 'speech', { character: 15 }, 'main'),
          model('hears', 'transcription', { audio_second: 100 }, 'main'),
        ],
      }),
    });
    const { storage, callers } = sluice.running.services;
    const caller = await callers.find(sluice.token);
    for (const subject of [
      { kind: 'key', id: caller?.keyId ?? 0 },
      { kind: 'user', id: caller?.userId ?? 0 },
    ] as const) {
      const budget = { subject, period: 'total', limitNanoUsd: 20_000_000_000n, managedBy: null } as const;
      await transact(sluice.running.services, (work) => setBudget(work, budget));
    }
    expect(await listBudgets(storage.db, 0)).toHaveLength(2);
  });
  afterAll(async () => {
    const { db } = sluice.running.services.storage;
    expect(await checkBooks(db)).toEqual([]);
    await sluice.stop();
    await between.stop(true);
    account.stop();
  });

  const bearer = () => ({ authorization: `Bearer ${sluice.token}` });
  const db = () => sluice.running.services.storage.db;
  const balance = async () => (await readMoney(db())).balanceNanoUsd;
  const spent = async () => (await listBudgets(db(), 0)).map(({ spentNanoUsd }) => spentNanoUsd);

  test.each(routes.map((route, at) => [`${at + 1}: ${route.path}`, route] as const))(
    '%s',
    async (_title, { path, body }) => {
      held = [];
      const [before, budgets] = [await balance(), await spent()];
      const content = body();
      const answer = await fetch(`${sluice.url}${path}`, {
        method: 'POST',
        headers: {
          ...bearer(),
          ...(typeof content === 'string' ? { 'content-type': 'application/json' } : {}),
        },
        body: content,
      });
      const text = await answer.text();
      expect([answer.status, answer.ok ? '' : text]).toEqual([200, '']);
      // While its provider was asked its cost was set aside.
      expect(held.map(Number).every((usd) => usd > 0)).toBe(true);
      expect(held.length).toBeGreaterThan(0);
      const id = answer.headers.get('x-request-id') ?? '';
      const record = await sluice.nextUsage(({ requestId }) => requestId === id);
      expect(record).toMatchObject({ outcome: 'complete', status: 200, chargedNanoUsd: record.costNanoUsd });
      const cost = record.costNanoUsd;
      expect(cost).toBeGreaterThan(0n);
      // Never more than was set aside for it.
      expect(Number(held.at(-1)) * 1e9).toBeGreaterThanOrEqual(Number(cost));
      const told = await (await fetch(`${sluice.url}/v1/generation/${id}`, { headers: bearer() })).json();
      const lines: readonly Line[] = told.line_items;
      const sum = lines.reduce((total, { amount_usd }) => total + readAtto(amount_usd), 0n);
      expect((sum + 500_000_000n) / 1_000_000_000n).toBe(cost);
      expect(readAtto(told.cost_usd) / 1_000_000_000n).toBe(cost);
      expect(await balance()).toBe(before - cost);
      expect(await spent()).toEqual(budgets.map((each) => each + cost));
      const after = (await (await fetch(`${sluice.url}/v1/key`, { headers: bearer() })).json()) as {
        wallet: { held: string };
      };
      expect(after.wallet.held).toBe('0.00');
    },
  );

  test('is one of these, wherever the gateway has one', async () => {
    const addresses = gatewayAddresses.filter(({ isPaid }) => isPaid);
    expect(addresses.length).toBeGreaterThan(0);
    const router = new Hono();
    for (const { method, path } of addresses) router.on(method, path, (context) => context.text(path));
    const reached = await Promise.all(
      routes.map(async ({ path }) => await (await router.request(path, { method: 'POST' })).text()),
    );
    const left = addresses.filter(({ path }) => !reached.includes(path)).map(({ path }) => path);
    expect(left).toEqual([]);
    for (const path of reached) expect(addresses.map((each) => each.path)).toContain(path);
  });

  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${sluice.url}${path}`, {
      method: 'POST',
      headers: { ...bearer(), 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const chat = { model: 'talks', messages };

  test('charges nothing to who only has it explained, counted or listed', async () => {
    const before = [await balance(), ...(await spent())];
    const rows = (await sluice.usage()).length;
    const answers = [
      await post('/v1/explain?endpoint=/v1/chat/completions', chat),
      await post('/v1/messages/count_tokens', chat),
      await post('/v1beta/models/talks:countTokens', { contents }),
      ...(await Promise.all(
        ['/v1/models', '/v1beta/models', '/v1/key'].map((path) =>
          fetch(`${sluice.url}${path}`, { headers: bearer() }),
        ),
      )),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect((await sluice.usage()).length).toBe(rows);
    expect([await balance(), ...(await spent())]).toEqual(before);
  });

  test('charges once for what is asked again by its idempotency key', async () => {
    const before = await balance();
    const rows = (await sluice.usage()).length;
    const headers = { 'idempotency-key': 'asked-again' };
    const answers = [
      await post('/v1/chat/completions', chat, headers),
      await post('/v1/chat/completions', chat, headers),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await answers[1]?.text()).toBe((await answers[0]?.text()) ?? '');
    const id = answers[0]?.headers.get('x-request-id');
    const { costNanoUsd } = await sluice.nextUsage(({ requestId }) => requestId === id);
    expect(costNanoUsd).toBeGreaterThan(0n);
    expect(await sluice.usage()).toHaveLength(rows + 1);
    expect(before - (await balance())).toBe(costNanoUsd);
  });

  test('charges the model that answered alone, where the first of a list failed', async () => {
    const [before, budgets] = [await balance(), await spent()];
    sluice.upstream.enqueue(...Array.from({ length: 2 }, () => ({ fault: 'status_500' }) as const));
    const answer = await post('/v1/chat/completions', { ...chat, models: ['talks-for-more'] });
    await answer.text();
    const id = answer.headers.get('x-request-id');
    const record = await sluice.nextUsage(({ requestId }) => requestId === id);
    expect(record).toMatchObject({ model: 'talks-for-more', outcome: 'complete' });
    const { inputTokens, outputTokens, costNanoUsd } = record;
    expect(costNanoUsd).toBe(BigInt(inputTokens * 3_000 + outputTokens * 9_000));
    expect(before - (await balance())).toBe(costNanoUsd);
    expect(await spent()).toEqual(budgets.map((each) => each + costNanoUsd));
  });
});
