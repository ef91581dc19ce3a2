/** An upstream that falls silent inside a stream: the client keeps hearing that the answer is on its way. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import { startTestSluice, type TestSluice } from '../support/sluice.ts';

const ask = { messages: [{ role: 'user' as const, content: 'Hello' }], max_tokens: 100 };
const silence = { generate: { text: 'one two three' }, shape: { chunkDelayMs: 350 } };
let sluice: TestSluice;

beforeAll(async () => {
  sluice = await startTestSluice({
    variables: { SLUICE_STREAM_KEEP_ALIVE_MS: '100' },
    file: (url) => ({
      providers: [
        { name: 'main', kind: 'openai', base_url: url },
        { name: 'other', kind: 'anthropic', base_url: url, credentials: [{ name: 'k', api_key: 'secret' }] },
      ],
      models: [
        {
          id: 'chat-1',
          owned_by: 'doubles',
          prices: { input: 1, output: 1 },
          providers: [{ provider: 'main', upstream_id: 'u' }],
        },
        {
          id: 'claude-1',
          owned_by: 'doubles',
          prices: { input: 1, output: 1 },
          providers: [{ provider: 'other', upstream_id: 'u' }],
        },
      ],
    }),
  });
});
afterAll(() => sluice.stop());
beforeEach(() => sluice.upstream.forget());

const textOf = async (path: string, model: string) => {
  sluice.upstream.enqueue(silence);
  const response = await sluice.post(path, { ...ask, model, stream: true });
  return response.text();
};

test('in chat completions as comments, which no client reads', async () => {
  const text = await textOf('/v1/chat/completions', 'chat-1');
  expect(text.split('\n').filter((line) => line.startsWith(':')).length).toBeGreaterThan(2);
  expect(text).toEndWith('data: [DONE]\n\n');
  sluice.upstream.enqueue(silence);
  const stream = sluice.client().chat.completions.stream({ ...ask, model: 'chat-1' });
  expect((await stream.finalChatCompletion()).choices[0]?.message.content).toBe('one two three');
});

test.each([
  ['passed-through', 'claude-1'],
  ['converted', 'chat-1'],
])('in %s messages as deltas of nothing inside the open block, which change nothing', async (_, model) => {
  const text = await textOf('/v1/messages', model);
  expect(text.split('{"type":"text_delta","text":""}').length).toBeGreaterThan(2);
  sluice.upstream.enqueue(silence);
  const client = new Anthropic({ baseURL: sluice.url, apiKey: sluice.token, maxRetries: 0 });
  const message = await client.messages.stream({ ...ask, model }).finalMessage();
  expect(message.content).toMatchObject([{ type: 'text', text: 'one two three' }]);
});

test('is free: what is charged is what the upstream counted', async () => {
  const before = (await sluice.usage()).length;
  await textOf('/v1/messages', 'chat-1');
  const record = (await sluice.usage())[before];
  expect(record).toMatchObject({ outcome: 'complete', estimated: false });
  expect(record?.outputTokens).toBe(3);
});

test('also while the upstream sends what is nothing for the client', async () => {
  const chunk = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const upstream = Bun.serve({
    port: 0,
    fetch() {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const writer = writable.getWriter();
      const write = (text: string) => writer.write(new TextEncoder().encode(text));
      void (async () => {
        await write(chunk({ content: 'one' }));
        for (let pings = 0; pings < 20; pings += 1) {
          await write(': busy\n\n');
          await Bun.sleep(50);
        }
        await write(`${chunk({}, 'stop')}data: [DONE]\n\n`);
        await writer.close();
      })();
      return new Response(readable, { headers: { 'content-type': 'text/event-stream' } });
    },
  });
  const own = await startTestSluice({
    variables: { SLUICE_STREAM_KEEP_ALIVE_MS: '150' },
    file: () => ({
      providers: [{ name: 'main', kind: 'openai', base_url: `http://127.0.0.1:${upstream.port}/v1` }],
    }),
  });
  try {
    const body = { messages: ask.messages, max_tokens: 10, model: 'double-1', stream: true };
    const text = await (await own.post('/v1/messages', body)).text();
    expect(text.split('{"type":"text_delta","text":""}').length).toBeGreaterThan(2);
    expect(text).toContain('message_stop');
  } finally {
    await own.stop();
    await upstream.stop(true);
  }
});
