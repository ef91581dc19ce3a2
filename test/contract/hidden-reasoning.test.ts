/** What a model thought and did not show is paid for when its answer is cut before its upstream counted it. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { GenerationRates } from '../../src/gateway/index.ts';
import { owner, startTestSluice, type TestSluice, usualProvider } from '../support/sluice.ts';
import { serveVendor, type Vendor } from '../support/vendor.ts';

const kinds = ['chat', 'responses', 'messages', 'google'] as const;
type Kind = (typeof kinds)[number];
const thinkers: Readonly<Record<Kind, string>> = {
  ...{ chat: 'gpt-5.5', responses: 'gpt-5.5', messages: 'claude-opus-5', google: 'gemini-3.1-pro' },
};
const protocolOf = { chat: 'chat-completions', responses: 'responses' } as const;

/** 3000 nano-USD a token of output. */
const prices = { input: 1, output: 3 };
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
      ...{ id: kind, owned_by: 'doubles', prices, max_output_tokens: 50_000 },
      providers: [{ provider: kind, upstream_id: thinkers[kind] }],
    })),
    {
      ...{ id: 'plain', owned_by: 'doubles', prices },
      providers: [{ provider: 'chat', upstream_id: 'double-1' }],
    },
    {
      ...{ id: 'open', owned_by: 'doubles', prices, capabilities: ['reasoning'] },
      providers: [{ provider: 'chat', upstream_id: 'deepseek-r1' }],
    },
  ],
  keys: [],
});

const messages = [{ role: 'user', content: 'Hello?' }];
const asks: Readonly<Record<Kind, (more: object) => { path: string; body: object }>> = {
  chat: (more) => ({
    path: '/v1/chat/completions',
    body: { model: 'chat', messages, stream: true, ...more },
  }),
  responses: (more) => ({
    path: '/v1/responses',
    body: { model: 'responses', input: 'Hello?', stream: true, ...more },
  }),
  messages: (more) => ({
    path: '/v1/messages',
    body: { model: 'messages', messages, max_tokens: 30_000, stream: true, ...more },
  }),
  google: (more) => ({
    path: '/v1beta/models/google:streamGenerateContent?alt=sse',
    body: { contents: [{ role: 'user', parts: [{ text: 'Hello?' }] }], ...more },
  }),
};

const frame = (data: object) => {
  const type: unknown = Reflect.get(data, 'type');
  return `${typeof type === 'string' ? `event: ${type}\n` : ''}data: ${JSON.stringify(data)}\n\n`;
};
const chunk = (delta: object, more: object = {}) =>
  frame({
    ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' },
    choices: [{ index: 0, delta, finish_reason: null }],
    ...more,
  });
const finished = (completion_tokens: number) =>
  frame({
    ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' },
    choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
  }) +
  frame({ id: 'c', choices: [], usage: { prompt_tokens: 10, completion_tokens } }) +
  'data: [DONE]\n\n';
const hello: Readonly<Record<Kind, string>> = {
  chat: chunk({ content: 'Hello' }),
  responses:
    frame({ type: 'response.created', response: { id: 'r', status: 'in_progress', output: [] } }) +
    frame({ type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Hello' }),
  messages:
    frame({
      type: 'message_start',
      message: {
        ...{ id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null },
        usage: { input_tokens: 10, output_tokens: 1 },
      },
    }) +
    frame({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }) +
    frame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } }),
  google: frame({
    candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'Hello' }] } }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 1, thoughtsTokenCount: 700 },
    modelVersion: 'gemini-3.1-pro',
  }),
};

describe('reasoning that nobody saw', () => {
  let sluice: TestSluice;
  let vendor: Vendor;

  beforeAll(async () => {
    vendor = serveVendor();
    // Longer than any of these leaps, which nobody waits out.
    const variables = {
      SLUICE_UPSTREAM_CONNECT_TIMEOUT_MS: '600000',
      SLUICE_UPSTREAM_FIRST_BYTE_TIMEOUT_MS: '600000',
      SLUICE_UPSTREAM_IDLE_TIMEOUT_MS: '200000',
    };
    sluice = await startTestSluice({ file: () => file(vendor.url), variables });
  });
  afterAll(async () => {
    await sluice.stop();
    vendor.stop();
  });
  beforeEach(() => {
    // What one test measured is no measure for the next.
    Reflect.set(sluice.running.services, 'rates', new GenerationRates());
  });

  /** In short leaps: deadlines take a long one for a process that stood still. */
  const thinks = (seconds: number) => {
    for (let past = 0; past < seconds * 20; past += 1) sluice.leap(50);
  };

  function start({ path, body }: { path: string; body: object }) {
    const leaving = new AbortController();
    const answer = fetch(`${sluice.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sluice.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: leaving.signal,
    });
    answer.catch(() => undefined);
    return { answer, leave: () => leaving.abort() };
  }

  /** The upstream thinks for a while, says hello, and then what `later` says, once it is told to. */
  function vendorThinks(kind: Kind, seconds: number, said = hello[kind]) {
    const later = Promise.withResolvers<string>();
    vendor.answer = () => {
      const pieces = async function* () {
        yield Buffer.from(': thinking\n\n');
        await new Promise((resolve) => setImmediate(resolve));
        thinks(seconds);
        yield Buffer.from(said);
        yield Buffer.from(await later.promise);
      };
      return new Response(pieces() as unknown as BodyInit, {
        headers: { 'content-type': 'text/event-stream' },
      });
    };
    return later;
  }

  /** 90 tokens a second. */
  async function measure() {
    vendorThinks('chat', 100).resolve(finished(9000));
    await (await start(asks.chat({})).answer).text();
  }

  async function readUntil(answer: Response, word: string) {
    const reader = answer.body?.getReader();
    let told = '';
    while (!told.includes(word)) {
      const piece = await reader?.read();
      if (piece?.value === undefined) throw new Error(`the answer ended: ${told}`);
      told += Buffer.from(piece.value).toString();
    }
    return answer.headers.get('x-request-id');
  }

  async function leftAfterHello(kind: Kind, seconds: number, more: object = {}, said?: string) {
    const later = vendorThinks(kind, seconds, said);
    const { answer, leave } = start(asks[kind](more));
    const id = await readUntil(await answer, 'Hello');
    leave();
    await sluice.readsOnNoLonger();
    const record = await sluice.nextUsage(({ requestId }) => requestId === id);
    later.resolve('');
    expect(record).toMatchObject({ outcome: 'client_closed', estimated: true });
    expect(record.chargedNanoUsd).toBe(BigInt(record.inputTokens * 1000 + record.outputTokens * 3000));
    return record;
  }

  test.each(['chat', 'responses', 'messages'] as const)(
    'of %s, left in the middle of its answer, at a cautious pace',
    async (kind) => {
      const record = await leftAfterHello(kind, 60);
      expect(record.reasoningTokens).toBeWithin(20 * 57, 20 * 62);
      expect(record.outputTokens - record.reasoningTokens).toBeWithin(0, 3);
    },
  );

  test('never more than the answer was to have', async () => {
    const record = await leftAfterHello('chat', 60, { max_completion_tokens: 300 });
    expect(record.outputTokens).toBe(300);
  });

  test.each([
    ['thinking was turned off', { reasoning_effort: 'none' }],
    ['the model does not reason', { model: 'plain' }],
  ])('nothing where %s', async (_, more) => {
    expect(await leftAfterHello('chat', 60, more)).toMatchObject({ reasoningTokens: 0 });
  });

  test('nothing where the thoughts are shown, and something where they are not', async () => {
    const shown = chunk({ reasoning_content: 'Well.' }) + hello.chat;
    expect((await leftAfterHello('chat', 60, { model: 'open' }, shown)).reasoningTokens).toBe(0);
    expect((await leftAfterHello('chat', 60, { model: 'open' })).reasoningTokens).toBeGreaterThan(1000);
  });

  test('what the upstream counted so far is not guessed again', async () => {
    expect(await leftAfterHello('google', 60)).toMatchObject({ reasoningTokens: 700, outputTokens: 701 });
  });

  test('a pace that was measured holds for the next that leaves', async () => {
    await measure();
    const record = await leftAfterHello('chat', 60);
    // 90 a second, for some time more than the first 60 s: it is read on.
    expect(record.outputTokens).toBeWithin(85 * 60, 92 * 80);
  });

  test.each([true, false])(
    'a client that leaves before the first content pays for the time until then (streamed: %p)',
    async (stream) => {
      const asked = Promise.withResolvers<void>();
      const held = Promise.withResolvers<Response>();
      vendor.answer = () => {
        asked.resolve();
        return held.promise;
      };
      const known = (await sluice.usage()).length;
      const { leave } = start(asks.chat({ stream }));
      await asked.promise;
      thinks(20);
      leave();
      if (!stream) await sluice.readsOnNoLonger();
      let records = await sluice.usage();
      while (records.length === known) records = await sluice.usage();
      held.resolve(new Response('', { status: 500 }));
      expect(records.at(-1)).toMatchObject({ outcome: 'client_closed', estimated: true });
      // A whole answer is awaited for ten seconds more.
      expect(records.at(-1)?.reasoningTokens).toBeWithin(20 * 18, 20 * 36);
    },
  );

  test('an upstream that broke off is paid until its last piece, and not for its silence', async () => {
    await measure();
    const later = vendorThinks('chat', 60);
    const { answer } = start(asks.chat({}));
    const response = await answer;
    const told = response.text();
    while (sluice.running.services.relays.size === 0) await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    thinks(300);
    expect(await told).toContain('Hello');
    later.resolve('');
    const id = response.headers.get('x-request-id');
    const record = await sluice.nextUsage(({ requestId }) => requestId === id);
    expect(record).toMatchObject({ outcome: 'upstream_failed', estimated: true });
    expect(record.reasoningTokens).toBeWithin(85 * 60, 92 * 63);
  });
});
