/** Refusals in the words of vendors whose status says something else: what clients hear, and whom it costs their turn. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { startTestSluice, type TestSluice, usualModel, usualProvider } from '../support/sluice.ts';

const keys = ['k1', 'k2', 'k3'];

/** A provider each, since what is learned of one is remembered; the last ones have a second model or provider. */
const providers = [
  ...['xai', 'xai-key', 'openrouter', 'fireworks', 'groq', 'groq-alone', 'fields'].map((name) => ({
    ...{ name, kind: 'openai' },
  })),
  ...['anthropic', 'anthropic-spent', 'quoted'].map((name) => ({ name, kind: 'anthropic' })),
  { name: 'gemini', kind: 'google' },
  { name: 'bedrock', kind: 'bedrock' },
];

let sluice: TestSluice;
/** It refuses whom a test wants, and hands all others on to the double. */
let vendor: Bun.Server<undefined>;
let refuse: (key: string, body: string) => Response | null;
/** With which each request came, in order. */
let asked: string[];

beforeAll(async () => {
  vendor = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { headers, method } = request;
      const secret =
        headers.get('authorization') ?? headers.get('x-api-key') ?? headers.get('x-goog-api-key');
      const key = secret?.split('-').at(-1) ?? '';
      const body = await request.text();
      asked.push(key);
      const { pathname, search } = new URL(request.url);
      const at = `${new URL(sluice.upstream.url).origin}${pathname}${search}`;
      return refuse(key, body) ?? fetch(at, { method, headers, body });
    },
  });
  const { origin } = vendor.url;
  const baseUrls: Record<string, string> = { bedrock: origin, google: `${origin}/v1beta` };
  sluice = await startTestSluice({
    variables: { SLUICE_UPSTREAM_HEALTH: 'on' },
    file: (url) => ({
      providers: [
        { ...usualProvider(url), name: 'backup' },
        ...providers.map(({ name, kind }) => ({
          ...{ name, kind, region: 'eu-central-1', base_url: baseUrls[kind] ?? `${origin}/v1` },
          credentials: keys.map((key) => ({ name: key, api_key: `${name}-${key}` })),
        })),
      ],
      models: [
        ...providers.map(({ name }) => ({
          ...{ ...usualModel, id: name, aliases: [] },
          providers: [
            { provider: name, upstream_id: name },
            ...(name === 'groq' ? [{ provider: 'backup', upstream_id: name }] : []),
          ],
        })),
        {
          ...usualModel,
          id: 'other',
          aliases: [],
          providers: [{ provider: 'bedrock', upstream_id: 'other' }],
        },
      ],
    }),
  });
});
afterAll(async () => {
  await sluice.stop();
  await vendor.stop(true);
});
beforeEach(() => {
  sluice.upstream.forget();
  refuse = () => null;
  asked = [];
});

const ask = (model: string, { stream = false, text = 'Hi', ...further }: Record<string, unknown> = {}) =>
  sluice.post('/v1/chat/completions', {
    ...{ model, stream, messages: [{ role: 'user', content: text }] },
    ...further,
  });

const answering = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });

/** That nobody's turn is over: each key is asked once. */
async function expectAllAsked(model: string): Promise<void> {
  refuse = () => null;
  asked = [];
  for (const _ of keys) expect((await ask(model)).status).toBe(200);
  expect(asked.toSorted()).toEqual(keys);
}

test('xAI’s filter is the request’s fault, and no key of the pool loses its turn', async () => {
  refuse = () =>
    answering(403, {
      code: 'The caller does not have permission to execute the specified operation',
      error:
        'Content violates usage guidelines. Team: 16f2151a-40f4-4a80-8ad0-cae00c27e8dd, API key ID: 7d39c085-9452-489c-817b-cb0962e335f5, Model: grok-4-0709, Failed check: SAFETY_CHECK_TYPE_BIO',
    });
  for (const stream of [false, true]) {
    const refused = await ask('xai', { stream });
    expect(refused.status).toBe(400);
    expect(refused.headers.get('x-should-retry')).toBe('false');
    const { error } = await refused.json();
    expect(error.code).toBe('content_filtered');
    expect(error.message).not.toMatch(/team|key|16f2151a|7d39c085/i);
  }
  expect(asked).toHaveLength(2);
  await expectAllAsked('xai');
});

test('xAI’s bad key is followed by the next, and not asked again', async () => {
  refuse = (key) =>
    key === 'k1'
      ? answering(400, {
          code: 'Client specified an invalid argument',
          error: 'Incorrect API key provided: xa***gA. You can obtain an API key from https://console.x.ai.',
        })
      : null;
  for (const _ of keys) expect((await ask('xai-key')).status).toBe(200);
  expect(asked.filter((key) => key === 'k1')).toHaveLength(1);
});

test('OpenRouter’s filter is one as a status, inside an answer and inside a stream', async () => {
  const error = {
    message:
      'anthropic/claude-3-5-haiku requires moderation on Amazon Bedrock. Your input was flagged for "violence/graphic". No credits were charged.',
    code: 403,
    metadata: { reasons: ['violence/graphic'], flagged_input: 'Hi' },
  };
  const answers = [
    () => answering(403, { error }),
    () => answering(200, { error }),
    () =>
      new Response(`data: ${JSON.stringify({ error })}\n\n`, {
        headers: { 'content-type': 'text/event-stream' },
      }),
  ];
  for (const [at, answer] of answers.entries()) {
    refuse = answer;
    const refused = await ask('openrouter', { stream: at === 2 });
    expect(refused.status).toBe(400);
    const told = (await refused.json()).error;
    expect(told).toMatchObject({ code: 'content_filtered' });
    expect(told.message).toContain('violence/graphic');
  }
  expect(asked).toHaveLength(3);
  await expectAllAsked('openrouter');
});

test('Anthropic’s limit of usage and its disabled organisation are told by a key, and the next one answers', async () => {
  const saying = (message: string) =>
    answering(400, { type: 'error', error: { type: 'invalid_request_error', message } });
  refuse = (key) => {
    if (key === 'k1') return saying('This organization has been disabled.');
    return key === 'k2'
      ? saying(
          'You have reached your specified API usage limits. You will regain access on 2099-04-01 at 00:00 UTC.',
        )
      : null;
  };
  for (const _ of keys) expect((await ask('anthropic')).status).toBe(200);
  expect(asked.toSorted()).toEqual([...keys, 'k3', 'k3']);
});

test('where all accounts are at their limit of usage the caller hears that waiting does not help', async () => {
  refuse = () =>
    answering(400, {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message:
          'You have reached your specified API usage limits. You will regain access on 2099-04-01 at 00:00 UTC.',
      },
    });
  for (let at = 0; at < 2; at += 1) {
    const refused = await ask('anthropic-spent');
    expect(refused.status).toBe(503);
    expect(refused.headers.get('x-should-retry')).toBe('false');
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(3590, 3601);
    expect(await refused.json()).toMatchObject({ error: { code: 'upstream_quota_spent' } });
    expect(asked).toHaveLength(3);
  }
});

test('Fireworks’ suspended account is told without its name', async () => {
  refuse = () =>
    answering(412, {
      error: {
        message:
          'Account pollinations is suspended, possibly due to reaching the monthly spending limit or failure to pay past invoices. Please go to https://fireworks.ai/account/billing for more information.',
        ...{ param: null, code: 'PRECONDITION_FAILED', type: 'error' },
      },
    });
  const refused = await ask('fireworks');
  expect(refused.status).toBe(503);
  const { error } = await refused.json();
  expect(error.code).toBe('upstream_quota_spent');
  expect(error.message).not.toMatch(/pollinations|fireworks/i);
  expect(asked.toSorted()).toEqual(keys);
});

test('a client that names a field like a vendor’s words closes nobody’s account', async () => {
  const names = [
    'This organization has been disabled.',
    `This organization has been disabled. ${'a'.repeat(5000)}`,
    'API key not valid. Please pass a valid API key.',
  ];
  refuse = (_, body) => {
    const unknown = Object.keys(JSON.parse(body)).find((name) => names.includes(name));
    const message = `${unknown}: Extra inputs are not permitted`;
    return unknown === undefined
      ? null
      : answering(400, { type: 'error', error: { type: 'invalid_request_error', message } });
  };
  for (const name of names) {
    const refused = await sluice.post('/v1/messages', {
      ...{ model: 'quoted', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] },
      [name]: 1,
    });
    expect(refused.status).toBe(400);
  }
  expect(asked).toHaveLength(3);
  await expectAllAsked('quoted');
});

/** As Groq counts: smaller requests pass. */
const refuseLarge = (_: string, body: string) =>
  body.includes('large')
    ? answering(413, {
        error: {
          message:
            'Request too large for model `llama-3.1-8b-instant` in organization `org_01hw8f0aa0ekmrn70ffm2zkdv1` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 12328, please reduce your message size and try again. Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing',
          ...{ type: 'tokens', code: 'rate_limit_exceeded' },
        },
      })
    : null;

test('a request beyond a minute of Groq’s goes on to another provider, and smaller ones still pass there', async () => {
  refuse = refuseLarge;
  expect((await ask('groq', { text: 'large' })).status).toBe(200);
  expect(sluice.upstream.requests).toHaveLength(1);
  await expectAllAsked('groq');
});

test('where nobody else takes it the caller hears that it is too large, and nothing of the account', async () => {
  refuse = refuseLarge;
  const refused = await ask('groq-alone', { text: 'large' });
  expect(refused.status).toBe(413);
  expect(refused.headers.get('x-should-retry')).toBe('false');
  const { error } = await refused.json();
  expect(error.code).toBe('body_too_large');
  expect(error.message).not.toMatch(/org_|groq|tier/i);
  await expectAllAsked('groq-alone');
});

test('Gemini’s wait is told, which stands in the body alone', async () => {
  refuse = () =>
    answering(429, {
      error: {
        ...{ code: 429, status: 'RESOURCE_EXHAUSTED' },
        message: 'You exceeded your current quota, please check your plan.',
        details: [
          { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId: 'FreeTier' }] },
          { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.4s' },
        ],
      },
    });
  for (let at = 0; at < 2; at += 1) {
    const refused = await ask('gemini');
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(20, 36);
    expect(asked).toHaveLength(3);
  }
  sluice.leap(36_000);
  await expectAllAsked('gemini');
});

test('the fields that a FastAPI host finds fault with are named', async () => {
  refuse = () => answering(422, { detail: [{ loc: ['body', 'n'], msg: 'Input should be 1', type: 'x' }] });
  const refused = await ask('fields');
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({
    error: { message: 'The model provider refused the request: n: Input should be 1', param: 'n' },
  });
});

test('a token of Bedrock’s that is over is so for every model', async () => {
  refuse = (key) =>
    key === 'k1'
      ? answering(
          403,
          { message: 'The security token included in the request is expired' },
          { 'x-amzn-errortype': 'ExpiredTokenException' },
        )
      : null;
  for (const model of ['bedrock', 'bedrock', 'bedrock', 'other', 'other', 'other']) {
    expect((await ask(model)).status).toBe(200);
  }
  expect(asked.filter((key) => key === 'k1')).toHaveLength(1);
});
