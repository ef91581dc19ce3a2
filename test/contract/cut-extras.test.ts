/** Answers that end before their provider tells what they took: its tools and its dearer ways of serving are paid for. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Extras } from '../../src/base/token-usage.ts';
import { owner, startTestSluice, type TestSluice, usualProvider } from '../support/sluice.ts';
import { serveVendor, type Vendor } from '../support/vendor.ts';

/** USD for a million. */
const prices = {
  input: 1,
  output: 3,
  ...{ input_priority: 11, output_priority: 13, input_flex: 0.5, output_flex: 1.5 },
  ...{ input_us: 17, output_us: 19, input_fast: 23, output_fast: 29 },
  ...{ web_search: 10_000, file_search: 2500, container: 30_000, image: 40_000 },
};
const kinds = ['chat', 'responses', 'messages', 'google'] as const;
type Kind = (typeof kinds)[number];
const upstreamIds: Readonly<Record<Kind, string>> = {
  ...{ chat: 'double-chat', responses: 'double-responses' },
  ...{ messages: 'claude-sonnet-4-5', google: 'gemini-3.1-pro' },
};
const protocolOf = { chat: 'chat-completions', responses: 'responses' } as const;

const file = (url: string) => ({
  users: [{ email: owner, password: 'a long enough password', role: 'platform_owner', wallet_usd: 1000 }],
  providers: kinds.map((kind) => ({
    ...usualProvider(url),
    name: kind,
    kind: { chat: 'openai', responses: 'openai', messages: 'anthropic', google: 'google' }[kind],
    settings: kind === 'chat' || kind === 'responses' ? { protocols: [protocolOf[kind]] } : {},
  })),
  models: [
    ...kinds.map((kind) => ({
      ...{ id: kind, owned_by: 'doubles', prices },
      providers: [{ provider: kind, upstream_id: upstreamIds[kind] }],
    })),
    {
      ...{ id: 'searching', owned_by: 'doubles', prices },
      providers: [{ provider: 'chat', upstream_id: 'sonar-pro' }],
    },
  ],
  keys: [],
});

const messages = [{ role: 'user', content: 'Hello?' }];
const asks: Readonly<Record<Kind, (model: string, more: object) => { path: string; body: object }>> = {
  chat: (model, more) => ({
    path: '/v1/chat/completions',
    body: { model, messages, stream: true, ...more },
  }),
  responses: (model, more) => ({
    path: '/v1/responses',
    body: { model, input: 'Hello?', stream: true, ...more },
  }),
  messages: (model, more) => ({
    path: '/v1/messages',
    body: { model, messages, max_tokens: 100, stream: true, ...more },
  }),
  google: (model, more) => ({
    path: `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    body: { contents: [{ role: 'user', parts: [{ text: 'Hello?' }] }], ...more },
  }),
};

const frame = (data: object) => {
  const type: unknown = Reflect.get(data, 'type');
  return `${typeof type === 'string' ? `event: ${type}\n` : ''}data: ${JSON.stringify(data)}\n\n`;
};
const said = {
  chat: (more: object = {}) =>
    frame({
      ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' },
      choices: [{ index: 0, delta: { role: 'assistant', content: 'Hello' } }],
      ...more,
    }),
  created: (more: object = {}) =>
    frame({
      type: 'response.created',
      response: { id: 'resp_1', object: 'response', status: 'in_progress', output: [], ...more },
    }),
  item: (output_index: number, item: object, end: 'added' | 'done' = 'done') =>
    frame({ type: `response.output_item.${end}`, output_index, item }),
  text: (output_index: number) =>
    said.item(output_index, { type: 'message', id: 'msg_1', role: 'assistant', content: [] }, 'added') +
    frame({
      type: 'response.content_part.added',
      ...{ output_index, content_index: 0, item_id: 'msg_1' },
      part: { type: 'output_text', text: '', annotations: [] },
    }) +
    frame({
      type: 'response.output_text.delta',
      ...{ output_index, content_index: 0, item_id: 'msg_1', delta: 'Hello' },
    }),
  messageStart: (usage: object = {}) =>
    frame({
      type: 'message_start',
      message: {
        ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null },
        usage: { input_tokens: 10, output_tokens: 1, ...usage },
      },
    }),
  block: (index: number, content_block: object) =>
    frame({ type: 'content_block_start', index, content_block }) +
    frame({ type: 'content_block_stop', index }),
  messageText: (index: number) =>
    frame({ type: 'content_block_start', index, content_block: { type: 'text', text: '' } }) +
    frame({ type: 'content_block_delta', index, delta: { type: 'text_delta', text: 'Hello' } }),
  google: (candidate: object = {}, usage: object = {}) =>
    frame({
      candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'Hello' }] }, ...candidate }],
      usageMetadata: { promptTokenCount: 10, ...usage },
      modelVersion: 'gemini-3.1-pro',
    }),
};

const search = (type: string, id = 'ws') => ({
  ...{ id, type: 'web_search_call', status: 'completed' },
  action: { type },
});
const code = (status: string) => ({
  ...{ id: 'ci', type: 'code_interpreter_call', status, code: '', container_id: 'cntr_1' },
});
const found = (content: unknown, type = 'web_search_tool_result') => ({ type, tool_use_id: 's', content });

interface Cut {
  readonly name: string;
  readonly kind: Kind;
  readonly sent: string;
  readonly extras: Extras | undefined;
  readonly ask?: object;
  /** Who asks so; without it, whoever asks in the same protocol, or everybody where nothing special is asked. */
  readonly client?: Kind;
  readonly model?: string;
}

const hosted = { tools: [{ type: 'web_search' }, { type: 'code_interpreter', container: { type: 'auto' } }] };
const anthropicSearch = { tools: [{ type: 'web_search_20250305', name: 'web_search' }] };
const anthropicCode = { tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] };

const cuts: readonly Cut[] = [
  {
    name: 'searches',
    kind: 'responses',
    client: 'chat',
    ask: { web_search_options: {}, stop: ['never said'] },
    sent: said.created() + said.item(0, search('search')) + said.item(1, search('search')) + said.text(2),
    extras: { web_search: 2 },
  },
  {
    name: 'priority that was asked for',
    kind: 'responses',
    client: 'chat',
    ask: { service_tier: 'priority' },
    sent: said.created() + said.text(0),
    extras: { tier: 'priority' },
  },
  {
    name: 'searches',
    kind: 'messages',
    client: 'responses',
    ask: { tools: [{ type: 'web_search' }] },
    sent: said.messageStart() + said.block(0, found([])) + said.messageText(1),
    extras: { web_search: 1 },
  },
  {
    name: 'priority, which no conversion asks for',
    kind: 'messages',
    client: 'chat',
    ask: { service_tier: 'priority', speed: 'fast' },
    sent: said.messageStart() + said.messageText(0),
    extras: undefined,
  },
  {
    name: 'searches, files and a container that had begun',
    kind: 'responses',
    ask: hosted,
    sent:
      said.created({ service_tier: 'auto' }) +
      said.item(0, search('search')) +
      said.item(1, search('open_page')) +
      said.item(2, { id: 'fs', type: 'file_search_call', status: 'completed' }) +
      said.text(3) +
      said.item(4, search('search')) +
      said.item(4, search('search')) +
      said.item(5, code('in_progress'), 'added'),
    extras: { web_search: 2, file_search: 1, container: 1 },
  },
  {
    name: 'a search that was not done',
    kind: 'responses',
    ask: hosted,
    sent: said.created() + said.text(0) + said.item(1, { ...search('search'), status: 'searching' }, 'added'),
    extras: undefined,
  },
  {
    name: 'priority that was asked for',
    kind: 'responses',
    ask: { service_tier: 'priority' },
    sent: said.created({ service_tier: 'auto' }) + said.text(0),
    extras: { tier: 'priority' },
  },
  {
    name: 'priority that was not granted',
    kind: 'responses',
    ask: { service_tier: 'fast' },
    sent: said.created({ service_tier: 'default' }) + said.text(0),
    extras: undefined,
  },
  {
    name: 'priority of which nothing was said',
    kind: 'chat',
    ask: { service_tier: 'priority' },
    sent: said.chat(),
    extras: { tier: 'priority' },
  },
  {
    name: 'priority that became the usual',
    kind: 'chat',
    ask: { service_tier: 'priority' },
    sent: said.chat({ service_tier: 'default' }),
    extras: undefined,
  },
  {
    name: 'a cheaper tier',
    kind: 'chat',
    ask: { service_tier: 'flex' },
    sent: said.chat(),
    extras: { tier: 'flex' },
  },
  {
    name: 'a tier that nobody asked for',
    kind: 'chat',
    sent: said.chat({ service_tier: 'priority' }),
    extras: { tier: 'priority' },
  },
  {
    name: 'a model that searches for each answer',
    kind: 'chat',
    model: 'searching',
    sent: said.chat(),
    extras: { web_search: 1 },
  },
  {
    name: 'a search for each answer',
    kind: 'chat',
    ask: { web_search_options: {} },
    sent: said.chat(),
    extras: { web_search: 1 },
  },
  {
    name: 'searches that found something',
    kind: 'messages',
    ask: anthropicSearch,
    sent:
      said.messageStart() +
      said.block(0, found([])) +
      said.messageText(1) +
      said.block(2, found([{ type: 'web_search_result', url: 'https://a.test' }])) +
      said.block(3, found({ type: 'web_search_tool_result_error', error_code: 'unavailable' })),
    extras: { web_search: 2 },
  },
  {
    name: 'a container',
    kind: 'messages',
    ask: anthropicCode,
    sent:
      said.messageStart() +
      said.messageText(0) +
      said.block(1, found({ type: 'bash_code_execution_result' }, 'bash_code_execution_tool_result')),
    extras: { container: 1 },
  },
  {
    name: 'a container beside a page that was fetched',
    kind: 'messages',
    ask: anthropicCode,
    sent:
      said.messageStart() +
      said.messageText(0) +
      said.block(1, found({ type: 'web_fetch_result' }, 'web_fetch_tool_result')) +
      said.block(2, found({ type: 'code_execution_result' }, 'code_execution_tool_result')),
    extras: undefined,
  },
  {
    name: 'a fast answer that only its request calls fast',
    kind: 'messages',
    ask: { speed: 'fast' },
    sent: said.messageStart({ service_tier: 'standard', inference_geo: 'global' }) + said.messageText(0),
    extras: { tier: 'fast' },
  },
  {
    name: 'a fast answer that was not',
    kind: 'messages',
    ask: { speed: 'fast' },
    sent: said.messageStart({ service_tier: 'standard', speed: 'standard' }) + said.messageText(0),
    extras: undefined,
  },
  {
    name: 'queries of Gemini',
    kind: 'google',
    ask: { tools: [{ googleSearch: {} }] },
    sent: said.google() + said.google({ groundingMetadata: { webSearchQueries: ['one', 'two'] } }),
    extras: { web_search: 2 },
  },
  {
    name: 'a tier of Gemini',
    kind: 'google',
    ask: { serviceTier: 'priority' },
    sent: said.google(),
    extras: { tier: 'priority' },
  },
  {
    name: 'a tier of Gemini that was not granted',
    kind: 'google',
    ask: { serviceTier: 'priority' },
    sent: said.google({}, { serviceTier: 'standard' }),
    extras: undefined,
  },
];

describe('an answer that is cut short', () => {
  let sluice: TestSluice;
  let vendor: Vendor;

  beforeAll(async () => {
    vendor = serveVendor();
    sluice = await startTestSluice({ file: () => file(vendor.url) });
  });
  afterAll(async () => {
    await sluice.stop();
    vendor.stop();
  });

  const eventStream = (body: BodyInit) =>
    new Response(body, { headers: { 'content-type': 'text/event-stream' } });

  /** Piece by piece, since a block that is found at once is looked at as a whole. */
  const piecesOf = (sent: string) => sent.split(/(?<=\n\n)/).map((piece) => Buffer.from(piece));

  async function recordOf(id: string | null) {
    return sluice.nextUsage(({ requestId }) => requestId === id);
  }

  const cases = cuts.flatMap((cut) =>
    kinds
      .filter((client) => client === (cut.client ?? cut.kind) || cut.ask === undefined)
      .map((client) => ({ ...cut, client })),
  );

  test.each(cases)(
    'by its upstream: $name, from $kind to $client',
    async ({ kind, client, model, sent, ask, extras }) => {
      vendor.answer = () =>
        eventStream(
          (async function* () {
            for (const piece of piecesOf(sent)) {
              yield piece;
              await new Promise((resolve) => setImmediate(resolve));
            }
          })() as unknown as BodyInit,
        );
      const { path, body } = asks[client](model ?? kind, ask ?? {});
      const response = await sluice.post(path, body);
      expect(await response.text()).toContain('Hello');
      const record = await recordOf(response.headers.get('x-request-id'));
      expect(record).toMatchObject({ outcome: 'upstream_failed', estimated: true });
      expect(record.extras).toEqual(extras);
      expect(record.chargedNanoUsd).toBe(record.costNanoUsd);
    },
  );

  test.each(cases)(
    'by its client: $name, from $kind to $client',
    async ({ kind, client, model, sent, ask, extras }) => {
      const held = Promise.withResolvers<void>();
      const pieces = async function* () {
        yield* piecesOf(sent);
        await held.promise;
      };
      vendor.answer = () => eventStream(pieces() as unknown as BodyInit);
      const { path, body } = asks[client](model ?? kind, ask ?? {});
      const leaving = new AbortController();
      const response = await fetch(`${sluice.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${sluice.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: leaving.signal,
      });
      const reader = response.body?.getReader();
      let told = '';
      // A conversion shows no more than the text; what passes through comes to its last frame.
      const last = client === kind ? (sent.trim().split('data: ').at(-1) ?? '') : 'Hello';
      while (!told.includes(last)) told += Buffer.from((await reader?.read())?.value ?? []).toString();
      leaving.abort();
      await sluice.readsOnNoLonger();
      const record = await recordOf(response.headers.get('x-request-id'));
      held.resolve();
      expect(record).toMatchObject({ outcome: 'client_closed', estimated: true });
      expect(record.extras).toEqual(extras);
    },
  );

  test('a client that leaves before the first content pays the tier that it asked for', async () => {
    const held = Promise.withResolvers<Response>();
    const asked = Promise.withResolvers<void>();
    vendor.answer = () => {
      asked.resolve();
      return held.promise;
    };
    const { path, body } = asks.chat('chat', { service_tier: 'priority' });
    const leaving = new AbortController();
    const known = (await sluice.usage()).length;
    fetch(`${sluice.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sluice.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: leaving.signal,
    }).catch(() => undefined);
    await asked.promise;
    leaving.abort();
    let records = await sluice.usage();
    while (records.length === known) records = await sluice.usage();
    held.resolve(new Response('', { status: 500 }));
    const record = records.at(-1);
    expect(record).toMatchObject({ outcome: 'client_closed', outputTokens: 0, extras: { tier: 'priority' } });
    expect(record?.costNanoUsd).toBe(BigInt(record?.inputTokens ?? 0) * 11_000n);
  });
});
