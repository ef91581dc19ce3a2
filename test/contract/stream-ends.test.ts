/** How streams end: at their own end, never before, and with nothing of what an upstream did not mean for clients. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { interruptRelays } from '../../src/gateway/index.ts';
import { scripts } from '../../src/protocols/token-count/testing/scripts.ts';
import { openTokenizer } from '../../src/protocols/token-count/tokenizer.ts';
import { startTestSluice, type TestSluice } from '../support/sluice.ts';

const ask = { model: 'double-1', messages: [{ role: 'user', content: 'Hello' }], stream: true };
let sluice: TestSluice;

beforeAll(async () => {
  await openTokenizer();
  sluice = await startTestSluice({ variables: { SLUICE_UPSTREAM_IDLE_TIMEOUT_MS: '20000' } });
});
afterAll(() => sluice.stop());
beforeEach(() => sluice.upstream.forget());

const stream = async (body: object = {}) =>
  (await sluice.post('/v1/chat/completions', { ...ask, ...body })).text();

test('content and an error in one piece: the content arrives, the provider’s own words do not', async () => {
  sluice.upstream.enqueue({ fault: { name: 'in_band_error', afterEvents: 4 }, shape: { writes: 'joined' } });
  const frames = (await stream()).trim().split('\n\n');
  const last = JSON.parse(frames.at(-1)?.slice(6) ?? '');
  expect(last.error).toMatchObject({ code: 'upstream_failed' });
  expect(frames.filter((frame) => frame.includes('"error"'))).toHaveLength(1);
  expect(frames.filter((frame) => frame.includes('"content"')).length).toBeGreaterThan(1);
});

test('a stream that the gateway interrupts says so and is paid for as far as it came', async () => {
  sluice.upstream.enqueue({ fault: { name: 'mid_stream_stall', afterEvents: 3 } });
  const told = stream();
  const { services } = sluice.running;
  while (services.relays.size === 0) await Bun.sleep(1);
  interruptRelays(services);
  const last = JSON.parse((await told).trim().split('\n\n').at(-1)?.slice(6) ?? '');
  expect(last.error).toMatchObject({ code: 'shutting_down' });
  const record = (await sluice.usage()).at(-1);
  expect(record).toMatchObject({ outcome: 'interrupted', errorCode: 'shutting_down' });
  expect(record?.chargedNanoUsd).toBeGreaterThan(0n);
  expect(services.relays.size).toBe(0);
});

test('[DONE] is the end, even when the upstream keeps its connection open after it', async () => {
  const end = 'data: [DONE]\n\n';
  const upstream = Bun.serve({
    port: 0,
    idleTimeout: 60,
    fetch: () =>
      new Response(
        new ReadableStream({
          start(controller) {
            const chunk = {
              id: 'c',
              choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }],
            };
            controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(chunk)}\n\n${end}`));
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      ),
  });
  const own = await startTestSluice({
    file: () => ({
      providers: [{ name: 'main', kind: 'openai', base_url: `http://127.0.0.1:${upstream.port}/v1` }],
    }),
  });
  try {
    const text = await (await own.post('/v1/chat/completions', ask)).text();
    expect(text).toEndWith(end);
    expect((await own.usage()).at(-1)).toMatchObject({ outcome: 'complete' });
  } finally {
    await own.stop();
    await upstream.stop(true);
  }
});

describe.each(Object.entries(scripts))('without usage an answer and its prompt of %s', (_, paragraph) => {
  const text = `${paragraph}\n`.repeat(3);

  test.each([
    ['whole', false, 'event'],
    ['streamed, each frame by itself', true, 'event'],
    ['streamed, all frames at once', true, 'joined'],
  ] as const)('are counted by the tokeniser (%s)', async (_how, isStreamed, writes) => {
    const counted = (await openTokenizer()).count(text);
    const before = await sluice.availableNanoUsd();
    sluice.upstream.enqueue({ generate: { usage: 'never', text }, shape: { writes } });
    const messages = [{ role: 'user', content: text }];
    const response = await sluice.post('/v1/chat/completions', { ...ask, messages, stream: isStreamed });
    await response.text();
    // The count is not waited for.
    expect(response.headers.get('x-sluice-cost-usd')).toBeNull();
    const record = (await sluice.usage()).at(-1);
    expect(record).toMatchObject({ outcome: 'complete', estimated: true });
    expect((record?.outputTokens ?? 0) / counted).toBeWithin(0.98, 1.02);
    expect((record?.inputTokens ?? 0) - counted).toBeWithin(0, 20);
    expect(before - (await sluice.availableNanoUsd())).toBe(record?.chargedNanoUsd ?? 0n);
  });
});

test('a stream of any length without usage is counted by an even sample of it', async () => {
  // The double sends words, and providers a token or two.
  const chinese = scripts.Chinese.replace(/../g, '$& ');
  const text = Array.from({ length: 60 }, (_, at) =>
    (at % 2 === 0 ? `${scripts.English} ` : chinese).repeat(4),
  ).join('');
  const counted = (await openTokenizer()).count(text);
  sluice.upstream.enqueue({ generate: { usage: 'never', text } });
  await stream();
  const record = (await sluice.usage()).at(-1);
  expect((record?.outputTokens ?? 0) / counted).toBeWithin(0.85, 1.15);
});

test.each([
  ['a PDF of three pages', 'application/pdf', `%PDF-1.4 ${'<</Type/Page>> '.repeat(3)}`, 9000],
  ['a text file', 'text/plain', 'tide '.repeat(3000), 3001],
] as const)('%s in the request is counted by what is in it', async (_, type, content, tokens) => {
  const file_data = `data:${type};base64,${Buffer.from(content).toString('base64')}`;
  sluice.upstream.enqueue({ generate: { usage: 'never' } });
  const file = { type: 'file', file: { filename: 'book', file_data } };
  await stream({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Read.' }, file] }] });
  expect((await sluice.usage()).at(-1)?.inputTokens).toBeWithin(tokens, tokens + 100);
});

test('an image in the request is not taken for text', async () => {
  const url = `data:image/png;base64,${'A'.repeat(2_000_000)}`;
  sluice.upstream.enqueue({ generate: { usage: 'never' } });
  await stream({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] });
  expect((await sluice.usage()).at(-1)?.inputTokens).toBeLessThan(2000);
});

test('an absurd count of an upstream is no count: the request is estimated, and later ones are billed', async () => {
  sluice.upstream.enqueue({ generate: { promptTokens: Number.MAX_SAFE_INTEGER } });
  await sluice.post('/v1/chat/completions', { ...ask, stream: false });
  await stream();
  const records = (await sluice.usage()).slice(-2);
  expect(records[0]?.inputTokens).toBeLessThan(1000);
  expect(records.map(({ outcome }) => outcome)).toEqual(['complete', 'complete']);
});
