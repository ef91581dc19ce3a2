/** Responses over a provider that speaks them itself: the bytes of request, answer and stream stay as they are. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eventStream, spokenFrames } from '../support/account-service.ts';
import { startTestSluice, type TestSluice, usualModel, usualProvider } from '../support/sluice.ts';

const path = '/v1/responses';
const received: string[] = [];
let answer: () => Response;
let host: ReturnType<typeof Bun.serve>;
let sluice: TestSluice;

beforeAll(async () => {
  host = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      received.push(await request.text());
      return answer();
    },
  });
  sluice = await startTestSluice({
    file: () => ({
      providers: [
        { ...usualProvider(`http://127.0.0.1:${host.port}/v1`), settings: { protocols: ['responses'] } },
      ],
      models: [usualModel],
    }),
  });
});
afterAll(async () => {
  await sluice.stop();
  await host.stop(true);
});

/** What a parse and a write would change: spaces, number spellings, big integers, escapes, members twice, order. */
const odd = (stream: boolean) =>
  ` {\n"input" : [ {"role":"user","content":"é \\u00e9 \\/","n":12345678901234567890} ],\t"temperature": 1.0e0,"model" :"one", "stream":${stream},"made_up":{"model":"one","a":[ ]},"store":false}\n`;
const withModel = (text: string): string => text.replace('"model" :"one"', '"model" :"double-1-2026"');

const usage = '{"input_tokens": 30,"output_tokens":7,"output_tokens_details":{"reasoning_tokens":2}}';
const whole = ` {"id":"resp_1", "object":"response","status":"completed","n":12345678901234567890,"share":1.50,\n"output":[ {"type":"message","role":"assistant","content":[{"type":"output_text","text":"\\u00e9"}]} , {"type":"made_up_item"}],"usage":${usage},"made_up":null}`;

test('a whole answer', async () => {
  answer = () => new Response(whole, { headers: { 'content-type': 'application/json' } });
  const response = await sluice.post(path, odd(false));
  expect(await response.text()).toBe(whole);
  expect(received.at(-1)).toBe(withModel(odd(false)));
  expect((await sluice.usage()).at(-1)).toMatchObject({
    inputTokens: 30,
    outputTokens: 7,
    reasoningTokens: 2,
    estimated: false,
    costNanoUsd: 30n * 150n + 7n * 600n,
  });
});

const frames = spokenFrames('To the sea, slowly. 水門 👩‍🔧');
const bytes = Buffer.from(frames.join(''));
const inSevens = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, index) =>
  bytes.subarray(index * 7, index * 7 + 7),
);

test.each([
  ['frame by frame', frames],
  ['in one piece', [bytes]],
  ['in pieces of seven bytes', inSevens],
])('a stream, %s', async (_name, pieces) => {
  answer = () => eventStream(pieces, 1);
  const response = await sluice.post(path, odd(true));
  expect(await response.text()).toBe(frames.join(''));
  expect(received.at(-1)).toBe(withModel(odd(true)));
  expect((await sluice.usage()).at(-1)).toMatchObject({
    streamed: true,
    inputTokens: 60,
    cacheReadTokens: 40,
    outputTokens: 9,
    estimated: false,
  });
});

test('what is repeated of a long request before the answer is held, and no more than that', async () => {
  const instructions = 'Keep to the path. '.repeat(50_000);
  const repeated = ['response.created', 'response.in_progress'].map(
    (type) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, response: { id: 'resp_1', instructions } })}\n\n`,
  );
  answer = () => eventStream([...repeated, ...frames], 1);
  const asking = { model: 'one', input: 'Hello', stream: true };
  const response = await sluice.post(path, { ...asking, instructions });
  expect([response.status, await response.text()]).toEqual([200, [...repeated, ...frames].join('')]);
  // Its content does not come, since what comes at once with content has not to be held.
  const body = () => new ReadableStream({ start: (controller) => controller.enqueue(repeated.join('')) });
  answer = () => new Response(body(), { headers: { 'content-type': 'text/event-stream' } });
  expect((await sluice.post(path, asking)).status).toBe(502);
});
