/** Every refusal of the gateway, as the official client meets it. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import OpenAI, { APIError } from 'openai';
import { everybody } from '../../src/base/scope.ts';
import { heardAll } from '../support/heard-all.ts';
import {
  newToken,
  owner,
  startTestSluice,
  type TestSluice,
  usualModel,
  usualProvider,
} from '../support/sluice.ts';
import { within, writerOn } from '../support/writing.ts';

const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Hello' }];
const ask = { model: 'double-1', messages };

const tokens = {
  poor: newToken(),
  expired: newToken(),
  readOnly: newToken(),
  modelLocked: newToken(),
  providerLocked: newToken(),
  regionLocked: newToken(),
  limited: newToken(),
  single: newToken(),
  metered: newToken(),
};

const tooSmallLimit = { requests_per_minute: 2, tokens_per_minute: 100_000 };
const password = 'a long enough password';

const file = (upstreamUrl: string) => ({
  users: [
    { email: owner, password, role: 'platform_owner', wallet_usd: 25 },
    { email: 'poor@example.test', password, role: 'member' },
  ],
  providers: [usualProvider(upstreamUrl)],
  models: [
    usualModel,
    { ...usualModel, id: 'unpriced', aliases: [], prices: undefined },
    { ...usualModel, id: 'free', aliases: [], prices: { input: 0, output: 0 } },
    { ...usualModel, id: 'embed', aliases: [], type: 'embedding' },
  ],
  keys: [
    { name: 'poor', owner: 'poor@example.test', token: tokens.poor },
    { name: 'expired', owner, token: tokens.expired, expires_at: '2020-01-01T00:00:00Z' },
    { name: 'read only', owner, token: tokens.readOnly, scopes: ['read'] },
    { name: 'model lock', owner, token: tokens.modelLocked, allowed_models: ['free'] },
    { name: 'provider lock', owner, token: tokens.providerLocked, allowed_providers: ['other'] },
    { name: 'region lock', owner, token: tokens.regionLocked, allowed_regions: ['us'] },
    { name: 'limited', owner, token: tokens.limited, ...tooSmallLimit },
    { name: 'single', owner, token: tokens.single, concurrent_requests: 1 },
    { name: 'metered', owner, token: tokens.metered, tokens_per_minute: 1000 },
  ],
});

describe('errors', () => {
  let sluice: TestSluice;

  beforeAll(async () => {
    sluice = await startTestSluice({ file });
  });
  afterAll(() => sluice.stop());
  beforeEach(() => sluice.upstream.forget());

  /** What the official client throws. */
  async function refusal(options: { token?: string; body?: object } = {}): Promise<APIError> {
    const client = sluice.client(options.token === undefined ? {} : { apiKey: options.token });
    try {
      await client.chat.completions.create({ ...ask, ...options.body });
    } catch (error) {
      if (error instanceof APIError) return error;
      throw error;
    }
    throw new Error('it was answered');
  }

  const post = (body: string | object, headers: Record<string, string> = {}) =>
    sluice.post('/v1/chat/completions', body, headers);

  describe('the shape', () => {
    test('error for the official client, detail for plain ones, request ids, x-should-retry', async () => {
      const response = await post({ ...ask, model: 'nobody' });
      const { error, detail } = await response.json();
      expect(response.status).toBe(404);
      expect(detail).toBe(error.message);
      expect(error).toMatchObject({ type: 'invalid_request_error', code: 'model_not_found', param: 'model' });
      expect(error.message).toContain('"nobody"');
      expect(response.headers.get('x-request-id')).toBe(response.headers.get('request-id'));
      expect(response.headers.get('x-should-retry')).toBe('false');
    });
  });

  describe('400', () => {
    test.each(['', '{', '[1]', 'null', '{"model": "double-1",}'])('for a body of %p', async (body) => {
      const response = await post(body);
      expect(response.status).toBe(400);
      expect((await response.json()).error.code).toBe('malformed_json');
    });

    test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
      'for the content type %p, and says which is right',
      async (type) => {
        const response = await post(JSON.stringify(ask), { 'content-type': type });
        expect(response.status).toBe(400);
        expect((await response.json()).detail).toContain('application/json');
      },
    );

    test('for a compressed body', async () => {
      expect((await post(JSON.stringify(ask), { 'content-encoding': 'gzip' })).status).toBe(400);
    });

    test('for what the provider refuses in the request, in its words but without its secrets', async () => {
      sluice.upstream.enqueue({ fault: 'context_overflow' });
      const error = await refusal();
      expect(error).toBeInstanceOf(OpenAI.BadRequestError);
      expect(error.code).toBe('context_length_exceeded');
      sluice.upstream.enqueue({ fault: 'content_filter' });
      expect((await refusal()).code).toBe('content_filtered');
      sluice.upstream.enqueue({ fault: 'status_400' });
      expect((await refusal()).code).toBe('upstream_refused_request');
      expect(sluice.upstream.counts.requests).toBe(3);
    });
  });

  describe('401', () => {
    test('without a token, and with one in the wrong place', async () => {
      for (const headers of [{ authorization: '' }, { authorization: 'Basic abc' }]) {
        const response = await post(ask, headers);
        expect(response.status).toBe(401);
        expect(response.headers.get('www-authenticate')).toBe('Bearer');
        expect((await response.json()).error.code).toBe('missing_token');
      }
    });

    test.each(['nonsense', 'sluice_short', newToken(), newToken().slice(0, -1)])(
      'with the token %p',
      async (token) => {
        const error = await refusal({ token });
        expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
        expect(error.code).toBe('invalid_token');
      },
    );

    test('with an expired one', async () => {
      expect((await refusal({ token: tokens.expired })).code).toBe('token_expired');
    });

    test('x-api-key is accepted as well as Authorization', async () => {
      const response = await fetch(`${sluice.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'x-api-key': sluice.token, 'content-type': 'application/json' },
        body: JSON.stringify(ask),
      });
      expect(response.status).toBe(200);
    });
  });

  test('402 when the wallet is empty, not to be retried; a free model still answers', async () => {
    const error = await refusal({ token: tokens.poor });
    expect(error).toMatchObject({ status: 402, code: 'insufficient_funds', type: 'insufficient_quota' });
    expect(error.headers?.get('x-should-retry')).toBe('false');
    expect(sluice.upstream.counts.requests).toBe(0);
    const free = await sluice
      .client({ apiKey: tokens.poor })
      .chat.completions.create({ ...ask, model: 'free' });
    expect(free.object).toBe('chat.completion');
  });

  describe('403', () => {
    test.each([
      ['scope', 'readOnly', 'scope_missing'],
      ['model lock', 'modelLocked', 'model_not_allowed'],
      ['provider lock', 'providerLocked', 'provider_not_allowed'],
      ['region lock', 'regionLocked', 'region_not_allowed'],
    ] as const)('for the %s of the key', async (_name, key, code) => {
      const error = await refusal({ token: tokens[key] });
      expect(error).toBeInstanceOf(OpenAI.PermissionDeniedError);
      expect(error.code).toBe(code);
    });

    test('for a model without a price', async () => {
      expect((await refusal({ body: { model: 'unpriced' } })).code).toBe('model_unpriced');
    });
  });

  describe('404', () => {
    test('for an unknown model, and one of another type', async () => {
      expect(await refusal({ body: { model: 'nobody' } })).toBeInstanceOf(OpenAI.NotFoundError);
      expect((await refusal({ body: { model: 'embed' } })).message).toContain('embedding');
    });

    test('for an unknown address, in the same shape', async () => {
      const response = await sluice.post('/v1/nothing', {});
      expect(response.status).toBe(404);
      expect((await response.json()).error.code).toBe('not_found');
    });
  });

  test('405 names the method that is allowed', async () => {
    const response = await fetch(`${sluice.url}/v1/chat/completions`);
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
  });

  describe('413', () => {
    test('for 100 MB with a declared length, at once', async () => {
      const response = await post('x'.repeat(100_000_000));
      expect(response.status).toBe(413);
      expect((await response.json()).error.code).toBe('body_too_large');
    });

    test('for a body of unknown length, when it passes the bound', async () => {
      const piece = new Uint8Array(1_048_576).fill(0x20);
      let sent = 0;
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          sent += 1;
          if (sent > 60) controller.close();
          else controller.enqueue(piece);
        },
      });
      const response = await fetch(`${sluice.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${sluice.token}`, 'content-type': 'application/json' },
        body,
      });
      expect(response.status).toBe(413);
    });
  });

  test.each([
    [{ messages: undefined }, 'messages: is required'],
    [{ messages: [] }, 'messages: must have at least 1 entry'],
    [{ messages: 'hi' }, 'messages: must be an array, not a string'],
    [
      { messages: [{ role: 'usr', content: 'x' }] },
      'messages[0].role: must be one of system, developer, user, assistant, tool, function',
    ],
    [
      { messages: [{ content: 'x' }] },
      'messages[0].role: is required: one of system, developer, user, assistant, tool, function',
    ],
    [{ temperature: 'hot' }, 'temperature: must be a number, not a string'],
    [{ temperature: 9 }, 'temperature: must be at most 2'],
    [{ max_tokens: 1.5 }, 'max_tokens: must be a whole number'],
    [{ max_tokens: 0 }, 'max_tokens: must be at least 1'],
    [{ stream: 'yes' }, 'stream: must be true or false, not a string'],
  ])('422 for %j in plain words', async (change, sentence) => {
    const response = await sluice.post('/v1/chat/completions', { ...ask, ...change });
    expect(response.status).toBe(422);
    expect((await response.json()).error.message).toBe(sentence);
  });

  test('422 lists each field that is wrong', async () => {
    const response = await post({
      model: 'double-1',
      messages: [{ role: 'robot', content: 1 }],
      temperature: 3,
    });
    expect(response.status).toBe(422);
    const { error, detail } = await response.json();
    expect(error.fields.map(({ loc }: { loc: unknown[] }) => loc.join('.'))).toEqual(
      expect.arrayContaining(['messages.0.role', 'temperature']),
    );
    expect(detail).toContain('messages[0].role');
    expect(await refusal({ body: { temperature: 3 } })).toBeInstanceOf(OpenAI.UnprocessableEntityError);
  });

  describe('429', () => {
    test('for more requests than the key may make, with the wait; headers show the limit before and then', async () => {
      const client = sluice.client({ apiKey: tokens.limited });
      const { response } = await client.chat.completions.create(ask).withResponse();
      expect(response.headers.get('x-ratelimit-limit-requests')).toBe('2');
      expect(response.headers.get('x-ratelimit-remaining-requests')).toBe('1');
      expect(response.headers.get('x-ratelimit-reset-requests')).toMatch(/^(\d+(\.\d+)?s|\d+m\d+s|\d+ms)$/);
      expect(response.headers.get('x-ratelimit-limit-tokens')).toBe('100000');
      await client.chat.completions.create(ask);
      const error = await refusal({ token: tokens.limited });
      expect(error).toBeInstanceOf(OpenAI.RateLimitError);
      expect(Number(error.headers?.get('retry-after'))).toBeGreaterThan(0);
      expect(error.headers?.get('x-ratelimit-limit-requests')).toBe('2');
      expect(error.headers?.get('x-ratelimit-remaining-requests')).toBe('0');
      expect(error.headers?.get('x-ratelimit-limit-tokens')).toBe('100000');
    });

    test('for more requests at once than the key may make', async () => {
      const refused = Promise.withResolvers<void>();
      sluice.upstream.enqueue({ shape: { hold: { until: refused.promise, lastWrites: 1 } } });
      const slow = sluice.client({ apiKey: tokens.single }).chat.completions.create(ask);
      await sluice.upstream.received(1);
      expect(await refusal({ token: tokens.single })).toBeInstanceOf(OpenAI.RateLimitError);
      refused.resolve();
      await slow;
      await sluice.client({ apiKey: tokens.single }).chat.completions.create(ask);
    });
  });

  describe('a revoked key', () => {
    test('is refused at once, also when it was used a moment ago', async () => {
      const { services } = sluice.running;
      const { createKey, revokeKey } = await import('../../src/identity/index.ts');
      const write = writerOn(services);
      const usual = (await sluice.usage())[0];
      const { key, token } = await write(within(everybody, createKey), 'sluice_', {
        ownerId: usual?.userId ?? 1,
        name: 'short-lived',
      });
      await sluice.client({ apiKey: token }).chat.completions.create(ask);
      await write(within(everybody, revokeKey), key.id);
      await heardAll(services.storage);
      expect(await refusal({ token })).toMatchObject({ status: 401, code: 'token_revoked' });
    });
  });

  test('requests at once cannot pass the limit on tokens together; what they do not use is given back', async () => {
    const metered = { authorization: `Bearer ${tokens.metered}` };
    const post = (body: object) => sluice.post('/v1/chat/completions', { ...ask, ...body }, metered);
    const left = ({ headers }: Response) => Number(headers.get('x-ratelimit-remaining-tokens'));
    const answered = Promise.withResolvers<void>();
    const hold = { until: answered.promise, lastWrites: 1 };
    for (const promptTokens of [10, 20]) {
      sluice.upstream.enqueue({ generate: { tokens: 5, promptTokens }, shape: { hold } });
    }
    const first = post({ max_tokens: 400 });
    await sluice.upstream.received(1);
    const second = post({ max_tokens: 400 });
    await sluice.upstream.received(2);
    const refused = await post({ max_tokens: 400 });
    expect(refused.status).toBe(429);
    expect(await refused.text()).toContain('1000 tokens per minute');
    expect(left(refused)).toBeWithin(100, 200);
    // What is missing of some 450 tokens, at 1000 a minute.
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(14, 22);
    sluice.leap(1000 * Number(refused.headers.get('retry-after')));
    const third = await post({ max_tokens: 400 });
    expect(third.status).toBe(200);
    await third.text();
    answered.resolve();
    for (const response of [await first, await second]) await response.text();
    sluice.leap(60_000);
    sluice.upstream.enqueue({ generate: { tokens: 5, promptTokens: 95 } });
    const whole = await post({ max_tokens: 400 });
    // What it did not use is there again; some is won back while it is answered.
    expect(left(whole)).toBeWithin(895, 951);
    // One that fails has used nothing, and one that runs alone may reserve more than there is.
    sluice.leap(60_000);
    sluice.upstream.byDefault({ fault: 'status_400' });
    expect((await post({ max_tokens: 100_000 })).status).toBe(400);
    sluice.upstream.forget();
    sluice.upstream.enqueue({ generate: { tokens: 5, promptTokens: 95 } });
    expect(left(await post({}))).toBeWithin(895, 951);
  });
});
