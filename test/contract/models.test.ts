/** GET /v1/models for three kinds of client, health and metrics. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import {
  newToken,
  owner,
  startTestSluice,
  type TestSluice,
  usualModel,
  usualProvider,
} from '../support/sluice.ts';

const locked = newToken();

/** One of each type, with what its price is set on. */
const others = [
  ['embedding', { input: 0.02 }],
  ['rerank', { rerank_unit: 2000 }],
  ['transcription', { audio_second: 100 }],
  ['speech', { character: 15 }],
] as const;
describe('models, health and metrics', () => {
  let sluice: TestSluice;

  beforeAll(async () => {
    sluice = await startTestSluice({
      file: (url) => ({
        providers: [
          usualProvider(url),
          { ...usualProvider(url), name: 'ranks', kind: 'vllm' },
          {
            name: 'account',
            kind: 'native',
            base_url: url,
            credentials: [{ name: 'k1', api_key: '{"access_token":"of-the-account"}' }],
          },
        ],
        models: [
          usualModel,
          { ...usualModel, id: 'house/with-slash', aliases: [] },
          {
            ...usualModel,
            id: 'native-only',
            aliases: [],
            providers: [{ provider: 'account', upstream_id: 'x' }],
          },
          ...others.map(([type, prices]) => ({
            id: `some-${type}`,
            type,
            owned_by: 'doubles',
            prices,
            providers: [{ provider: type === 'rerank' ? 'ranks' : 'main', upstream_id: type }],
          })),
        ],
        keys: [{ name: 'locked', owner, token: locked, allowed_models: ['double-1'], scopes: ['read'] }],
      }),
    });
  });
  afterAll(() => sluice.stop());

  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${sluice.url}${path}`, { headers: { authorization: `Bearer ${sluice.token}`, ...headers } });

  describe('GET /v1/models', () => {
    test('a plain client gets an array', async () => {
      const models = await (await get('/v1/models')).json();
      expect(models[0]).toMatchObject({
        id: 'double-1',
        object: 'model',
        owned_by: 'doubles',
        type: 'chat',
        context_window: 128_000,
        max_output_tokens: 16_384,
        capabilities: {
          chat_completions: true,
          tools: true,
          vision: true,
          reasoning: false,
          thinking: false,
        },
        pricing: { input: 0.15, output: 0.6 },
      });
    });

    test('the official OpenAI client gets its list', async () => {
      const ids: string[] = [];
      for await (const model of sluice.client().models.list()) ids.push(model.id);
      expect(ids).toContain('double-1');
      expect(await (await get('/v1/models?format=openai')).json()).toMatchObject({ object: 'list' });
    });

    test('the official Anthropic client gets its list', async () => {
      const client = new Anthropic({ baseURL: sluice.url, apiKey: sluice.token });
      const ids: string[] = [];
      for await (const model of client.models.list()) ids.push(model.id);
      expect(ids).toContain('double-1');
    });

    test('every type of model is there, by its type', async () => {
      const models: { id: string; type: string }[] = await (await get('/v1/models')).json();
      const declared = [
        ['double-1', 'chat'],
        ['house/with-slash', 'chat'],
        ['native-only', 'chat'],
        ...others.map(([type]) => [`some-${type}`, type]),
      ];
      // Behind them stands the simulator, which nobody declares.
      expect(models.slice(0, declared.length).map(({ id, type }) => [id, type])).toEqual(declared);
      const ids = models.map(({ id }) => id);
      const openai = await Array.fromAsync(sluice.client().models.list());
      expect(openai.map(({ id }) => id)).toEqual(ids);
      const client = new Anthropic({ baseURL: sluice.url, apiKey: sluice.token });
      const anthropic = await Array.fromAsync(client.models.list());
      expect(anthropic.map(({ id }) => id)).toEqual(ids);
      expect(JSON.stringify(models)).not.toContain('of-the-account');
    });

    test.each(others)('a %s model has no part in chat', async (type) => {
      const model = await (await get(`/v1/models/some-${type}`)).json();
      expect(model).toMatchObject({ id: `some-${type}`, object: 'model', owned_by: 'doubles', type });
      expect(model.capabilities.chat_completions).toBe(false);
      // A price of tokens is told where there is one.
      if (type === 'embedding') expect(model.pricing).toEqual({ input: 0.02, output: 0 });
      else expect(model).not.toHaveProperty('pricing');
    });

    test('a key sees what its lock allows', async () => {
      const models = await (await get('/v1/models', { authorization: `Bearer ${locked}` })).json();
      expect(models.map(({ id }: { id: string }) => id)).toEqual(['double-1']);
    });

    test('401 without a token', async () => {
      expect((await fetch(`${sluice.url}/v1/models`)).status).toBe(401);
    });
  });

  describe('GET /v1/models/{id}', () => {
    test('by id, by alias, and with slashes in the id', async () => {
      expect((await sluice.client().models.retrieve('double-1')).id).toBe('double-1');
      expect((await sluice.client().models.retrieve('one')).id).toBe('double-1');
      expect(await (await get('/v1/models/house/with-slash')).json()).toMatchObject({
        id: 'house/with-slash',
      });
      expect((await sluice.client().models.retrieve('house/with-slash')).id).toBe('house/with-slash');
    });

    test('404 for an unknown one', async () => {
      expect((await get('/v1/models/nobody')).status).toBe(404);
    });
  });

  test('GET /health needs no token', async () => {
    const response = await fetch(`${sluice.url}/health`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: 'ok' });
  });

  test('GET /metrics counts requests, tokens and the gateway’s own time, and names no key', async () => {
    await sluice
      .client()
      .chat.completions.create({ model: 'one', messages: [{ role: 'user', content: 'x' }] });
    const text = await (await fetch(sluice.running.metricsUrl ?? '')).text();
    expect(text).toMatch(/sluice_requests_total\{[^}]*model="double-1"[^}]*outcome="complete"[^}]*\} 1/);
    expect(text).toContain('sluice_overhead_seconds_bucket');
    expect(text).toMatch(/^sluice_requests_under_way 0$/m);
    expect(text).toMatch(/sluice_tokens_total\{[^}]*kind="output"[^}]*\} \d+/);
    expect(text).not.toContain(sluice.token);
  });
});
