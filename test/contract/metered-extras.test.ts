/** What an answer used beside plain tokens is on the bill, whichever way it came; what has no price is not asked for. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Extras } from '../../src/base/token-usage.ts';
import { owner, startTestSluice, type TestSluice, usualProvider } from '../support/sluice.ts';

/** USD for a million, told apart by their digits: no two sums of a few lines are the same. */
const prices = {
  input: 1,
  output: 3,
  input_priority: 11,
  output_priority: 13,
  input_us: 17,
  output_us: 19,
  input_fast: 23,
  output_fast: 29,
  input_above_200k: 31,
  output_above_200k: 37,
  audio_input: 41,
  audio_output: 43,
  image_output: 47,
  web_search: 10_000,
  file_search: 2500,
  container: 30_000,
  image: 40_000,
};
const kinds = ['chat', 'responses', 'messages', 'google'] as const;
type Kind = (typeof kinds)[number];

const settings = { chat: { protocols: ['chat-completions'] }, responses: { protocols: ['responses'] } };

const file = (url: string) => ({
  users: [{ email: owner, password: 'a long enough password', role: 'platform_owner', wallet_usd: 1000 }],
  providers: kinds.map((kind) => ({
    ...usualProvider(url),
    name: kind,
    kind: { chat: 'openai', responses: 'openai', messages: 'anthropic', google: 'google' }[kind],
    settings: kind === 'chat' || kind === 'responses' ? settings[kind] : {},
  })),
  models: kinds.flatMap((kind) => {
    const model = (
      id: string,
      of: object,
      upstreamId = kind === 'google' ? 'gemini-3.1-pro' : `${id}-${kind}`,
    ) => ({
      id: `${id}-${kind}`,
      owned_by: 'doubles',
      prices: of,
      providers: [{ provider: kind, upstream_id: upstreamId }],
    });
    return [
      model('priced', prices),
      model('plain', { input: 1, output: 3 }),
      model('free', { input: 0, output: 0 }),
      model('given', Object.fromEntries(Object.keys(prices).map((meter) => [meter, 0]))),
      model('searching', prices, 'gpt-4o-search-preview'),
      model('asked', prices, 'other-search-model'),
    ];
  }),
  keys: [],
});

const tokens = { input: 1000, output: 500 };

/** Whole answers, as each protocol has them. */
const said = {
  chat: (more: object = {}, usage: object = {}) => ({
    id: 'c1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500, ...usage },
    ...more,
  }),
  responses: (more: object = {}, items: readonly object[] = [], usage: object = {}) => ({
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'm',
    output: [
      ...items,
      {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Hello.', annotations: [] }],
      },
    ],
    // In front of the usage, as OpenAI has it.
    ...more,
    usage: { input_tokens: 1000, output_tokens: 500, total_tokens: 1500, ...usage },
  }),
  messages: (usage: object = {}, more: object = {}) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'Hello.' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    // In front of the usage, where a look at the two ends does not find it.
    ...more,
    usage: { input_tokens: 1000, output_tokens: 500, ...usage },
  }),
  google: (usage: object = {}, candidate: object = {}) => ({
    candidates: [
      {
        index: 0,
        content: { role: 'model', parts: [{ text: 'Hello.' }] },
        finishReason: 'STOP',
        ...candidate,
      },
    ],
    usageMetadata: { promptTokenCount: 1000, candidatesTokenCount: 500, totalTokenCount: 1500, ...usage },
    modelVersion: 'gemini-3.1-pro',
  }),
};

type Json = Readonly<Record<string, unknown>>;
const event = (data: object, name?: string) =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

/** The same answers as streams. */
const streamed: Readonly<Record<Kind, (whole: Json) => string>> = {
  chat: ({ choices: _choices, usage, ...head }) =>
    [
      event({
        ...head,
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta: { role: 'assistant', content: 'Hel' } }],
      }),
      event({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'lo.' } }] }),
      event({
        ...head,
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
      }),
      event({ ...head, object: 'chat.completion.chunk', choices: [], usage }),
      'data: [DONE]\n\n',
    ].join(''),
  responses: (whole) =>
    [
      event({
        type: 'response.created',
        response: { ...whole, status: 'in_progress', output: [], usage: null },
      }),
      event({
        type: 'response.output_item.added',
        output_index: 0,
        item: { id: 'msg_1', type: 'message', role: 'assistant', content: [] },
      }),
      event({
        type: 'response.content_part.added',
        output_index: 0,
        content_index: 0,
        item_id: 'msg_1',
        part: { type: 'output_text', text: '', annotations: [] },
      }),
      event({
        type: 'response.output_text.delta',
        output_index: 0,
        content_index: 0,
        item_id: 'msg_1',
        delta: 'Hello.',
      }),
      event({ type: 'response.completed', response: whole }),
    ].join(''),
  messages: ({ content: _content, stop_reason, usage, container, ...head }) => {
    const { server_tool_use, ...first } = Object(usage);
    return [
      event(
        {
          type: 'message_start',
          message: { ...head, content: [], stop_reason: null, usage: { ...first, output_tokens: 1 } },
        },
        'message_start',
      ),
      event(
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        'content_block_start',
      ),
      event(
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello.' } },
        'content_block_delta',
      ),
      event({ type: 'content_block_stop', index: 0 }, 'content_block_stop'),
      event(
        {
          type: 'message_delta',
          delta: { stop_reason, stop_sequence: null, container },
          usage: { output_tokens: first.output_tokens, server_tool_use },
        },
        'message_delta',
      ),
      event({ type: 'message_stop' }, 'message_stop'),
    ].join('');
  },
  google: ({ candidates, usageMetadata, ...head }) => {
    const [{ content, finishReason, ...candidate }] = candidates as [Record<string, unknown>];
    return [
      event({ ...head, candidates: [{ index: 0, content }], usageMetadata: { promptTokenCount: 1000 } }),
      event({
        ...head,
        candidates: [{ ...candidate, content: { role: 'model', parts: [{ text: '!' }] } }],
        usageMetadata: { promptTokenCount: 1000, candidatesTokenCount: 3 },
      }),
      event({
        ...head,
        candidates: [{ index: 0, content: { role: 'model', parts: [{ text: '' }] }, finishReason }],
        usageMetadata,
      }),
    ].join('');
  },
};

const messages = [{ role: 'user', content: 'Hello?' }];
/** How each protocol's clients ask. */
const asks: Readonly<
  Record<Kind, (model: string, stream: boolean, more?: object) => { path: string; body: object }>
> = {
  chat: (model, stream, more) => ({
    path: '/v1/chat/completions',
    body: { model, messages, ...(stream ? { stream } : {}), ...more },
  }),
  responses: (model, stream, more) => ({
    path: '/v1/responses',
    body: { model, input: 'Hello?', stream, ...more },
  }),
  messages: (model, stream, more) => ({
    path: '/v1/messages',
    body: { model, messages, max_tokens: 100, stream, ...more },
  }),
  google: (model, stream, more) => ({
    path: `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: { contents: [{ role: 'user', parts: [{ text: 'Hello?' }] }], ...more },
  }),
};

const search = (type: string) => ({
  id: 'ws',
  type: 'web_search_call',
  status: 'completed',
  action: { type },
});
const code = (container_id: string) => ({
  id: 'ci',
  type: 'code_interpreter_call',
  status: 'completed',
  container_id,
  code: '1',
});

interface Metered {
  readonly name: string;
  readonly kind: Kind;
  readonly answer: object;
  readonly extras: Extras;
  /** USD for a million of each of the 1000 tokens in and 500 out, and of what is beside them. */
  readonly lines: readonly (readonly [number, number])[];
  readonly ask?: object;
}

const usual = [
  [1000, 1],
  [500, 3],
] as const;
const { usage: usageOfChat, ...headOfChat } = said.chat({ service_tier: 'priority' });
const metered: readonly Metered[] = [
  {
    name: 'priority',
    kind: 'chat',
    answer: said.chat({ service_tier: 'priority' }),
    extras: { tier: 'priority' },
    lines: [
      [1000, 11],
      [500, 13],
    ],
  },
  {
    name: 'priority that is told in front of the usage',
    kind: 'chat',
    answer: { ...headOfChat, usage: usageOfChat },
    extras: { tier: 'priority' },
    lines: [
      [1000, 11],
      [500, 13],
    ],
  },
  {
    name: 'priority',
    kind: 'responses',
    answer: said.responses({ service_tier: 'priority', tools: [] }),
    extras: { tier: 'priority' },
    lines: [
      [1000, 11],
      [500, 13],
    ],
  },
  {
    name: 'images of OpenRouter',
    kind: 'chat',
    answer: said.chat({}, { completion_tokens_details: { reasoning_tokens: 0, image_tokens: 450 } }),
    extras: { image_output: 450 },
    lines: [
      [1000, 1],
      [50, 3],
      [450, 47],
    ],
  },
  {
    name: 'searches that a stored prompt brings along',
    kind: 'responses',
    answer: said.responses({}, [search('search')]),
    extras: { web_search: 1 },
    lines: [...usual, [1, 10_000]],
    ask: { prompt: { id: 'pmpt_1' } },
  },
  {
    name: 'sound in and out',
    kind: 'chat',
    answer: said.chat(
      {},
      { prompt_tokens_details: { audio_tokens: 400 }, completion_tokens_details: { audio_tokens: 300 } },
    ),
    extras: { audio_input: 400, audio_output: 300 },
    lines: [
      [600, 1],
      [400, 41],
      [200, 3],
      [300, 43],
    ],
  },
  {
    name: 'searches that OpenRouter counts',
    kind: 'chat',
    answer: said.chat({}, { server_tool_use: { web_search_requests: 2 } }),
    extras: { web_search: 2 },
    lines: [...usual, [2, 10_000]],
  },
  {
    name: 'tools of OpenAI',
    kind: 'responses',
    answer: said.responses({ service_tier: 'fast' }, [
      search('search'),
      search('open_page'),
      search('search'),
      code('a'),
      code('a'),
      code('b'),
      { id: 'fs', type: 'file_search_call', status: 'completed', queries: [] },
      { id: 'ig', type: 'image_generation_call', status: 'completed', result: 'aGk=' },
    ]),
    extras: { web_search: 2, file_search: 1, container: 2, image: 1, tier: 'priority' },
    lines: [
      [1000, 11],
      [500, 13],
      [2, 10_000],
      [1, 2500],
      [2, 30_000],
      [1, 40_000],
    ],
    ask: { tools: [{ type: 'web_search' }, { type: 'code_interpreter', container: { type: 'auto' } }] },
  },
  {
    name: 'tools that xAI counts',
    kind: 'responses',
    answer: said.responses({}, [], {
      server_side_tool_usage_details: { web_search_calls: 1, x_search_calls: 2, code_interpreter_calls: 3 },
    }),
    extras: { web_search: 3, container: 3 },
    lines: [...usual, [3, 10_000], [3, 30_000]],
  },
  {
    name: 'searches of Anthropic',
    kind: 'messages',
    answer: said.messages(
      { server_tool_use: { web_search_requests: 3, web_fetch_requests: 1 } },
      { container: { id: 'free beside a search' } },
    ),
    extras: { web_search: 3 },
    lines: [...usual, [3, 10_000]],
    ask: { tools: [{ type: 'web_search_20260209', name: 'web_search' }] },
  },
  {
    name: 'a container of Anthropic',
    kind: 'messages',
    answer: said.messages({}, { container: { id: 'c', expires_at: '2026-11-22T00:00:00Z' } }),
    extras: { container: 1 },
    lines: [...usual, [1, 30_000]],
    ask: { tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] },
  },
  {
    name: 'one country',
    kind: 'messages',
    answer: said.messages({ inference_geo: 'us' }),
    extras: { tier: 'us' },
    lines: [
      [1000, 17],
      [500, 19],
    ],
  },
  {
    name: 'fast',
    kind: 'messages',
    answer: said.messages({ speed: 'fast', service_tier: 'standard' }),
    extras: { tier: 'fast' },
    lines: [
      [1000, 23],
      [500, 29],
    ],
  },
  {
    name: 'queries of Gemini',
    kind: 'google',
    answer: said.google({}, { groundingMetadata: { webSearchQueries: ['one', 'two'] } }),
    extras: { web_search: 2 },
    lines: [...usual, [2, 10_000]],
    ask: {},
  },
  {
    name: 'sound of which a cache served a part',
    kind: 'google',
    answer: said.google({
      ...{ promptTokenCount: 1300, cachedContentTokenCount: 300, totalTokenCount: 1800 },
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 900 },
        { modality: 'AUDIO', tokenCount: 400 },
      ],
      cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: 300 }],
    }),
    extras: { audio_input: 100 },
    lines: [
      [1200, 1],
      [100, 41],
      [500, 3],
    ],
  },
  {
    name: 'sound and images of Gemini',
    kind: 'google',
    answer: said.google({
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 900 },
        { modality: 'AUDIO', tokenCount: 100 },
      ],
      candidatesTokensDetails: [
        { modality: 'AUDIO', tokenCount: 50 },
        { modality: 'IMAGE', tokenCount: 250 },
      ],
      serviceTier: 'standard',
    }),
    extras: { audio_input: 100, audio_output: 50, image_output: 250 },
    lines: [
      [900, 1],
      [100, 41],
      [200, 3],
      [50, 43],
      [250, 47],
    ],
  },
];

/** USD for a million are so many nano-USD for one. */
const sumOf = (lines: Metered['lines']): bigint =>
  lines.reduce((sum, [count, usd]) => sum + BigInt(count) * BigInt(usd) * 1000n, 0n);

describe('what is billed beside plain tokens', () => {
  let sluice: TestSluice;
  let server: ReturnType<typeof Bun.serve>;
  let bodies: string[] = [];
  let answer: () => Response = () => new Response();

  beforeAll(async () => {
    server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(http) {
        bodies.push(await http.text());
        return answer();
      },
    });
    sluice = await startTestSluice({ file: () => file(`http://127.0.0.1:${server.port}/v1`) });
  });
  afterAll(async () => {
    await sluice.stop();
    await server.stop(true);
  });
  beforeEach(() => {
    bodies = [];
  });

  async function recordOf({ headers }: Response) {
    const id = headers.get('x-request-id');
    return sluice.nextUsage(({ requestId }) => requestId === id);
  }

  const reply = (kind: Kind, whole: object, stream: boolean) => () =>
    stream
      ? new Response(streamed[kind]({ ...whole }), { headers: { 'content-type': 'text/event-stream' } })
      : Response.json(whole);

  const cases = metered.flatMap((each) =>
    kinds.flatMap((client) =>
      [false, true].map((stream) => ({ ...each, client, stream, way: stream ? 'streamed' : 'whole' })),
    ),
  );

  test.each(cases)(
    '$name: from $kind to a client of $client, $way',
    async ({ kind, client, stream, answer: whole, extras, lines, ask }) => {
      answer = reply(kind, whole, stream);
      const { path, body } = asks[client](`priced-${kind}`, stream, client === kind ? ask : {});
      const response = await sluice.post(path, body);
      await response.text();
      expect(response.status).toBe(200);
      expect(response.headers.has('x-sluice-left-out')).toBe(false);
      const record = await recordOf(response);
      expect(record.extras).toEqual(extras);
      expect(record).toMatchObject({
        inputTokens: tokens.input,
        outputTokens: tokens.output,
        costNanoUsd: sumOf(lines),
      });
      expect(record.chargedNanoUsd).toBe(record.costNanoUsd);
    },
  );

  test('what tools of providers did is told to Prometheus too', async () => {
    const { body } = asks.chat('priced-chat', false);
    answer = reply('chat', said.chat({}, { server_tool_use: { web_search_requests: 2 } }), false);
    await recordOf(await sluice.post('/v1/chat/completions', body));
    expect(await sluice.running.services.metrics.write()).toMatch(
      /^sluice_units_total\{model="priced-chat",provider="chat",kind="web_search"\} \d+$/m,
    );
  });

  test('a long prompt is charged by its length', async () => {
    answer = reply('chat', said.chat({}, { prompt_tokens: 200_001 }), false);
    const response = await sluice.post('/v1/chat/completions', asks.chat('priced-chat', false).body);
    await response.text();
    expect((await recordOf(response)).costNanoUsd).toBe(
      sumOf([
        [200_001, 31],
        [500, 37],
      ]),
    );
  });

  test.each([false, true])(
    'a model that searches for each answer is charged for it (streamed: %p)',
    async (stream) => {
      answer = reply('chat', said.chat(), stream);
      const { path, body } = asks.chat('priced-chat', stream, { web_search_options: {} });
      const response = await sluice.post(path, body);
      await response.text();
      expect((await recordOf(response)).extras).toEqual({ web_search: 1 });
    },
  );

  test.each(kinds.flatMap((client) => [false, true].map((stream) => [client, stream] as const)))(
    'so is one that nobody asked to search, by a client of %s (streamed: %p)',
    async (client, stream) => {
      answer = reply('chat', said.chat(), stream);
      const { path, body } = asks[client]('searching-chat', stream);
      const response = await sluice.post(path, body);
      await response.text();
      expect(await recordOf(response)).toMatchObject({
        extras: { web_search: 1 },
        costNanoUsd: sumOf([...usual, [1, 10_000]]),
      });
    },
  );

  test.each([
    ['messages', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, { web_search: 1 }],
    ['responses', { tools: [{ type: 'web_search' }] }, { web_search: 1 }],
    ['messages', {}, undefined],
  ] as const)('so is one that a client of %s asked to search, by %j', async (client, more, extras) => {
    for (const stream of [false, true]) {
      answer = reply('chat', said.chat(), stream);
      const { path, body } = asks[client]('asked-chat', stream, more);
      const response = await sluice.post(path, body);
      await response.text();
      expect((await recordOf(response)).extras).toEqual(extras);
    }
  });

  describe('without a price', () => {
    const own = { type: 'function', name: 'shell', parameters: { type: 'object', n: 12345678901234567890n } };
    const write = (value: object) =>
      JSON.stringify(value, (_key, each: unknown) => (typeof each === 'bigint' ? `#${each}` : each)).replace(
        /"#(\d+)"/g,
        '$1',
      );

    test('the tools that a coding agent declares are left out, and its own stay as they are', async () => {
      answer = reply('responses', said.responses(), true);
      const tools = [
        own,
        { type: 'web_search', external_web_access: true },
        { type: 'image_generation' },
        { type: 'local_shell' },
      ];
      const { path, body } = asks.responses('plain-responses', true, {
        tools,
        service_tier: 'priority',
        tool_choice: 'auto',
      });
      const response = await sluice.post(path, write(body));
      await response.text();
      expect(response.status).toBe(200);
      expect(response.headers.get('x-sluice-left-out')).toBe(
        'web_search, image_generation, service_tier: priority',
      );
      const [sent = ''] = bodies;
      expect(JSON.parse(sent)).toMatchObject({ tools: [{ name: 'shell' }, { type: 'local_shell' }] });
      expect(JSON.parse(sent).service_tier).toBeUndefined();
      expect(sent).toContain('12345678901234567890');
    });

    test('so are those of Claude Code, and a faster way', async () => {
      answer = reply('messages', said.messages(), false);
      const tools = [
        { name: 'Bash', input_schema: { type: 'object' } },
        { type: 'web_search_20250305', name: 'web_search' },
        { type: 'advisor_20260301', name: 'advisor', model: 'claude-opus-9' },
        { type: 'web_fetch_20250910', name: 'web_fetch' },
      ];
      const { path, body } = asks.messages('plain-messages', false, { tools, speed: 'fast' });
      const response = await sluice.post(path, body);
      expect(response.status).toBe(200);
      expect(response.headers.get('x-sluice-left-out')).toBe(
        'web_search_20250305, advisor_20260301, speed: fast',
      );
      const sent = JSON.parse(bodies[0] ?? '');
      expect(sent.tools.map(({ name }: { name: string }) => name)).toEqual(['Bash', 'web_fetch']);
      expect(sent.speed).toBeUndefined();
    });

    test('and a member of one tool of Gemini', async () => {
      answer = reply('google', said.google(), false);
      const tools = [{ function_declarations: [{ name: 'f' }], google_search: {} }, { googleMaps: {} }];
      const { path, body } = asks.google('plain-google', false, { tools });
      const response = await sluice.post(path, body);
      expect(response.headers.get('x-sluice-left-out')).toBe('googleSearch, googleMaps');
      expect(JSON.parse(bodies[0] ?? '').tools).toEqual([{ functionDeclarations: [{ name: 'f' }] }]);
    });

    const refused: readonly (readonly [string, Kind, object, string])[] = [
      ['a search alone', 'responses', { tools: [{ type: 'web_search' }] }, 'web_search'],
      [
        'a search that is demanded',
        'responses',
        { tools: [own, { type: 'web_search' }], tool_choice: { type: 'web_search' } },
        'web_search',
      ],
      ['a tool of which nothing is known', 'responses', { tools: [{ type: 'teleport' }] }, 'teleport'],
      [
        'a search of Claude Code’s own',
        'messages',
        { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
        'web_search_20250305',
      ],
      ['answers in one country', 'messages', { inference_geo: 'us' }, 'inference_geo: us'],
      [
        'spoken answers',
        'chat',
        { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } },
        'audio output',
      ],
      ['a search before each answer', 'chat', { web_search_options: {} }, 'web_search_options'],
      ['pictures', 'google', { generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } }, 'image output'],
    ];

    test.each(refused)('%s is refused by its name', async (_name, kind, more, named) => {
      const { path, body } = asks[kind](`plain-${kind}`, false, more);
      const response = await sluice.post(path, write(body));
      expect(response.status).toBe(403);
      const { detail } = await response.json();
      expect(detail).toStartWith(`${named} has no price on plain-${kind}`);
      expect(bodies).toEqual([]);
    });

    test.each(refused)('%s is no part of a model whose tokens are free', async (_name, kind, more) => {
      const { path, body } = asks[kind](`free-${kind}`, false, more);
      const response = await sluice.post(path, write(body));
      expect(response.status).toBe(403);
      expect(bodies).toEqual([]);
    });

    test.each(refused.filter(([, , , named]) => named !== 'teleport'))(
      '%s goes on where its meters are free too',
      async (_name, kind, more) => {
        answer = reply(kind, said[kind](), false);
        const { path, body } = asks[kind](`given-${kind}`, false, more);
        const response = await sluice.post(path, write(body));
        expect(response.status).toBe(200);
        expect(JSON.parse(bodies[0] ?? '')).toMatchObject(JSON.parse(write(more)));
      },
    );

    test('sound that is heard is charged as text', async () => {
      answer = reply('chat', said.chat({}, { prompt_tokens_details: { audio_tokens: 400 } }), false);
      const response = await sluice.post('/v1/chat/completions', asks.chat('plain-chat', false).body);
      await response.text();
      expect(await recordOf(response)).toMatchObject({
        extras: { audio_input: 400 },
        costNanoUsd: sumOf(usual),
      });
    });
  });
});
