/** POST /v1/messages as the official client uses it, over real sockets and over each kind of upstream. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import Anthropic, { type ClientOptions } from '@anthropic-ai/sdk';
import { startTestSluice, type TestSluice, usualModel, usualProvider } from '../support/sluice.ts';
import { messagesFixture } from '../support/upstream/protocols/messages/recordings.ts';

const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Where does the river go?' }];
const ask = { model: 'over-anthropic', max_tokens: 200, messages };
const upstreamIds = {
  'over-anthropic': 'claude-sonnet-4-5-20250929',
  'over-openai': 'double-1-2026',
} as const;
const networked = ['over-anthropic', 'over-openai'] as const;

const weather: Anthropic.Tool = {
  name: 'weather',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const clock: Anthropic.Tool = { name: 'clock', input_schema: { type: 'object', properties: {} } };
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Nano-USD a token: 150 input, 75 from the cache, 200 and 300 into it for 5 minutes and 1 hour, 600 output. */
const prices = { ...usualModel.prices, cache_write_5m: 0.2, cache_write_1h: 0.3 };
const costOf = (uncached: number, cached: number, output: number): bigint =>
  BigInt(uncached) * 150n + BigInt(cached) * 75n + BigInt(output) * 600n;

let sluice: TestSluice;

beforeAll(async () => {
  const model = (id: string, provider: string, upstreamId: string) => ({
    ...usualModel,
    id,
    prices,
    aliases: [],
    capabilities: ['tools', 'vision', 'thinking'],
    providers: [{ provider, upstream_id: upstreamId }],
  });
  sluice = await startTestSluice({
    file: (url) => ({
      providers: [
        usualProvider(url),
        {
          ...usualProvider(url),
          name: 'claude',
          kind: 'anthropic',
          credentials: [{ name: 'k1', api_key: 'anthropic-secret' }],
        },
        { name: 'made-up', kind: 'simulator' },
      ],
      models: [
        model('over-anthropic', 'claude', upstreamIds['over-anthropic']),
        model('over-openai', 'main', upstreamIds['over-openai']),
        model('over-simulator', 'made-up', 'simulator'),
      ],
    }),
  });
});
afterAll(() => sluice.stop());
beforeEach(() => sluice.upstream.forget());

const client = (options: ClientOptions = {}): Anthropic =>
  new Anthropic({ baseURL: sluice.url, apiKey: sluice.token, maxRetries: 0, ...options });

const post = (body: unknown, headers: Record<string, string> = {}) =>
  sluice.post('/v1/messages', body, headers);

const lastBody = (): unknown => sluice.upstream.requests.at(-1)?.body;

async function lastUsage() {
  const record = (await sluice.usage()).at(-1);
  if (record === undefined) throw new Error('nothing was recorded');
  return record;
}

/** Whole or through the helper that puts a stream together. */
function create(
  stream: boolean,
  body: Anthropic.MessageCreateParamsNonStreaming,
): Promise<Anthropic.Message> {
  return stream ? client().messages.stream(body).finalMessage() : client().messages.create(body);
}

function textOf({ content }: Anthropic.Message): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

const usesOf = ({ content }: Anthropic.Message) => content.filter((block) => block.type === 'tool_use');

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

describe.each(networked)('%s', (model) => {
  const isNative = model === 'over-anthropic';
  const body = { ...ask, model };

  test('a whole answer, with the upstream told its own model id and key', async () => {
    sluice.upstream.enqueue({ generate: { text: 'To the sea.' } });
    const message = await client().messages.create(body);
    expect(message).toMatchObject({ type: 'message', role: 'assistant', stop_reason: 'end_turn' });
    expect(textOf(message)).toBe('To the sea.');
    const [received] = sluice.upstream.requests;
    expect(received?.path).toBe(isNative ? '/v1/messages' : '/v1/chat/completions');
    expect(received?.body).toMatchObject({ model: upstreamIds[model] });
    expect(received?.headers).toMatchObject(
      isNative ? { 'x-api-key': 'anthropic-secret' } : { authorization: 'Bearer upstream-secret' },
    );
    expect(JSON.stringify(received?.headers)).not.toContain(sluice.token);
  });

  test('a stream has the whole sequence of events, in order', async () => {
    sluice.upstream.enqueue({ generate: { text: 'To the sea.' } });
    const response = await post({ ...body, stream: true });
    expect(response.headers.get('content-type')).toStartWith('text/event-stream');
    const events = readEvents(await response.text()).filter(({ name }) => name !== 'ping');
    for (const { name, data } of events) expect(data.type).toBe(name);
    const names = events.map(({ name }) => name).filter((name, at, all) => name !== all[at - 1]);
    expect(names).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(events[0]?.data).toMatchObject({ message: { content: [], stop_reason: null, usage: {} } });
  });

  test('a stream says what the whole answer says, in any script and however it is cut', async () => {
    const answer = { generate: { nonAscii: true, tokens: 20 } };
    sluice.upstream.enqueue(answer);
    const whole = textOf(await create(false, body));
    for (const writes of [{ everyBytes: 1 }, { everyBytes: 7 }, { seed: 5 }, 'joined'] as const) {
      const lineEnds = writes === 'joined' ? 'crlf' : 'lf';
      sluice.upstream.enqueue({ ...answer, shape: { writes, lineEnds, comment: 'still here' } });
      expect(textOf(await create(true, body))).toBe(whole);
    }
  });

  describe.each([false, true])('streamed: %p', (stream) => {
    test('tools over two turns: parallel calls, one without arguments, one that failed', async () => {
      const tools = [weather, clock];
      sluice.upstream.enqueue({ generate: { toolCalls: 2, interleaveToolCalls: stream } });
      const first = await create(stream, { ...body, tools });
      expect(first.stop_reason).toBe('tool_use');
      const uses = usesOf(first);
      expect(uses.map(({ name, input }) => ({ name, input }))).toEqual([
        { name: 'weather', input: { city: 'sample' } },
        { name: 'clock', input: {} },
      ]);
      const results = uses.map(({ id, name }) => ({
        type: 'tool_result' as const,
        tool_use_id: id,
        content: name === 'clock' ? 'it stands still' : [{ type: 'text' as const, text: 'sunny' }],
        ...(name === 'clock' ? { is_error: true } : {}),
      }));
      const talk: Anthropic.MessageParam[] = [
        ...messages,
        { role: 'assistant', content: first.content },
        { role: 'user', content: [...results, { type: 'text', text: 'And now?' }] },
      ];
      sluice.upstream.enqueue({ generate: { text: 'It is sunny.' } });
      expect(textOf(await create(stream, { ...body, tools, messages: talk }))).toBe('It is sunny.');
      const ids = uses.map(({ id }) => id);
      const sent = isNative
        ? [...messages, { content: [{ id: ids[0] }, { id: ids[1] }] }, talk[2]]
        : [
            ...messages,
            { tool_calls: [{ id: ids[0] }, { id: ids[1], function: { arguments: '{}' } }] },
            { role: 'tool', tool_call_id: ids[0], content: 'sunny' },
            { role: 'tool', tool_call_id: ids[1], content: 'Error: it stands still' },
            { role: 'user', content: 'And now?' },
          ];
      expect(lastBody()).toMatchObject({ messages: sent });
    });

    test('cached tokens are told, recorded and charged once', async () => {
      const before = await sluice.availableNanoUsd();
      sluice.upstream.enqueue({ generate: { tokens: 12, promptTokens: 100, cachedTokens: 40 } });
      const { usage } = await create(stream, body);
      expect(usage).toMatchObject({ input_tokens: 60, cache_read_input_tokens: 40, output_tokens: 12 });
      expect(await lastUsage()).toMatchObject({
        endpoint: '/v1/messages',
        streamed: stream,
        outcome: 'complete',
        inputTokens: 60,
        cacheReadTokens: 40,
        outputTokens: 12,
        estimated: false,
        chargedNanoUsd: costOf(60, 40, 12),
      });
      expect(before - (await sluice.availableNanoUsd())).toBe(costOf(60, 40, 12));
    });

    test('max_tokens stops an answer and says so', async () => {
      const message = await create(stream, { ...body, max_tokens: 7 });
      expect(message).toMatchObject({ stop_reason: 'max_tokens', usage: { output_tokens: 7 } });
    });

    test('structured output: the schema goes to the upstream, the answer fits it', async () => {
      const schema = { ...weather.input_schema, additionalProperties: false };
      const message = await create(stream, {
        ...body,
        output_config: { format: { type: 'json_schema', schema } },
      });
      expect(JSON.parse(textOf(message))).toEqual({ city: 'sample' });
    });
  });

  test('system prompts: a string and blocks', async () => {
    const system = [
      { type: 'text' as const, text: 'Be brief.' },
      { type: 'text' as const, text: 'Be kind.', cache_control: { type: 'ephemeral' as const } },
    ];
    await client().messages.create({ ...body, system: 'Be brief.' });
    const plain = { role: 'system', content: 'Be brief.' };
    expect(lastBody()).toMatchObject(isNative ? { system: 'Be brief.' } : { messages: [plain, ...messages] });
    await client().messages.create({ ...body, system });
    // A host of one's own gets what all hosts take: one text.
    const joined = { role: 'system', content: 'Be brief.\n\nBe kind.' };
    expect(lastBody()).toMatchObject(isNative ? { system } : { messages: [joined, ...messages] });
  });

  test('images as base64, in a message and in the result of a tool', async () => {
    const image: Anthropic.ImageBlockParam = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: pixel },
    };
    const use = { type: 'tool_use' as const, id: 'toolu_1', name: 'weather', input: { city: 'Bonn' } };
    const talk: Anthropic.MessageParam[] = [
      { role: 'user', content: [image, { type: 'text', text: 'What is this?' }] },
      { role: 'assistant', content: [use] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: use.id, content: [image] }] },
    ];
    await client().messages.create({ ...body, messages: talk, tools: [weather] });
    if (isNative) return expect(lastBody()).toMatchObject({ messages: talk });
    const url = { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } };
    expect(lastBody()).toMatchObject({
      messages: [
        { role: 'user', content: [url, { type: 'text', text: 'What is this?' }] },
        { tool_calls: [{ id: use.id }] },
        { role: 'tool', tool_call_id: use.id },
        { role: 'user', content: [{ type: 'text' }, url] },
      ],
    });
  });

  test('a document goes as bytes, with its title', async () => {
    const source = { type: 'base64' as const, media_type: 'application/pdf' as const, data: 'JVBERi0xLjQK' };
    const document: Anthropic.DocumentBlockParam = { type: 'document', title: 'tides.pdf', source };
    await client().messages.create({ ...body, messages: [{ role: 'user', content: [document] }] });
    const file = { filename: 'tides.pdf', file_data: `data:application/pdf;base64,${source.data}` };
    const sent = isNative ? document : { type: 'file', file };
    expect(lastBody()).toMatchObject({ messages: [{ role: 'user', content: [sent] }] });
  });

  test.each([
    [{ type: 'any' }, { tool_choice: 'required' }],
    [{ type: 'tool', name: 'clock' }, { tool_choice: { type: 'function', function: { name: 'clock' } } }],
    [{ type: 'none' }, { tool_choice: 'none' }],
    [
      { type: 'any', disable_parallel_tool_use: true },
      { tool_choice: 'required', parallel_tool_calls: false },
    ],
  ] as const)('tool_choice %j is obeyed', async (tool_choice, converted) => {
    sluice.upstream.enqueue({ generate: { toolCalls: 2 } });
    const message = await client().messages.create({ ...body, tools: [weather, clock], tool_choice });
    expect(lastBody()).toMatchObject(isNative ? { tool_choice } : converted);
    const names = usesOf(message).map(({ name }) => name);
    if (tool_choice.type === 'none') expect(names).toEqual([]);
    else if (tool_choice.type === 'tool') expect(new Set(names)).toEqual(new Set(['clock']));
    else expect(names).toHaveLength('disable_parallel_tool_use' in tool_choice ? 1 : 2);
  });

  test('what many requests at once were charged is what the upstream counted', async () => {
    const known = (await sluice.usage()).length;
    const before = await sluice.availableNanoUsd();
    const requests = Array.from({ length: 20 }, (_, index) =>
      create(index % 2 === 0, { ...body, max_tokens: 1 + index }),
    );
    await Promise.all(requests);
    const { promptTokens, completionTokens } = sluice.upstream.counts;
    expect((await sluice.usage()).slice(known)).toHaveLength(20);
    expect(before - (await sluice.availableNanoUsd())).toBe(costOf(promptTokens, 0, completionTokens));
  });

  test('stop sequences reach the upstream', async () => {
    sluice.upstream.enqueue({ generate: { text: 'One two three' } });
    const message = await client().messages.create({ ...body, stop_sequences: ['three', 'four'] });
    expect(lastBody()).toMatchObject({ [isNative ? 'stop_sequences' : 'stop']: ['three', 'four'] });
    if (isNative) expect(message).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'three' });
  });

  test('shown thinking is a block of its own and is taken back in the second turn', async () => {
    sluice.upstream.enqueue({ generate: { showReasoning: true, reasoningTokens: 5, toolCalls: 1 } });
    const thinking = { type: 'enabled' as const, budget_tokens: 1024 };
    const request = { ...body, max_tokens: 2000, thinking, tools: [weather] };
    const first = await create(true, request);
    const [thought, use] = first.content;
    expect([thought?.type, use?.type]).toEqual(['thinking', 'tool_use']);
    expect(thought?.type === 'thinking' && thought.thinking).toStartWith('calm rivers');
    expect(await lastUsage()).toMatchObject({ reasoningTokens: 5 });
    const results = usesOf(first).map(({ id }) => ({ type: 'tool_result' as const, tool_use_id: id }));
    const talk: Anthropic.MessageParam[] = [
      ...messages,
      { role: 'assistant', content: first.content },
      { role: 'user', content: results },
    ];
    sluice.upstream.enqueue({ generate: { text: 'Sunny.' } });
    expect(textOf(await create(false, { ...request, messages: talk }))).toBe('Sunny.');
    expect(lastBody()).toMatchObject(
      isNative ? { messages: [{}, { content: [thought, {}] }, {}] } : { reasoning_effort: 'low' },
    );
  });
});

describe('bytes over the anthropic upstream', () => {
  test('a request keeps every byte but the model, and its protocol headers', async () => {
    const text = `{"model":"over-anthropic", "max_tokens":9,"messages":[{"role":"user","content":"hi"}],"x":{"big":12345678901234567890,"y":1.0}}`;
    const headers = {
      'anthropic-version': '2024-01-02',
      'anthropic-beta': 'one-2025,two-2026',
      'x-odd': 'no',
    };
    expect((await post(text, headers)).status).toBe(200);
    const [received] = sluice.upstream.requests;
    expect(received?.bodyText).toBe(text.replace('over-anthropic', upstreamIds['over-anthropic']));
    expect(received?.headers).toMatchObject({
      'anthropic-version': '2024-01-02',
      'anthropic-beta': 'one-2025,two-2026',
    });
    expect(received?.headers).not.toHaveProperty('x-odd');
  });

  test('the members of metadata that choose a session stay here', async () => {
    await post({ ...ask, metadata: { user_id: 'u', session_id: 's', sticky_key: 'k' } });
    expect(lastBody()).toMatchObject({ metadata: { user_id: 'u' } });
    expect(sluice.upstream.requests[0]?.bodyText).not.toMatch(/session_id|sticky_key/);
  });

  test.each(['anthropic', 'anthropic-thinking', 'anthropic-tools'] as const)(
    'the recorded answer %s comes back byte for byte, whole and streamed',
    async (name) => {
      const recording = messagesFixture(name);
      sluice.upstream.byDefault({ replay: recording });
      expect(await (await post(ask)).text()).toBe(recording.whole ?? '');
      const streamed = await (await post({ ...ask, stream: true })).text();
      expect(streamed).toBe((recording.events ?? []).map((event) => `${event}\n\n`).join(''));
    },
  );

  test('writes into the cache have prices of their own', async () => {
    sluice.upstream.byDefault({ replay: messagesFixture('anthropic') });
    for (const stream of [false, true]) {
      await create(stream, ask);
      expect(await lastUsage()).toMatchObject({
        inputTokens: 9,
        cacheReadTokens: 1200,
        cacheWrite5mTokens: 300,
        cacheWrite1hTokens: 40,
        outputTokens: 23,
        costNanoUsd: costOf(9, 1200, 23) + 300n * 200n + 40n * 300n,
      });
    }
  });
});

test('x-api-key and Bearer are both taken, and the answer carries both request ids', async () => {
  for (const options of [{ apiKey: sluice.token }, { apiKey: null, authToken: sluice.token }]) {
    const { response, request_id } = await client(options).messages.create(ask).withResponse();
    expect(request_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(response.headers.get('x-request-id')).toBe(request_id ?? '');
    expect(response.headers.get('x-sluice-provider')).toBe('claude');
  }
});

test.each([false, true])('the simulator answers and calls tools (streamed: %p)', async (stream) => {
  const body = { ...ask, model: 'over-simulator' };
  const message = await create(stream, { ...body, system: 'Be brief.' });
  expect(textOf(message)).toContain('simulation');
  expect(message).toMatchObject({ stop_reason: 'end_turn' });
  const first = await create(stream, { ...body, tools: [weather] });
  expect(usesOf(first).map(({ name }) => name)).toEqual(['weather']);
  expect(usesOf(first)[0]?.input).toHaveProperty('city');
  const results = usesOf(first).map(({ id }) => ({
    type: 'tool_result' as const,
    tool_use_id: id,
    content: 'wet',
  }));
  const talk: Anthropic.MessageParam[] = [
    ...messages,
    { role: 'assistant', content: first.content },
    { role: 'user', content: results },
  ];
  const second = await create(stream, { ...body, tools: [weather], messages: talk });
  expect(second.stop_reason).toBe('end_turn');
  expect(await create(stream, { ...body, max_tokens: 2 })).toMatchObject({ stop_reason: 'max_tokens' });
  expect((await lastUsage()).costNanoUsd).toBeGreaterThan(0n);
});
