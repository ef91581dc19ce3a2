/** POST /v1/messages/count_tokens as the official client uses it: exact where the upstream counts, estimated elsewhere. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import Anthropic, { APIError, type ClientOptions } from '@anthropic-ai/sdk';
import {
  newToken,
  owner,
  startTestSluice,
  type TestSluice,
  usualModel,
  usualProvider,
} from '../support/sluice.ts';

type Params = Anthropic.MessageCountTokensParams;

const path = '/v1/messages/count_tokens';
const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Where does the river go?' }];
const ask: Params = { model: 'over-anthropic', messages };
const tokens = {
  poor: newToken(),
  expired: newToken(),
  reader: newToken(),
  locked: newToken(),
  limited: newToken(),
};
const password = 'a long enough password';
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const source = { type: 'base64' as const, media_type: 'image/png' as const, data: pixel };
const tool: Anthropic.Tool = {
  name: 'weather',
  description: 'Tells how the weather is in a city.',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

/** What a request can hold beside its words; each makes it longer. */
const additions: readonly (readonly [string, Partial<Params>])[] = [
  ['system text', { system: 'Answer in the words of a sailor.' }],
  ['system blocks', { system: [{ type: 'text', text: 'Answer in the words of a sailor.' }] }],
  ['a tool', { tools: [tool] }],
  ['an image', { messages: [...messages, { role: 'user', content: [{ type: 'image', source }] }] }],
  [
    'a call and its result',
    {
      tools: [tool],
      messages: [
        ...messages,
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 't1', name: 'weather', input: { city: 'Oslo' } }],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'Rain all day.' }] },
      ],
    },
  ],
];

describe('counting tokens', () => {
  let sluice: TestSluice;

  beforeAll(async () => {
    const model = (id: string, upstreamId: string, ...providers: readonly string[]) => ({
      ...usualModel,
      id,
      aliases: [],
      providers: providers.map((provider) => ({ provider, upstream_id: upstreamId })),
    });
    sluice = await startTestSluice({
      file: (url) => ({
        users: [
          { email: owner, password, role: 'platform_owner', wallet_usd: 25 },
          { email: 'poor@example.test', password, role: 'member' },
        ],
        providers: [
          usualProvider(url),
          { ...usualProvider(url), name: 'claude', kind: 'anthropic' },
          {
            ...usualProvider(url),
            name: 'gemini',
            kind: 'google',
            base_url: url.replace(/\/v1$/, '/v1beta'),
          },
        ],
        models: [
          model('over-anthropic', 'claude-sonnet-4-5-20250929', 'claude'),
          model('over-google', 'gemini-3-flash-preview', 'gemini'),
          model('over-openai', 'double-1-2026', 'main'),
          model('chat-first', 'double-1-2026', 'main', 'claude'),
          {
            ...model('cheap', 'claude-cheap', 'claude'),
            capabilities: [],
            prices: { input: 0.01, output: 0.01 },
          },
          { ...model('vectors', 'v', 'main'), type: 'embedding' },
        ],
        keys: [
          { name: 'poor', owner: 'poor@example.test', token: tokens.poor },
          { name: 'expired', owner, token: tokens.expired, expires_at: '2020-01-01T00:00:00Z' },
          { name: 'reader', owner, token: tokens.reader, scopes: ['read'] },
          { name: 'locked', owner, token: tokens.locked, allowed_models: ['over-openai'] },
          { name: 'limited', owner, token: tokens.limited, requests_per_minute: 2 },
        ],
      }),
      variables: {
        SLUICE_MAX_BODY_BYTES: '300000',
        SLUICE_UPSTREAM_HEALTH: 'on',
        SLUICE_UPSTREAM_FIRST_BYTE_TIMEOUT_MS: '1000',
        SLUICE_UPSTREAM_IDLE_TIMEOUT_MS: '1000',
      },
    });
  });
  afterAll(() => sluice.stop());
  beforeEach(() => sluice.upstream.forget());

  const client = (options: ClientOptions = {}): Anthropic =>
    new Anthropic({ baseURL: sluice.url, apiKey: sluice.token, maxRetries: 0, ...options });

  async function count(fields: Partial<Params> = {}, options: ClientOptions = {}) {
    const { data, response } = await client(options)
      .messages.countTokens({ ...ask, ...fields })
      .withResponse();
    return { tokens: data.input_tokens, how: response.headers.get('x-sluice-token-count'), response };
  }

  async function refusal(fields: object = {}, options: ClientOptions = {}): Promise<APIError> {
    try {
      await client(options).messages.countTokens({ ...ask, ...fields });
    } catch (error) {
      if (error instanceof APIError) return error;
      throw error;
    }
    throw new Error('it was answered');
  }

  describe('by the upstream', () => {
    test.each([
      ['over-anthropic', '/v1/messages/count_tokens', { 'x-api-key': 'upstream-secret' }],
      [
        'over-google',
        '/v1beta/models/gemini-3-flash-preview:countTokens',
        { 'x-goog-api-key': 'upstream-secret' },
      ],
    ])('%s: its number is told as exact', async (model, upstreamPath, headers) => {
      sluice.upstream.enqueue({ generate: { promptTokens: 4321 } });
      const { tokens: counted, how, response } = await count({ model });
      expect(counted).toBe(4321);
      expect(how).toBe('exact');
      expect(response.headers.get('request-id')).toBe(response.headers.get('x-request-id'));
      expect(sluice.upstream.requests).toHaveLength(1);
      const [received] = sluice.upstream.requests;
      expect(received?.path).toBe(upstreamPath);
      expect(received?.headers).toMatchObject(headers);
      expect(JSON.stringify(received?.headers)).not.toContain(sluice.token);
    });

    test('it is sent the upstream’s model and all that is counted, and nothing that is not', async () => {
      const counted = { ...additions.at(-1)?.[1], system: 'Be brief.' };
      const unused = { max_tokens: 20, stream: true, temperature: 0.5, metadata: { user_id: 'u' } };
      const response = await sluice.post(path, { ...ask, ...counted, ...unused });
      expect(response.headers.get('x-sluice-token-count')).toBe('exact');
      expect(sluice.upstream.requests[0]?.body).toEqual({
        ...ask,
        ...counted,
        model: 'claude-sonnet-4-5-20250929',
      });
    });

    test('it is told the client’s version and betas, which say what the fields mean', async () => {
      const headers = { 'anthropic-version': '2024-01-01', 'anthropic-beta': 'one-2025,two-2025' };
      expect((await count({}, { defaultHeaders: headers })).how).toBe('exact');
      expect(sluice.upstream.requests[0]?.headers).toMatchObject(headers);
      await count({ model: 'over-google' }, { defaultHeaders: headers });
      const names = Object.keys(sluice.upstream.requests[1]?.headers ?? {});
      expect(names.filter((name) => name.startsWith('anthropic-'))).toEqual([]);
    });

    test.each(additions)('it counts %s', async (_name, fields) => {
      const [plain, more] = [await count(), await count(fields)];
      expect([plain.how, more.how]).toEqual(['exact', 'exact']);
      expect(more.tokens).toBeGreaterThan(plain.tokens);
    });
  });

  describe('by the gateway', () => {
    test('an upstream that cannot count is not asked, nor is the provider after it', async () => {
      for (const model of ['over-openai', 'chat-first']) {
        const { tokens: counted, how } = await count({ model });
        expect(how).toBe('estimated');
        // Six tokens of words, and what stands around them.
        expect(counted).toBeWithin(6, 40);
      }
      expect(sluice.upstream.counts.requests).toBe(0);
    });

    test.each(additions)('%s is counted', async (_name, fields) => {
      const [plain, more] = [
        await count({ model: 'over-openai' }),
        await count({ model: 'over-openai', ...fields }),
      ];
      expect(more.how).toBe('estimated');
      expect(more.tokens).toBeGreaterThan(plain.tokens);
    });

    test.each([
      'status_500',
      'status_400',
      'status_404',
      'rate_limited',
      'reset_before_headers',
      'header_stall',
      'html_answer',
      'empty_body',
      'error_in_200',
    ] as const)('an upstream’s %s makes it an estimate', async (fault) => {
      sluice.upstream.byDefault({ fault });
      const { tokens: counted, how } = await count();
      expect(how).toBe('estimated');
      expect(counted).toBeWithin(6, 60);
      expect(sluice.upstream.requests).toHaveLength(1);
    });
  });

  test('a provider that limits counting, or has it not, still answers messages', async () => {
    for (const fault of ['rate_limited', 'status_404', 'status_404', 'status_404', 'status_500'] as const) {
      sluice.upstream.enqueue({ fault });
      expect((await count()).how).toBe('estimated');
      const answer = await client().messages.create({ ...ask, max_tokens: 16 });
      expect(answer.content).not.toEqual([]);
    }
  });

  test('the model auto is the one that would answer, and is named', async () => {
    const { how, response } = await count({ model: 'auto' });
    expect(how).toBe('exact');
    expect(response.headers.get('x-sluice-autorouter-model')).toBe('cheap');
    expect(sluice.upstream.requests[0]?.body).toMatchObject({ model: 'claude-cheap' });
    const able = await count({ model: 'auto', tools: [tool] });
    expect(able.response.headers.get('x-sluice-autorouter-model')).toBe('over-anthropic');
  });

  test('it costs nothing, leaves no usage row, and needs no money', async () => {
    await client().messages.create({ ...ask, max_tokens: 16 });
    const known = (await sluice.usage()).length;
    const before = await sluice.availableNanoUsd();
    for (const model of ['over-anthropic', 'over-openai']) {
      await count({ model });
      await count({ model }, { apiKey: tokens.poor });
    }
    await refusal({ model: 'nobody' });
    expect((await sluice.usage()).length).toBe(known);
    expect(await sluice.availableNanoUsd()).toBe(before);
  });

  test('it is held to the key’s limit of requests, together with what is not counting', async () => {
    const apiKey = tokens.limited;
    await count({}, { apiKey });
    await client({ apiKey }).messages.create({ ...ask, max_tokens: 16 });
    const error = await refusal({}, { apiKey });
    expect(error).toBeInstanceOf(Anthropic.RateLimitError);
    expect(error).toMatchObject({ error: { type: 'error', error: { type: 'rate_limit_error' } } });
    expect(Number(error.headers?.get('retry-after'))).toBeGreaterThan(0);
    expect(error.headers?.get('x-ratelimit-limit-requests')).toBe('2');
    expect(sluice.upstream.requests).toHaveLength(2);
  });

  describe('refusals are in the shape of the messages endpoint', () => {
    test.each([
      ['an unknown token', {}, { apiKey: newToken() }, 401, 'authentication_error'],
      ['an expired token', {}, { apiKey: tokens.expired }, 401, 'authentication_error'],
      ['a missing scope', {}, { apiKey: tokens.reader }, 403, 'permission_error'],
      ['a lock', {}, { apiKey: tokens.locked }, 403, 'permission_error'],
      ['an unknown model', { model: 'nobody' }, {}, 404, 'not_found_error'],
      ['a model of another type', { model: 'vectors' }, {}, 404, 'not_found_error'],
      ['too large a body', { system: 'x'.repeat(400_000) }, {}, 413, 'request_too_large'],
      ['no messages', { messages: undefined }, {}, 422, 'invalid_request_error'],
      ['an empty list of messages', { messages: [] }, {}, 422, 'invalid_request_error'],
      ['a system of the wrong type', { system: 7 }, {}, 422, 'invalid_request_error'],
    ])('%s', async (_name, fields, options, status, type) => {
      const error = await refusal(fields, options);
      expect(error).toMatchObject({ status, error: { type: 'error', error: { type } } });
      expect(error.error).toHaveProperty('detail');
      expect(error.error).toHaveProperty('request_id', error.requestID);
      expect(sluice.upstream.counts.requests).toBe(0);
    });

    test.each([
      ['no token', 401, ask, { authorization: '' }],
      ['no JSON', 400, '{', {}],
      ['another content type', 400, JSON.stringify(ask), { 'content-type': 'text/plain' }],
      ['a version that is no date', 400, ask, { 'anthropic-version': 'latest' }],
    ])('%s is a %d', async (_name, status, body, headers) => {
      const response = await sluice.post(path, body, headers);
      expect(response.status).toBe(status);
      expect(await response.json()).toMatchObject({ type: 'error', error: {} });
    });

    test('another method', async () => {
      const response = await fetch(sluice.url + path);
      expect(response.status).toBe(405);
      expect(await response.json()).toMatchObject({
        type: 'error',
        error: { type: 'invalid_request_error' },
      });
    });
  });
});
