/** What one request, one client or one upstream cannot do to the process, whatever it sends. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { startTestSluice, type TestSluice, usualModel, usualProvider } from '../support/sluice.ts';

const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const tooDeep = deep(40_000);
const kinds = ['openai', 'anthropic', 'google', 'cohere'] as const;

let sluice: TestSluice;
/** An upstream that answers whatever a test wants, also what no double would. */
let upstream: Bun.Server<undefined>;
let answer: () => Response;

beforeAll(async () => {
  upstream = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => answer() });
  sluice = await startTestSluice({
    file: () => ({
      providers: kinds.map((kind) => ({ ...usualProvider(`${upstream.url.origin}/v1`), name: kind, kind })),
      models: kinds.map((kind) => ({
        ...usualModel,
        id: kind,
        aliases: [],
        providers: [{ provider: kind, upstream_id: `${kind}-1` }],
      })),
    }),
  });
});
afterAll(async () => {
  await sluice.stop();
  await upstream.stop(true);
});

const chat = (model: string, stream: boolean) =>
  sluice.post('/v1/chat/completions', { model, stream, messages: [{ role: 'user', content: 'Hello' }] });
const messages = (model: string, stream: boolean) =>
  sluice.post('/v1/messages', {
    ...{ model, stream, max_tokens: 100 },
    messages: [{ role: 'user', content: 'Hello' }],
  });

afterEach(() => {
  expect(sluice.running.services.metrics.requestsUnderWay).toBe(0);
});

describe('an upstream that answers with very many levels', () => {
  /** Each has its deep part where the protocol has room for anything. */
  const wholes: Readonly<Record<(typeof kinds)[number], string>> = {
    openai: `{"choices":[{"index":0,"message":{"role":"assistant","content":"x","odd":${tooDeep}},"finish_reason":"stop"}]}`,
    anthropic: `{"type":"message","role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":${tooDeep}}],"stop_reason":"tool_use"}`,
    google: `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"f","args":${tooDeep}}}]},"finishReason":"STOP"}]}`,
    cohere: `{"message":{"content":[{"type":"text","text":"x","odd":${tooDeep}}]},"finish_reason":"COMPLETE"}`,
  };
  const json = { 'content-type': 'application/json' };
  const events = { 'content-type': 'text/event-stream' };

  test.each(kinds)('whole, of the kind %s, has failed, and nobody pays', async (kind) => {
    answer = () => new Response(wholes[kind], { headers: json });
    for (const ask of [chat, messages]) {
      const response = await ask(kind, false);
      expect([response.status, await response.text()]).toEqual([502, expect.stringContaining('answer')]);
      const record = (await sluice.usage()).at(-1);
      expect(record).toMatchObject({ errorCode: 'upstream_invalid_answer', chargedNanoUsd: 0n });
    }
  });

  test.each(kinds)('streamed, of the kind %s, has failed, and nobody pays', async (kind) => {
    answer = () => new Response(`data: ${wholes[kind]}\n\n`, { headers: events });
    for (const ask of [chat, messages]) {
      const response = await ask(kind, true);
      expect([response.status, await response.text()]).toEqual([502, expect.stringContaining('provider')]);
      expect((await sluice.usage()).at(-1)).toMatchObject({ status: 502, chargedNanoUsd: 0n });
    }
  });

  test.each(kinds)('as an error of the kind %s is an error like any other', async (kind) => {
    answer = () => new Response(`{"error":${tooDeep}}`, { status: 500, headers: json });
    for (const ask of [chat, messages]) expect((await ask(kind, false)).status).toBe(502);
  });

  test('in the arguments of a call passes them on as text', async () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: tooDeep } };
    const message = { role: 'assistant', content: null, tool_calls: [call] };
    const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
    const body = JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }], usage });
    answer = () => new Response(body, { headers: json });
    const response = await messages('openai', false);
    expect(response.status).toBe(200);
    expect((await response.json()).content[0].input).toEqual({ INVALID_JSON: tooDeep });
  });

  test('in the middle of a stream ends it with an error, and what was delivered is paid for', async () => {
    const first = '{"choices":[{"index":0,"delta":{"role":"assistant","content":"Once upon"}}]}';
    const later = `{"choices":[{"index":0,"delta":{"content":${tooDeep}}}],"error":{"message":"broken"}}`;
    answer = () => new Response(`data: ${first}\n\n${`data: ${later}\n\n`.repeat(5)}`, { headers: events });
    for (const ask of [chat, messages]) {
      const text = await (await ask('openai', true)).text();
      expect(text).toContain('Once upon');
      expect(text).toContain('error');
      const record = (await sluice.usage()).at(-1);
      expect(record).toMatchObject({ outcome: 'upstream_failed', estimated: true });
      expect(record?.chargedNanoUsd).toBeGreaterThan(0n);
    }
  });
});
