/** POST /v1/chat/completions as the official client uses it, over an upstream that speaks the messages protocol. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type OpenAI from 'openai';
import { APIError } from 'openai';
import { startTestSluice, type TestSluice, usualModel, usualProvider } from '../support/sluice.ts';
import { startUpstream, type Upstream } from '../support/upstream/index.ts';
import { messagesFixture } from '../support/upstream/protocols/messages/recordings.ts';

const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Where does the river go?' }];
const ask = { model: 'claude', messages };
const upstreamId = 'claude-sonnet-4-5-20250929';

const weather: OpenAI.ChatCompletionTool = {
  type: 'function',
  function: {
    name: 'weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};
const clock: OpenAI.ChatCompletionTool = { type: 'function', function: { name: 'clock' } };

const costOf = (uncached: number, cached: number, output: number): bigint =>
  BigInt(uncached) * 150n + BigInt(cached) * 75n + BigInt(output) * 600n;

let sluice: TestSluice;
let backup: Upstream;

beforeAll(async () => {
  backup = startUpstream();
  const model = {
    ...usualModel,
    aliases: [],
    capabilities: ['tools', 'vision', 'thinking'],
    providers: [{ provider: 'main', upstream_id: upstreamId }],
  };
  const second = { provider: 'backup', upstream_id: 'double-backup' };
  sluice = await startTestSluice({
    skipsPauses: true,
    file: (url) => ({
      providers: [
        { ...usualProvider(url), kind: 'anthropic' },
        { ...usualProvider(backup.url), name: 'backup' },
      ],
      models: [
        { ...model, id: 'claude' },
        { ...model, id: 'safe', providers: [...model.providers, second] },
      ],
    }),
    variables: { SLUICE_UPSTREAM_FIRST_BYTE_TIMEOUT_MS: '1500', SLUICE_UPSTREAM_IDLE_TIMEOUT_MS: '1000' },
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

const lastBody = (): unknown => sluice.upstream.requests.at(-1)?.body;

async function lastUsage() {
  const record = (await sluice.usage()).at(-1);
  if (record === undefined) throw new Error('nothing was recorded');
  return record;
}

type Body = OpenAI.ChatCompletionCreateParamsNonStreaming;

/** Whole, or through the helper that puts a stream together. */
async function create(stream: boolean, body: Body): Promise<OpenAI.ChatCompletion> {
  const { completions } = sluice.client().chat;
  if (!stream) return completions.create(body);
  const streamed = { ...body, stream: true as const, stream_options: { include_usage: true } };
  return completions.stream(streamed).finalChatCompletion();
}

async function refusal(body: object = {}): Promise<APIError> {
  try {
    await sluice.client().chat.completions.create({ ...ask, ...body });
  } catch (error) {
    if (error instanceof APIError) return error;
    throw error;
  }
  throw new Error('it was answered');
}

function messageOf({ choices }: OpenAI.ChatCompletion): OpenAI.ChatCompletionMessage {
  const [choice] = choices;
  if (choice === undefined || choices.length !== 1) throw new Error('there is not one choice');
  return choice.message;
}

const dataOf = (text: string): string[] =>
  text
    .trim()
    .split('\n\n')
    .map((frame) => frame.replace(/^data: /, ''));

test('a call is replayed with its numbers as the model spelled them', async () => {
  const input = '{"id":9007199254740993,"at":1.0,"by":-0,"of":1e3}';
  sluice.upstream.enqueue({ generate: { text: 'Set.' } });
  const call = { id: 'c1', type: 'function' as const, function: { name: 'weather', arguments: input } };
  await create(false, {
    ...ask,
    tools: [weather],
    messages: [
      ...messages,
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: 'rain' },
    ],
  });
  expect(sluice.upstream.requests.at(-1)?.bodyText).toContain(`"input":${input}`);
});

test('functions from before there were tools are called as they were declared', async () => {
  const { function: described } = weather;
  for (const stream of [false, true]) {
    sluice.upstream.enqueue({ generate: { toolCalls: 1 } });
    const completion = await create(stream, { ...ask, functions: [described] });
    expect(completion.choices[0]?.finish_reason).toBe('function_call');
    expect(messageOf(completion).function_call).toEqual({
      name: 'weather',
      arguments: expect.stringMatching(/^\{"city":\s?"sample"\}$/),
    });
  }
});

test('the upstream gets its own model id, key, version and address', async () => {
  sluice.upstream.enqueue({ generate: { text: 'To the sea.' } });
  const completion = await create(false, ask);
  expect(completion).toMatchObject({
    object: 'chat.completion',
    choices: [{ index: 0, finish_reason: 'stop' }],
  });
  expect(messageOf(completion)).toMatchObject({ role: 'assistant', content: 'To the sea.' });
  const [received] = sluice.upstream.requests;
  expect(received?.path).toBe('/v1/messages');
  expect(received?.headers).toMatchObject({
    'x-api-key': 'upstream-secret',
    'anthropic-version': '2023-06-01',
  });
  expect(received?.headers).not.toHaveProperty('authorization');
  expect(received?.body).toMatchObject({ model: upstreamId, messages, max_tokens: 16_384 });
});

describe.each([false, true])('streamed: %p', (stream) => {
  test('tools over two turns: parallel calls, one without arguments', async () => {
    const tools = [weather, clock];
    sluice.upstream.enqueue({ generate: { toolCalls: 2 } });
    const first = await create(stream, { ...ask, tools });
    expect(first.choices[0]?.finish_reason).toBe('tool_calls');
    const calls = (messageOf(first).tool_calls ?? []).filter((call) => call.type === 'function');
    expect(calls.map(({ function: { name, arguments: text } }) => [name, JSON.parse(text)])).toEqual([
      ['weather', { city: 'sample' }],
      ['clock', {}],
    ]);
    const results = calls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: 'fine' }));
    sluice.upstream.enqueue({ generate: { text: 'All is fine.' } });
    const second = await create(stream, {
      ...ask,
      tools,
      messages: [...messages, messageOf(first), ...results],
    });
    expect(messageOf(second).content).toBe('All is fine.');
    expect(lastBody()).toMatchObject({
      tools: [{ name: 'weather', input_schema: { required: ['city'] } }, { name: 'clock' }],
      messages: [
        ...messages,
        { role: 'assistant', content: calls.map(({ id }) => ({ type: 'tool_use', id })) },
        { role: 'user', content: calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id })) },
      ],
    });
  });

  test('cached tokens are inside the input, and are recorded and charged once', async () => {
    sluice.upstream.enqueue({ generate: { tokens: 12, promptTokens: 100, cachedTokens: 40 } });
    expect((await create(stream, ask)).usage).toMatchObject({
      prompt_tokens: 100,
      completion_tokens: 12,
      total_tokens: 112,
      prompt_tokens_details: { cached_tokens: 40 },
    });
    expect(await lastUsage()).toMatchObject({
      endpoint: '/v1/chat/completions',
      streamed: stream,
      outcome: 'complete',
      inputTokens: 60,
      cacheReadTokens: 40,
      outputTokens: 12,
      estimated: false,
      chargedNanoUsd: costOf(60, 40, 12),
    });
  });

  test('recorded answers: with calls, with thinking, with writes into the cache', async () => {
    sluice.upstream.enqueue({ replay: messagesFixture('anthropic-tools') });
    const { tool_calls, content } = messageOf(await create(stream, ask));
    expect(content).toBe('I will ask for both tides.');
    expect(tool_calls).toMatchObject([{ id: 'toolu_F1xtureA' }, { id: 'toolu_F1xtureB' }]);
    expect(await lastUsage()).toMatchObject({ inputTokens: 310, cacheReadTokens: 64, outputTokens: 77 });
    sluice.upstream.enqueue({ replay: messagesFixture('anthropic-thinking') });
    expect(messageOf(await create(stream, ask)).content).toBe('The lock comes first.');
    expect(await lastUsage()).toMatchObject({ outputTokens: 31, reasoningTokens: 18 });
    sluice.upstream.enqueue({ replay: messagesFixture('anthropic') });
    const { usage } = await create(stream, ask);
    expect(usage).toMatchObject({ prompt_tokens: 1549, prompt_tokens_details: { cached_tokens: 1200 } });
  });

  test.each(['max_tokens', 'max_completion_tokens'])('%s stops an answer and says so', async (field) => {
    const completion = await create(stream, { ...ask, [field]: 7 });
    expect(lastBody()).toMatchObject({ max_tokens: 7 });
    expect(completion).toMatchObject({
      choices: [{ finish_reason: 'length' }],
      usage: { completion_tokens: 7 },
    });
  });

  test('stop sequences, one or many, stop an answer', async () => {
    for (const stop of ['three', ['four', 'three']]) {
      sluice.upstream.enqueue({ generate: { text: 'One two three four' } });
      const completion = await create(stream, { ...ask, stop });
      expect(lastBody()).toMatchObject({ stop_sequences: [stop].flat() });
      expect(completion.choices[0]?.finish_reason).toBe('stop');
      expect(messageOf(completion).content).toBe('One two ');
    }
  });
});

describe('a stream', () => {
  test('has one id, a role at first, usage only when asked for, and [DONE]', async () => {
    for (const asked of [false, true]) {
      const stream_options = asked ? { include_usage: true } : undefined;
      const response = await sluice.post('/v1/chat/completions', { ...ask, stream: true, stream_options });
      const data = dataOf(await response.text());
      expect(data.pop()).toBe('[DONE]');
      const chunks: OpenAI.ChatCompletionChunk[] = data.map((text) => JSON.parse(text));
      expect(new Set(chunks.map(({ id, created }) => `${id} ${created}`)).size).toBe(1);
      expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant');
      const counted = chunks.filter(({ usage }) => usage != null);
      expect(counted.length).toBe(asked ? 1 : 0);
      if (asked)
        expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
      expect((await lastUsage()).estimated).toBe(false);
    }
  });

  test('says what the whole answer says, in any script and however it is cut', async () => {
    const answer = { generate: { nonAscii: true, tokens: 20 } };
    sluice.upstream.enqueue(answer);
    const whole = messageOf(await create(false, ask)).content ?? '';
    for (const writes of [{ everyBytes: 1 }, { everyBytes: 7 }, { seed: 5 }, 'joined'] as const) {
      const lineEnds = writes === 'joined' ? 'crlf' : 'lf';
      sluice.upstream.enqueue({ ...answer, shape: { writes, lineEnds, comment: 'still here' } });
      expect(messageOf(await create(true, ask)).content).toBe(whole);
    }
  });
});

describe('the request', () => {
  test('instructions become the system prompt, and images blocks', async () => {
    const text = { type: 'text' as const, text: 'What is this?' };
    const image = (url: string) => ({ type: 'image_url' as const, image_url: { url } });
    await create(false, {
      ...ask,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'developer', content: 'Be kind.' },
        {
          role: 'user',
          content: [text, image('data:image/png;base64,iVBORw0KGgo='), image('https://a.example/b.jpg')],
        },
      ],
    });
    const body = sluice.upstream.requests[0]?.bodyText ?? '';
    expect(JSON.parse(body).system.map((block: { text: string }) => block.text)).toEqual([
      'Be brief.',
      'Be kind.',
    ]);
    expect(lastBody()).toMatchObject({
      messages: [
        {
          role: 'user',
          content: [
            text,
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
            { type: 'image', source: { type: 'url', url: 'https://a.example/b.jpg' } },
          ],
        },
      ],
    });
  });

  test.each([
    ['required', { type: 'any' }],
    // Its own default.
    ['auto', undefined],
    ['none', { type: 'none' }],
    [
      { type: 'function', function: { name: 'weather' } },
      { type: 'tool', name: 'weather' },
    ],
  ] as const)('tool_choice %j', async (tool_choice, sent) => {
    await create(false, { ...ask, tools: [weather, clock], tool_choice });
    expect(Reflect.get(Object(lastBody()), 'tool_choice')).toEqual(sent);
  });

  test('parallel_tool_calls: false leaves one call', async () => {
    sluice.upstream.enqueue({ generate: { toolCalls: 2 } });
    const completion = await create(false, { ...ask, tools: [weather], parallel_tool_calls: false });
    expect(lastBody()).toMatchObject({ tool_choice: { disable_parallel_tool_use: true } });
    expect(messageOf(completion).tool_calls).toHaveLength(1);
  });

  test('structured output: the schema goes to the upstream, the client parses the answer', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    };
    const completion = await sluice.client().chat.completions.parse({
      ...ask,
      response_format: { type: 'json_schema', json_schema: { name: 'place', schema, strict: true } },
    });
    expect(lastBody()).toMatchObject({ output_config: { format: { type: 'json_schema', schema } } });
    expect(JSON.parse(messageOf(completion).content ?? '')).toEqual({ city: 'sample' });
  });

  test('temperature is held to the protocol’s bound, the user is named, fields of one vendor stay behind', async () => {
    await create(false, { ...ask, temperature: 1.7, user: 'u-1', seed: 4, store: false });
    expect(lastBody()).toMatchObject({ temperature: 1, metadata: { user_id: 'u-1' } });
    expect(Object.keys(JSON.parse(sluice.upstream.requests[0]?.bodyText ?? ''))).not.toContainAnyValues([
      'seed',
      'store',
      'user',
    ]);
  });

  test('thinking comes with its signature and is taken back in the second turn', async () => {
    const request = { ...ask, tools: [weather], reasoning_effort: 'low' as const };
    sluice.upstream.enqueue({ generate: { showReasoning: true, reasoningTokens: 5, toolCalls: 1 } });
    const message = messageOf(await create(false, request));
    expect(lastBody()).toMatchObject({ thinking: { type: 'enabled', budget_tokens: 2048 } });
    expect(message).toHaveProperty('reasoning_content', 'calm rivers carry small boats');
    const results = (message.tool_calls ?? []).map(({ id }) => ({
      role: 'tool' as const,
      tool_call_id: id,
      content: 'wet',
    }));
    sluice.upstream.enqueue({ generate: { text: 'It rains.' } });
    const second = await create(false, { ...request, messages: [...messages, message, ...results] });
    expect(messageOf(second).content).toBe('It rains.');
    expect(lastBody()).toMatchObject({
      thinking: { type: 'enabled' },
      messages: [{}, { content: [{ type: 'thinking' }, { type: 'tool_use' }] }, {}],
    });
  });
});

describe('errors', () => {
  test('what the protocol cannot carry is a 400 with the field, unless another provider can', async () => {
    expect(await refusal({ n: 2 })).toMatchObject({ status: 400, code: 'invalid_parameter', param: 'n' });
    const { data, response } = await sluice
      .client()
      .chat.completions.create({ ...ask, model: 'safe', n: 2 })
      .withResponse();
    expect(response.headers.get('x-sluice-provider')).toBe('backup');
    expect(data.choices).toHaveLength(2);
    expect(sluice.upstream.counts.requests).toBe(0);
  });

  test.each([
    ['status_400', 400, 'upstream_refused_request'],
    ['status_413', 413, 'body_too_large'],
    ['status_422', 400, 'upstream_refused_request'],
    ['status_401', 502, 'upstream_rejected_credentials'],
    ['status_403', 502, 'upstream_rejected_credentials'],
    ['wrong_model', 502, 'upstream_model_unavailable'],
    ['rate_limited', 503, 'upstream_rate_limited'],
    ['status_402', 503, 'upstream_quota_spent'],
    ['status_500', 502, 'upstream_failed'],
    ['status_529', 503, 'upstream_overloaded'],
    ['error_in_200', 502, 'upstream_failed'],
    ['html_answer', 502, 'upstream_failed'],
    ['empty_body', 502, 'upstream_invalid_answer'],
    ['reset_before_headers', 502, 'upstream_unreachable'],
    ['malformed_chunk', 502, 'upstream_invalid_answer'],
    ['truncated_stream', 502, 'upstream_unreachable'],
  ] as const)('%s is told as %d %s, and nothing is charged', async (fault, status, code) => {
    sluice.upstream.byDefault({ fault });
    const error = await refusal();
    expect(error).toMatchObject({ status, code });
    expect(error.message).not.toMatch(/secret|org-double|127\.0\.0\.1/);
    expect(await lastUsage()).toMatchObject({ status, errorCode: code, chargedNanoUsd: 0n });
  });

  test.each([
    'status_500',
    'status_529',
    { name: 'in_band_error', afterEvents: 0 },
    { name: 'in_band_error', afterEvents: 3 },
    { name: 'truncated_stream', afterEvents: 3 },
    { name: 'first_token_stall', afterEvents: 2 },
  ] as const)('%j before the first content of a stream goes to the next provider', async (fault) => {
    sluice.upstream.byDefault({ fault });
    const response = await sluice.post('/v1/chat/completions', { ...ask, model: 'safe', stream: true });
    expect(response.headers.get('x-sluice-provider')).toBe('backup');
    expect(dataOf(await response.text()).at(-1)).toBe('[DONE]');
  });

  test.each([
    [{ name: 'in_band_error', afterEvents: 5 }, 'upstream_failed'],
    [{ name: 'truncated_stream', afterEvents: 5 }, 'upstream_invalid_answer'],
    [{ name: 'reset_mid_stream', afterEvents: 5 }, 'upstream_unreachable'],
    [{ name: 'malformed_chunk', afterEvents: 5, events: 4 }, 'upstream_invalid_answer'],
    [{ name: 'mid_stream_stall', afterEvents: 5 }, 'upstream_timeout'],
  ] as const)(
    '%j after the first content is an error in the stream, never a clean end',
    async (fault, code) => {
      sluice.upstream.byDefault({ fault, shape: { chunkDelayMs: 5 } });
      const response = await sluice.post('/v1/chat/completions', { ...ask, stream: true });
      const data = dataOf(await response.text());
      expect(data).not.toContain('[DONE]');
      expect(JSON.parse(data.at(-1) ?? '').error).toMatchObject({ code });
      const record = await lastUsage();
      expect(record).toMatchObject({ outcome: 'upstream_failed', errorCode: code });
      expect(record.inputTokens).toBe(sluice.upstream.counts.promptTokens);
      expect(record.chargedNanoUsd).toBeGreaterThan(0n);
      await expect(create(true, ask)).rejects.toBeInstanceOf(APIError);
    },
  );
});
