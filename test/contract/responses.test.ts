/** POST /v1/responses as the official client uses it: answers, streams, tools, money, and what goes wrong. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import OpenAI, { APIError, type ClientOptions } from 'openai';
import {
  newToken,
  owner,
  startTestSluice,
  type TestSluice,
  usualModel,
  usualProvider,
} from '../support/sluice.ts';
import { startUpstream, type Upstream } from '../support/upstream/index.ts';

type Body = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'stream'>;
type Item = OpenAI.Responses.ResponseInputItem;

const path = '/v1/responses';
const ask = { model: 'over-responses', input: 'Where does the river go?' };
const tokens = {
  poor: newToken(),
  expired: newToken(),
  reader: newToken(),
  locked: newToken(),
  limited: newToken(),
};
const password = 'a long enough password';
const upstreams = [
  ['over-responses', '/v1/responses'],
  ['over-chat', '/v1/chat/completions'],
  ['over-messages', '/v1/messages'],
] as const;
const converted = ['over-chat', 'over-messages'] as const;

const tool = (name: string, properties: Record<string, unknown>): OpenAI.Responses.FunctionTool => ({
  type: 'function',
  name,
  parameters: { type: 'object', properties, required: Object.keys(properties) },
  strict: false,
});
const tools = [tool('weather', { city: { type: 'string' } }), tool('clock', {})];

/** Nano-USD at the usual model's prices. */
const costOf = (uncached: number, cached: number, output: number): bigint =>
  BigInt(uncached) * 150n + BigInt(cached) * 75n + BigInt(output) * 600n;

describe('responses', () => {
  let sluice: TestSluice;
  let backup: Upstream;

  beforeAll(async () => {
    backup = startUpstream();
    const speaking = (url: string, name: string, protocol: string) => ({
      ...usualProvider(url),
      name,
      settings: { protocols: [protocol] },
    });
    const model = (id: string, ...providers: readonly string[]) => ({
      ...usualModel,
      id,
      aliases: [],
      providers: providers.map((provider) => ({ provider, upstream_id: `${provider}-2026` })),
    });
    sluice = await startTestSluice({
      skipsPauses: true,
      file: (url) => ({
        users: [
          { email: owner, password, role: 'platform_owner', wallet_usd: 25 },
          { email: 'poor@example.test', password, role: 'member' },
        ],
        providers: [
          speaking(url, 'main', 'responses'),
          speaking(url, 'chat', 'chat-completions'),
          { ...usualProvider(url), name: 'messages', kind: 'anthropic' },
          speaking(backup.url, 'backup', 'responses'),
          speaking(backup.url, 'backup-chat', 'chat-completions'),
        ],
        models: [
          model('over-responses', 'main'),
          model('over-chat', 'chat'),
          model('over-messages', 'messages'),
          model('safe', 'main', 'backup'),
          model('safe-across', 'main', 'backup-chat'),
          model('keeper-behind', 'chat', 'backup'),
          { ...model('vectors', 'chat'), type: 'embedding' },
        ],
        keys: [
          { name: 'poor', owner: 'poor@example.test', token: tokens.poor },
          { name: 'expired', owner, token: tokens.expired, expires_at: '2020-01-01T00:00:00Z' },
          { name: 'reader', owner, token: tokens.reader, scopes: ['read'] },
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

  const post = (body: unknown, headers: Record<string, string> = {}) => sluice.post(path, body, headers);

  async function lastUsage() {
    const record = (await sluice.usage()).at(-1);
    if (record === undefined) throw new Error('nothing was recorded');
    return record;
  }

  /** Whole, or through the helper that puts a stream together. */
  function create(stream: boolean, body: Body): Promise<OpenAI.Responses.Response> {
    const { responses } = sluice.client();
    return stream ? responses.stream(body).finalResponse() : responses.create(body);
  }

  async function refusal(body: object = {}, options: ClientOptions = {}): Promise<APIError> {
    try {
      await sluice.client(options).responses.create({ ...ask, ...body });
    } catch (error) {
      if (error instanceof APIError) return error;
      throw error;
    }
    throw new Error('it was answered');
  }

  /** Name and data of each event. */
  async function eventsOf(response: Response) {
    const text = await response.text();
    return text
      .trim()
      .split('\n\n')
      .map((frame) => {
        const match = /^event: ([\w.]+)\ndata: (.+)$/.exec(frame);
        return { name: match?.[1] ?? frame, data: JSON.parse(match?.[2] ?? '{}') };
      });
  }

  describe.each(upstreams)('%s', (model, upstreamPath) => {
    const body = { ...ask, model };
    const refused = 'upstream_refused_request';

    test('a whole answer, from the upstream’s own model and with its key', async () => {
      sluice.upstream.enqueue({ generate: { text: 'To the sea.' } });
      const { data, response } = await sluice.client().responses.create(body).withResponse();
      expect(data).toMatchObject({ object: 'response', status: 'completed', error: null });
      expect(data.id).not.toBe('');
      expect(data.output_text).toBe('To the sea.');
      const [received] = sluice.upstream.requests;
      expect(received?.path).toBe(upstreamPath);
      expect(received?.body).toMatchObject({ model: expect.stringMatching(/-2026$/) });
      expect(JSON.stringify(received?.headers)).toContain('upstream-secret');
      expect(JSON.stringify(received?.headers)).not.toContain(sluice.token);
      expect(response.headers.get('x-request-id')).toBe(response.headers.get('request-id'));
      expect(response.headers.get('x-sluice-cost-usd')).toMatch(/^0\.0\d+$/);
      expect(Number(response.headers.get('x-sluice-overhead-ms'))).toBeGreaterThanOrEqual(0);
    });

    test('a stream has the whole sequence of events, numbered, and no other end', async () => {
      sluice.upstream.enqueue({ generate: { text: 'To the sea.' } });
      const response = await post({ ...body, stream: true });
      expect(response.headers.get('content-type')).toStartWith('text/event-stream');
      const events = await eventsOf(response);
      for (const { name, data } of events) expect(data.type).toBe(name);
      expect(events.map(({ data }) => data.sequence_number)).toEqual(events.map((_, index) => index));
      const names = events.map(({ name }) => name).filter((name, at, all) => name !== all[at - 1]);
      expect(names).toEqual([
        'response.created',
        'response.in_progress',
        'response.output_item.added',
        'response.content_part.added',
        'response.output_text.delta',
        'response.output_text.done',
        'response.content_part.done',
        'response.output_item.done',
        'response.completed',
      ]);
      const response_ = events.at(-1)?.data.response;
      expect(response_).toMatchObject({ status: 'completed', usage: { output_tokens: 3 } });
      expect(response_.output[0].content[0].text).toBe('To the sea.');
    });

    test.each([false, true])('tools side by side, over two turns (streamed: %p)', async (stream) => {
      sluice.upstream.enqueue({ generate: { toolCalls: 2 } }, { generate: { text: 'Wet at noon.' } });
      const input: Item[] = [{ role: 'user', content: 'How is the weather, and when?' }];
      const first = await create(stream, { ...body, input, tools, store: false });
      const calls = first.output.filter((item) => item.type === 'function_call');
      expect(calls.map(({ name, arguments: text }) => [name, JSON.parse(text)])).toEqual([
        ['weather', { city: 'sample' }],
        ['clock', {}],
      ]);
      expect(new Set(calls.map(({ call_id }) => call_id)).size).toBe(2);
      for (const { call_id, name, arguments: text } of calls) {
        input.push({ type: 'function_call', call_id, name, arguments: text });
      }
      for (const { call_id, name } of calls) {
        input.push({ type: 'function_call_output', call_id, output: `result of ${name}` });
      }
      const second = await create(stream, { ...body, input, tools, store: false });
      expect(second).toMatchObject({ status: 'completed', output_text: 'Wet at noon.' });
      const sent = sluice.upstream.requests[1]?.bodyText;
      for (const result of ['result of weather', 'result of clock']) expect(sent).toContain(result);
    });

    test.each([false, true])('a bound cuts the answer, which says so (streamed: %p)', async (stream) => {
      const answer = await create(stream, { ...body, max_output_tokens: 20 });
      expect(answer).toMatchObject({
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
        usage: { output_tokens: 20 },
      });
    });

    test.each([false, true])(
      'the counts are told, recorded and charged once (streamed: %p)',
      async (stream) => {
        const before = await sluice.availableNanoUsd();
        sluice.upstream.enqueue({
          generate: { tokens: 12, promptTokens: 100, cachedTokens: 40, reasoningTokens: 5 },
        });
        const { usage } = await create(stream, body);
        expect(usage).toMatchObject({
          input_tokens: 100,
          input_tokens_details: { cached_tokens: 40 },
          output_tokens: 12,
          total_tokens: 112,
        });
        expect(await lastUsage()).toMatchObject({
          endpoint: path,
          model,
          streamed: stream,
          status: 200,
          outcome: 'complete',
          inputTokens: 60,
          cacheReadTokens: 40,
          outputTokens: 12,
          reasoningTokens: 5,
          estimated: false,
          costNanoUsd: costOf(60, 40, 12),
          chargedNanoUsd: costOf(60, 40, 12),
        });
        expect(before - (await sluice.availableNanoUsd())).toBe(costOf(60, 40, 12));
      },
    );

    test.each([
      ['status_400', 400, refused],
      // The messages protocol has no words of its own for these two.
      ['context_overflow', 400, model === 'over-messages' ? refused : 'context_length_exceeded'],
      ['content_filter', 400, model === 'over-messages' ? refused : 'content_filtered'],
      ['status_401', 502, 'upstream_rejected_credentials'],
      ['wrong_model', 502, 'upstream_model_unavailable'],
      ['rate_limited', 503, 'upstream_rate_limited'],
      ['status_500', 502, 'upstream_failed'],
      ['status_503', 503, 'upstream_overloaded'],
      ['status_504', 504, 'upstream_timeout'],
      ['reset_before_headers', 502, 'upstream_unreachable'],
      ['html_answer', 502, 'upstream_failed'],
      ['empty_body', 502, 'upstream_invalid_answer'],
      ['error_in_200', 502, 'upstream_failed'],
    ] as const)('an upstream’s %s is told as %d %s and costs nothing', async (fault, status, code) => {
      sluice.upstream.byDefault({ fault });
      for (const stream of [false, true]) {
        const error = await refusal({ model, stream });
        expect(error).toMatchObject({ status, code });
        expect(error.message).not.toMatch(/upstream-secret|org-double|127\.0\.0\.1/);
        const record = await lastUsage();
        expect(record).toMatchObject({ status, errorCode: code, streamed: stream, chargedNanoUsd: 0n });
        expect(error.requestID).toBe(record.requestId);
      }
    });

    test.each([
      { name: 'in_band_error', afterEvents: 8 },
      { name: 'truncated_stream', afterEvents: 8 },
      { name: 'reset_mid_stream', afterEvents: 8 },
      { name: 'malformed_chunk', afterEvents: 8, events: 4 },
      { name: 'mid_stream_stall', afterEvents: 8 },
    ] as const)('%j after the first content is an error event, never a clean end', async (fault) => {
      sluice.upstream.byDefault({ generate: { tokens: 40 }, fault, shape: { chunkDelayMs: 5 } });
      const events = await eventsOf(await post({ ...body, stream: true }));
      const [error, failed] = events.slice(-2);
      expect(error).toMatchObject({ name: 'error', data: { error: {} } });
      expect(failed).toMatchObject({ name: 'response.failed', data: { response: { status: 'failed' } } });
      expect(error?.data.detail).toBe(error?.data.message);
      expect(events.map(({ name }) => name)).not.toContain('response.completed');
      const record = await lastUsage();
      expect(record).toMatchObject({ outcome: 'upstream_failed', status: 200 });
      expect(record.chargedNanoUsd).toBeGreaterThan(0n);
      const streaming = sluice.client().responses.stream(body);
      await expect(streaming.finalResponse()).rejects.toBeInstanceOf(APIError);
    });

    test('a client that leaves mid-stream ends the upstream call and pays for what it got', async () => {
      const known = (await sluice.usage()).at(-1)?.requestId;
      sluice.upstream.enqueue({ generate: { tokens: 1000 }, shape: { chunkDelayMs: 10 } });
      const stream = await sluice.client().responses.create({ ...body, stream: true });
      let seen = 0;
      for await (const event of stream) {
        if (event.type === 'response.output_text.delta') seen += 1;
        if (seen === 3) break;
      }
      const received = await sluice.upstream.received(1);
      await sluice.readsOnNoLonger();
      expect(await received.ended).toBe('client_closed');
      let record = await lastUsage();
      for (; record.requestId === known; record = await lastUsage()) await Bun.sleep(10);
      expect(record).toMatchObject({ outcome: 'client_closed', status: 200, estimated: true });
      expect(record.inputTokens).toBeGreaterThan(0);
      expect(record.outputTokens).toBeWithin(1, 500);
      expect(record.chargedNanoUsd).toBe(record.costNanoUsd);
    });
  });

  describe('what only a provider that keeps responses can do', () => {
    test.each(converted)('%s: 400 that names the field', async (model) => {
      for (const [field, value] of [
        ['previous_response_id', 'resp_1'],
        ['conversation', 'conv_1'],
        ['prompt', { id: 'pmpt_1' }],
        ['background', true],
      ] as const) {
        for (const stream of [false, true]) {
          const error = await refusal({ model, [field]: value, stream });
          expect(error).toMatchObject({ status: 400, code: 'invalid_parameter', param: field });
          expect(error.message).toContain(field);
        }
      }
      expect(sluice.upstream.counts.requests).toBe(0);
    });

    test('is for the upstream to judge where it speaks responses itself', async () => {
      const error = await refusal({ previous_response_id: 'resp_1' });
      expect(error).toMatchObject({
        status: 400,
        code: 'upstream_refused_request',
        param: 'previous_response_id',
      });
      expect(sluice.upstream.requests[0]?.body).toMatchObject({ previous_response_id: 'resp_1' });
    });

    test('goes past a provider that cannot to one that can', async () => {
      const response = await post({ ...ask, model: 'keeper-behind', conversation: 'conv_1' });
      expect(response.status).toBe(200);
      expect(response.headers.get('x-sluice-provider')).toBe('backup');
      expect(backup.requests[0]?.body).toMatchObject({ conversation: 'conv_1' });
      expect(sluice.upstream.counts.requests).toBe(0);
    });
  });

  describe('before the first content a fault goes to the next provider', () => {
    const faults = [
      'status_500',
      'rate_limited',
      'reset_before_headers',
      { name: 'in_band_error', afterEvents: 3 },
      { name: 'truncated_stream', afterEvents: 3 },
    ] as const;
    const next = [
      ['safe', 'backup', '/v1/responses'],
      ['safe-across', 'backup-chat', '/v1/chat/completions'],
    ] as const;

    test.each(next)('%s: to %s', async (model, provider, nextPath) => {
      for (const fault of faults) {
        for (const stream of typeof fault === 'string' ? [false, true] : [true]) {
          sluice.upstream.byDefault({ fault });
          backup.byDefault({ generate: { text: 'From the other side.' } });
          expect((await create(stream, { ...ask, model })).output_text).toBe('From the other side.');
          expect(backup.requests.at(-1)?.path).toBe(nextPath);
          expect(await lastUsage()).toMatchObject({ provider, outcome: 'complete', streamed: stream });
        }
      }
    });

    test('but what the request itself is refused for goes nowhere', async () => {
      for (const fault of ['status_400', 'context_overflow', 'content_filter'] as const) {
        sluice.upstream.byDefault({ fault });
        expect(await refusal({ model: 'safe' })).toMatchObject({ status: 400 });
      }
      expect(backup.counts.requests).toBe(0);
    });
  });

  describe('refusals of the gateway', () => {
    test.each([
      ['an unknown token', {}, { apiKey: newToken() }, 401, 'invalid_token', 'authentication_error'],
      ['an expired token', {}, { apiKey: tokens.expired }, 401, 'token_expired', 'authentication_error'],
      ['an empty wallet', {}, { apiKey: tokens.poor }, 402, 'insufficient_funds', 'insufficient_quota'],
      ['a missing scope', {}, { apiKey: tokens.reader }, 403, 'scope_missing', 'permission_error'],
      ['a lock', {}, { apiKey: tokens.locked }, 403, 'model_not_allowed', 'permission_error'],
      ['an unknown model', { model: 'nobody' }, {}, 404, 'model_not_found', 'invalid_request_error'],
      ['an embedding model', { model: 'vectors' }, {}, 404, 'model_not_found', 'invalid_request_error'],
      [
        'too large a body',
        { instructions: 'x'.repeat(400_000) },
        {},
        413,
        'body_too_large',
        'invalid_request_error',
      ],
    ])('%s', async (_name, body, options, status, code, type) => {
      const error = await refusal(body, options);
      expect(error).toMatchObject({ status, code, type });
      expect(error.headers?.get('x-should-retry')).toBe('false');
      expect(sluice.upstream.counts.requests).toBe(0);
    });

    test('have error for the official client and detail for plain ones', async () => {
      const response = await post({ ...ask, model: 'nobody' });
      const { error, detail } = await response.json();
      expect(detail).toBe(error.message);
      expect(error).toMatchObject({ type: 'invalid_request_error', code: 'model_not_found', param: 'model' });
    });

    test('no token', async () => {
      const response = await post(ask, { authorization: '' });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      const { error, detail } = await response.json();
      expect(error).toMatchObject({ code: 'missing_token', type: 'authentication_error' });
      expect(detail).toBe(error.message);
    });

    test('422 lists each field that is wrong', async () => {
      const response = await post({
        input: [{ type: 7 }],
        temperature: 3,
        top_p: -1,
        max_output_tokens: 'many',
        stream: 'yes',
        tools: [{ name: 'no type' }],
      });
      expect(response.status).toBe(422);
      const { error, detail } = await response.json();
      expect(error.code).toBe('validation_failed');
      const fields = error.fields.map(({ loc }: { loc: unknown[] }) => loc.join('.'));
      expect(fields.toSorted()).toEqual([
        'input.0.type',
        'max_output_tokens',
        'model',
        'stream',
        'temperature',
        'tools.0.type',
        'top_p',
      ]);
      expect(detail).toBe('model: is required (and 6 more)');
      expect(await refusal({ temperature: 3 })).toBeInstanceOf(OpenAI.UnprocessableEntityError);
      expect(sluice.upstream.counts.requests).toBe(0);
    });

    test('422 for no input at all', async () => {
      for (const input of [undefined, null, 7]) {
        const response = await post({ model: ask.model, input });
        expect(response.status).toBe(422);
        expect((await response.json()).error.fields).toMatchObject([{ loc: ['input'] }]);
      }
    });

    test('429 with the time to wait; headers show the limit before and then', async () => {
      const client = sluice.client({ apiKey: tokens.limited });
      const { response } = await client.responses.create(ask).withResponse();
      expect(response.headers.get('x-ratelimit-limit-requests')).toBe('1');
      const error = await refusal({}, { apiKey: tokens.limited });
      expect(error).toBeInstanceOf(OpenAI.RateLimitError);
      expect(Number(error.headers?.get('retry-after'))).toBeGreaterThan(0);
      expect(error.headers?.get('x-ratelimit-remaining-requests')).toBe('0');
    });
  });
});
