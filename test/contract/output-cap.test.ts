/** A request is held to what its payer can pay, and never refused what can be paid. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { asNumber, asObject } from '../../src/protocols/json/fields.ts';
import { upstreamCases } from '../support/matrix/upstreams.ts';
import { newToken, startTestSluice, type TestSluice, usualModel } from '../support/sluice.ts';

/** At 0.15 and 0.60 USD a million, and at most 16,384 tokens of output, which would be 0.0098 USD. */
const wallets = {
  modest: 0.012,
  small: 0.00002,
  tiny: 0.000004,
  strict: 0.004,
  spent: 0.00002,
  shared: 0.00002,
};
type Wallet = keyof typeof wallets;
const names = Object.keys(wallets) as Wallet[];
const tokens = Object.fromEntries(names.map((name) => [name, newToken()])) as Record<Wallet, string>;
const mailOf = (name: string) => `${name}@example.test`;
const words = 'Which way does the river run?';

const newerChat = { model: 'newer-chat', upstreamModel: 'gpt-5-mini', provider: 'over-chat' };
const rows = [...upstreamCases.map((each) => ({ ...each, provider: each.model })), newerChat];
/** Its longest answer is shorter than what the modest wallet pays for. */
const shorter = {
  ...usualModel,
  ...{ id: 'shorter', aliases: [], max_output_tokens: 1024 },
  providers: [{ provider: 'over-chat', upstream_id: 'shorter' }],
};

let sluice: TestSluice;
beforeAll(async () => {
  sluice = await startTestSluice({
    variables: { SLUICE_PUBLIC_URL: 'https://ai.example.test' },
    file: (url) => ({
      users: names.map((name) => ({
        email: mailOf(name),
        password: 'a long enough password',
        role: name === 'modest' ? 'platform_owner' : 'member',
        wallet_usd: wallets[name],
      })),
      providers: upstreamCases.map(({ model, provider }) => ({
        name: model,
        credentials: [{ name: 'k1', api_key: 'upstream-secret' }],
        ...provider(url),
      })),
      models: [
        ...rows.map(({ model, upstreamModel, provider }) => ({
          ...usualModel,
          id: model,
          aliases: [],
          capabilities: ['tools', 'vision', 'thinking', 'reasoning'],
          providers: [{ provider, upstream_id: upstreamModel }],
        })),
        shorter,
      ],
      keys: names.map((name) => ({
        name: name === 'modest' ? 'usual' : name,
        owner: mailOf(name),
        token: tokens[name],
        strict_output: name === 'strict',
      })),
    }),
  });
});
afterAll(() => sluice.stop());
beforeEach(() => {
  sluice.upstream.forget();
  sluice.upstream.byDefault({ generate: { tokens: 20 } });
});

interface Asking {
  readonly model: string;
  readonly limit?: number;
  readonly wallet?: Wallet;
}

/** What the client was told of its cap. */
type Client = (asking: Asking) => Promise<string | null>;

const clients: Readonly<Record<string, Client>> = {
  async 'chat completions'({ model, limit, wallet = 'modest' }) {
    const client = new OpenAI({ baseURL: `${sluice.url}/v1`, apiKey: tokens[wallet], maxRetries: 0 });
    const { response } = await client.chat.completions
      .create({ model, messages: [{ role: 'user', content: words }], max_completion_tokens: limit ?? null })
      .withResponse();
    return response.headers.get('x-sluice-output-cap');
  },
  async responses({ model, limit, wallet = 'modest' }) {
    const client = new OpenAI({ baseURL: `${sluice.url}/v1`, apiKey: tokens[wallet], maxRetries: 0 });
    const { response } = await client.responses
      .create({ model, input: words, max_output_tokens: limit ?? null })
      .withResponse();
    return response.headers.get('x-sluice-output-cap');
  },
  async messages({ model, limit = 12_000, wallet = 'modest' }) {
    const client = new Anthropic({ baseURL: sluice.url, apiKey: tokens[wallet], maxRetries: 0 });
    const { response } = await client.messages
      .create({ model, messages: [{ role: 'user', content: words }], max_tokens: limit })
      .withResponse();
    return response.headers.get('x-sluice-output-cap');
  },
  async generateContent({ model, limit, wallet = 'modest' }) {
    const client = new GoogleGenAI({ apiKey: tokens[wallet], httpOptions: { baseUrl: sluice.url } });
    const config = limit === undefined ? {} : { maxOutputTokens: limit };
    const answer = await client.models.generateContent({ model, contents: words, config });
    return answer.sdkHttpResponse?.headers?.['x-sluice-output-cap'] ?? null;
  },
};

/** The limit that the upstream was told last, by the word that it was told in. */
function toldUpstream(): Readonly<Record<string, unknown>> {
  const body = asObject(sluice.upstream.requests.at(-1)?.body) ?? {};
  const settings = { ...body, ...asObject(body['generationConfig']), ...asObject(body['inferenceConfig']) };
  const limits = [
    ...['max_tokens', 'max_completion_tokens', 'max_output_tokens'],
    ...['maxOutputTokens', 'maxTokens'],
  ];
  return Object.fromEntries(
    limits.filter((word) => settings[word] != null).map((word) => [word, settings[word]]),
  );
}

const wordOf: Readonly<Record<string, string>> = {
  'over-chat': 'max_tokens',
  'newer-chat': 'max_completion_tokens',
  'over-messages': 'max_tokens',
  'over-responses': 'max_output_tokens',
  'over-google': 'maxOutputTokens',
  'over-old-google': 'maxOutputTokens',
  'over-converse': 'maxTokens',
};

describe.each(Object.keys(clients))('a client of %s', (name) => {
  const ask: Client = (asking) => (clients[name] ?? (async () => null))(asking);

  test.each(rows.map(({ model }) => model))('is held by %s to what can be paid', async (model) => {
    for (const limit of [undefined, 12_000]) {
      const cap = Number(await ask({ model, ...(limit === undefined ? {} : { limit }) }));
      expect(cap).toBeWithin(4000, 5000);
      const told = toldUpstream();
      expect(Object.values(told)).toEqual([cap]);
      if (limit === undefined) expect(Object.keys(told)).toEqual([wordOf[model] ?? '']);
    }
  });

  test('that asks for less than can be paid is told nothing, and sends what it sent', async () => {
    expect(await ask({ model: 'over-messages', limit: 300 })).toBeNull();
    expect(Object.values(toldUpstream())).toEqual([300]);
  });
});

const post = (wallet: Wallet, path: string, body: object | string) =>
  sluice.post(path, body, { authorization: `Bearer ${tokens[wallet]}` });
const chat = (limit?: number) => ({
  model: 'over-chat',
  messages: [{ role: 'user', content: words }],
  ...(limit === undefined ? {} : { max_tokens: limit }),
});

describe('a request as it is passed on', () => {
  test('keeps its bytes but for the limit', async () => {
    const body =
      '{"model": "over-chat", "seed":12345678901234567890, "messages":[{"role":"user","content":"Hi"}] , "max_tokens":9e3}';
    const answer = await post('modest', '/v1/chat/completions', body);
    const cap = answer.headers.get('x-sluice-output-cap');
    expect(sluice.upstream.requests.at(-1)?.bodyText).toBe(
      body.replace('"over-chat"', '"double-2026"').replace('9e3', String(cap)),
    );
  });

  test('shares what can be paid among its answers', async () => {
    const answer = await post('modest', '/v1/chat/completions', { ...chat(), n: 4 });
    expect(Number(answer.headers.get('x-sluice-output-cap'))).toBeWithin(4000, 5000);
    const dear = await post('small', '/v1/chat/completions', { ...chat(5000), n: 1 });
    expect(Number(dear.headers.get('x-sluice-output-cap'))).toBeWithin(16, 40);
  });

  test('is not cut where the next model that it names would end', async () => {
    const answer = await post('modest', '/v1/chat/completions', { ...chat(), models: ['shorter'] });
    expect(Number(answer.headers.get('x-sluice-output-cap'))).toBeWithin(4000, 5000);
  });

  test('thinks within the cap', async () => {
    const messages = [{ role: 'user', content: words }];
    const thinking = { type: 'enabled', budget_tokens: 10_000 };
    const body = { model: 'over-messages', max_tokens: 12_000, thinking, messages };
    const answer = await post('modest', '/v1/messages', body);
    const cap = Number(answer.headers.get('x-sluice-output-cap'));
    const sent = asObject(asObject(sluice.upstream.requests.at(-1)?.body)?.['thinking']);
    expect(asNumber(sent?.['budget_tokens'])).toBe(Math.floor(cap / 2));
  });

  test('ends with the reason length, and costs no more than was there', async () => {
    sluice.upstream.byDefault({ generate: { promptTokens: 10 } });
    const answer = await post('spent', '/v1/chat/completions', chat(5000));
    expect(await answer.json()).toMatchObject({ choices: [{ finish_reason: 'length' }] });
    expect(Number(answer.headers.get('x-sluice-cost-usd'))).toBeLessThanOrEqual(wallets.spent);
  });
});

describe('402', () => {
  const paths = [
    ['/v1/chat/completions', chat(), (body: Body) => body['error']],
    ['/v1/responses', { model: 'over-chat', input: words }, (body: Body) => body['error']],
    [
      '/v1/messages',
      { model: 'over-chat', max_tokens: 100, messages: [{ role: 'user', content: words }] },
      (body: Body) => body['error'],
    ],
    [
      '/v1beta/models/over-chat:generateContent',
      { contents: [{ role: 'user', parts: [{ text: words }] }] },
      (body: Body) => body['error'],
    ],
  ] as const;
  type Body = Readonly<Record<string, unknown>>;

  test.each(paths)('at %s says what could be paid, and where to top up', async (path, body, errorOf) => {
    const answer = await post('tiny', path, body);
    expect([answer.status, answer.headers.get('x-should-retry')]).toEqual([402, 'false']);
    const error = errorOf(asObject(await answer.json()) ?? {});
    expect(error).toMatchObject({
      held: '0.00',
      balance: '0.000004',
      top_up_url: 'https://ai.example.test/dashboard',
    });
    expect(asNumber(asObject(error)?.['affordable_tokens'])).toBeWithin(0, 7);
    expect(sluice.upstream.requests).toEqual([]);
  });

  test('for a strict key whose own limit cannot be paid, which goes on with what can', async () => {
    const refused = await post('strict', '/v1/chat/completions', chat(12_000));
    expect(refused.status).toBe(402);
    const { error } = (await refused.json()) as { error: { affordable_tokens: number } };
    expect(error.affordable_tokens).toBeWithin(6000, 6666);
    const accepted = await post('strict', '/v1/chat/completions', chat(error.affordable_tokens));
    expect([accepted.status, accepted.headers.get('x-sluice-output-cap')]).toEqual([200, null]);
    expect(asObject(sluice.upstream.requests.at(-1)?.body)?.['max_tokens']).toBe(error.affordable_tokens);
    const unlimited = await post('strict', '/v1/chat/completions', chat());
    expect(Number(unlimited.headers.get('x-sluice-output-cap'))).toBeWithin(4000, 5000);
  });

  test('asks to come again where requests under way hold what is missing', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    sluice.upstream.enqueue({ generate: { tokens: 1 }, shape: { hold: { until: promise, lastWrites: 1 } } });
    const first = post('shared', '/v1/chat/completions', chat());
    await sluice.upstream.received(1);
    const second = await post('shared', '/v1/chat/completions', chat());
    expect(second.status).toBe(402);
    expect([second.headers.get('x-should-retry'), second.headers.get('retry-after')]).toEqual(['true', '1']);
    const { error } = (await second.json()) as { error: { held: string; message: string } };
    expect(Number(error.held)).toBeGreaterThan(0);
    expect(error.message).toContain('Requests under way hold');
    resolve();
    expect((await first).status).toBe(200);
    expect((await post('shared', '/v1/chat/completions', chat())).status).toBe(200);
  });
});
