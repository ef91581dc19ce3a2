/** What goes wrong on POST /v1/messages, as the official client meets it: refusals, faults, failover, leaving. */
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
import { startUpstream, type Upstream } from '../support/upstream/index.ts';

const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Where does the river go?' }];
const ask = { model: 'over-anthropic', max_tokens: 200, messages };

const tokens = { poor: newToken(), locked: newToken(), limited: newToken() };
const password = 'a long enough password';

const claude = (upstreamUrl: string) => ({
  ...usualProvider(upstreamUrl),
  name: 'claude',
  kind: 'anthropic',
});

let sluice: TestSluice;
let backup: Upstream;

beforeAll(async () => {
  backup = startUpstream();
  const model = (id: string, ...providers: readonly string[]) => ({
    ...usualModel,
    id,
    aliases: [],
    providers: providers.map((provider) => ({ provider, upstream_id: `${provider}-1` })),
  });
  sluice = await startTestSluice({
    skipsPauses: true,
    file: (url) => ({
      users: [
        { email: owner, password, role: 'platform_owner', wallet_usd: 25 },
        { email: 'poor@example.test', password, role: 'member' },
      ],
      providers: [
        usualProvider(url),
        claude(url),
        { ...claude(backup.url), name: 'backup' },
        { ...usualProvider(backup.url), name: 'backup-chat' },
      ],
      models: [
        model('over-anthropic', 'claude'),
        model('over-openai', 'main'),
        model('safe', 'claude', 'backup'),
        model('safe-across', 'claude', 'backup-chat'),
      ],
      keys: [
        { name: 'poor', owner: 'poor@example.test', token: tokens.poor },
        { name: 'locked', owner, token: tokens.locked, allowed_models: ['safe'] },
        { name: 'limited', owner, token: tokens.limited, requests_per_minute: 1 },
      ],
    }),
    variables: { SLUICE_MAX_BODY_BYTES: '300000', SLUICE_UPSTREAM_IDLE_TIMEOUT_MS: '1000' },
  });
});
afterAll(async () => {
  await sluice.stop();
  backup.stop();
});
beforeEach(() => {
  sluice.upstream.forget();
  backup.forget();
});

const client = (options: ClientOptions = {}): Anthropic =>
  new Anthropic({ baseURL: sluice.url, apiKey: sluice.token, maxRetries: 0, ...options });

const post = (body: unknown, headers: Record<string, string> = {}) =>
  sluice.post('/v1/messages', body, headers);

async function lastUsage() {
  const record = (await sluice.usage()).at(-1);
  if (record === undefined) throw new Error('nothing was recorded');
  return record;
}

async function refusal(body: object = {}, options: ClientOptions = {}): Promise<APIError> {
  try {
    await client(options).messages.create({ ...ask, ...body });
  } catch (error) {
    if (error instanceof APIError) return error;
    throw error;
  }
  throw new Error('it was answered');
}

/** Name and data of each event. */
function readEvents(text: string): { name: string; data: { type: string; index?: number } }[] {
  return text
    .trim()
    .split('\n\n')
    .map((frame) => {
      const match = /^event: (\w+)\ndata: (.+)$/.exec(frame);
      return { name: match?.[1] ?? '', data: JSON.parse(match?.[2] ?? '{}') };
    });
}

describe('refusals of the gateway, as the official client throws them', () => {
  test.each([
    ['without funds', {}, { apiKey: tokens.poor }, 402, 'billing_error'],
    ['with an unknown key', {}, { apiKey: 'sluice_wrong' }, 401, 'authentication_error'],
    ['for a model outside the key’s lock', {}, { apiKey: tokens.locked }, 403, 'permission_error'],
    ['for an unknown model', { model: 'nobody' }, {}, 404, 'not_found_error'],
    ['for a body that is too large', { system: 'x'.repeat(400_000) }, {}, 413, 'request_too_large'],
    ['for a field of the wrong type', { max_tokens: 'many' }, {}, 422, 'invalid_request_error'],
    ['without a bound', { max_tokens: undefined }, {}, 422, 'invalid_request_error'],
  ])('%s', async (_name, body, options, status, type) => {
    const error = await refusal(body, options);
    expect(error).toMatchObject({ status, error: { type: 'error', error: { type } } });
    expect(error.error).toHaveProperty('detail');
    expect(error.error).toHaveProperty('request_id', error.requestID);
    expect(sluice.upstream.counts.requests).toBe(0);
  });

  test('beyond a limit of requests, with the time to wait', async () => {
    const apiKey = tokens.limited;
    await client({ apiKey }).messages.create(ask);
    const error = await refusal({}, { apiKey });
    expect(error).toBeInstanceOf(Anthropic.RateLimitError);
    expect(error).toMatchObject({ error: { error: { type: 'rate_limit_error' } } });
    expect(Number(error.headers?.get('retry-after'))).toBeGreaterThan(0);
  });

  test.each(['latest', '2023-6-1', '2023-13-01'])('400 for the version %p', async (version) => {
    const response = await post(ask, { 'anthropic-version': version });
    expect(response.status).toBe(400);
    const body = await response.json();
    expect(body).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
    expect(body.error.message).toContain('anthropic-version');
  });

  test('in the protocol’s shape also for what is no request at all', async () => {
    for (const [body, headers] of [
      ['{', {}],
      ['[]', {}],
      [JSON.stringify(ask), { 'content-type': 'text/plain' }],
    ] as const) {
      const response = await post(body, headers);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        type: 'error',
        error: { type: 'invalid_request_error' },
      });
    }
  });

  test('in the protocol’s shape also for another method', async () => {
    const response = await fetch(`${sluice.url}/v1/messages`);
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
    expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
  });
});

describe.each(['over-anthropic', 'over-openai'])('%s', (model) => {
  const body = { ...ask, model };

  test.each([
    ['status_400', 400, 'invalid_request_error'],
    ['context_overflow', 400, 'invalid_request_error'],
    ['status_401', 502, 'api_error'],
    ['status_403', 502, 'api_error'],
    ['wrong_model', 502, 'api_error'],
    ['rate_limited', 503, 'overloaded_error'],
    ['status_500', 502, 'api_error'],
    ['status_529', 503, 'overloaded_error'],
    ['status_504', 504, 'timeout_error'],
    ['reset_before_headers', 502, 'api_error'],
    ['html_answer', 502, 'api_error'],
    ['empty_body', 502, 'api_error'],
    ['error_in_200', 502, 'api_error'],
  ] as const)('an upstream’s %s is told as %d %s', async (fault, status, type) => {
    sluice.upstream.byDefault({ fault });
    for (const stream of [false, true]) {
      const error = await refusal({ model, stream });
      expect(error).toMatchObject({ status, error: { type: 'error', error: { type } } });
      expect(error.message).not.toMatch(/secret|org-double|127\.0\.0\.1/);
      const record = await lastUsage();
      expect(record).toMatchObject({ status, streamed: stream, chargedNanoUsd: 0n });
      expect(error.requestID).toBe(record.requestId);
    }
  });

  test.each([
    { name: 'in_band_error', afterEvents: 5 },
    { name: 'truncated_stream', afterEvents: 5 },
    { name: 'reset_mid_stream', afterEvents: 5 },
    { name: 'malformed_chunk', afterEvents: 5, events: 4 },
    { name: 'mid_stream_stall', afterEvents: 5 },
  ] as const)('%j after the first content is an error event, never a clean end', async (fault) => {
    sluice.upstream.byDefault({ fault, shape: { chunkDelayMs: 5 } });
    const response = await post({ ...body, stream: true });
    const events = readEvents(await response.text());
    const requestId = response.headers.get('request-id');
    expect(events.at(-1)).toMatchObject({ name: 'error', data: { type: 'error', request_id: requestId } });
    expect(events.map(({ name }) => name)).not.toContain('message_stop');
    const record = await lastUsage();
    expect(record).toMatchObject({ outcome: 'upstream_failed', status: 200 });
    expect(record.chargedNanoUsd).toBeGreaterThan(0n);
    await expect(client().messages.stream(body).finalMessage()).rejects.toBeInstanceOf(Anthropic.APIError);
  });

  test('a client that leaves mid-stream ends the upstream call and pays for what it got', async () => {
    const known = (await sluice.usage()).length;
    sluice.upstream.enqueue({ generate: { tokens: 1000 }, shape: { chunkDelayMs: 10 } });
    const stream = await client().messages.create({ ...body, max_tokens: 2000, stream: true });
    let seen = 0;
    for await (const event of stream) {
      if (event.type === 'content_block_delta') seen += 1;
      if (seen === 3) break;
    }
    const received = await sluice.upstream.received(1);
    await sluice.readsOnNoLonger();
    expect(await received.ended).toBe('client_closed');
    let record = (await sluice.usage())[known];
    for (; record === undefined; record = (await sluice.usage())[known]) await Bun.sleep(10);
    expect(record).toMatchObject({ outcome: 'client_closed', estimated: true });
    expect(record.inputTokens).toBeGreaterThan(0);
    expect(record.outputTokens).toBeGreaterThan(0);
    expect(record.outputTokens).toBeLessThan(4 * received.tokensSent);
  });
});

test('before the first content a fault goes to the next provider, of either protocol', async () => {
  for (const fault of [
    'status_529',
    'status_500',
    { name: 'in_band_error', afterEvents: 3 },
    { name: 'truncated_stream', afterEvents: 3 },
  ] as const) {
    for (const [model, provider] of [
      ['safe', 'backup'],
      ['safe-across', 'backup-chat'],
    ] as const) {
      sluice.upstream.byDefault({ fault });
      backup.byDefault({ generate: { text: 'From the other side.' } });
      const { data, response } = await client()
        .messages.create({ ...ask, model, stream: true })
        .withResponse();
      expect(response.headers.get('x-sluice-provider')).toBe(provider);
      const deltas: string[] = [];
      for await (const event of data)
        if (event.type === 'content_block_delta' && event.delta.type === 'text_delta')
          deltas.push(event.delta.text);
      expect(deltas.join('')).toBe('From the other side.');
      expect(await lastUsage()).toMatchObject({ provider, attempts: 2, outcome: 'complete' });
    }
  }
});

test('what belongs to the protocol does not go to a provider of another one', async () => {
  sluice.upstream.byDefault({ fault: 'status_529' });
  const headers = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'one-2025' };
  expect((await post({ ...ask, model: 'safe-across' }, headers)).status).toBe(200);
  expect(sluice.upstream.requests[0]?.headers).toMatchObject(headers);
  const names = Object.keys(backup.requests[0]?.headers ?? {});
  expect(names).toContain('authorization');
  expect(names.filter((name) => name.startsWith('anthropic-'))).toEqual([]);
});
