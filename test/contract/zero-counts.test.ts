/**
 * Hosts that say zero where they have not counted: what they read and wrote is counted here and paid for. A count beside
 * a zero is believed, and so are zeros of a response, which OpenAI sends of a call that goes on.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startTestSluice, type TestSluice, usualModel, usualProvider } from '../support/sluice.ts';
import { serveVendor, type Vendor } from '../support/vendor.ts';

const kinds = { chat: 'vllm', messages: 'anthropic', responses: 'openai' } as const;
type Kind = keyof typeof kinds;

const prompt = `Say hello to each of these: ${'Ada, Grace, Edsger and Barbara; '.repeat(50)}`;
const text = 'Hello to all of you, and to everybody else.';
const turns = [{ role: 'user', content: prompt }];
const asks = {
  chat: (model: string, stream: boolean) => ({
    path: '/v1/chat/completions',
    body: { model, messages: turns, stream },
  }),
  messages: (model: string, stream: boolean) => ({
    path: '/v1/messages',
    body: { model, messages: turns, max_tokens: 100, stream },
  }),
  responses: (model: string, stream: boolean) => ({
    path: '/v1/responses',
    body: { model, input: prompt, stream },
  }),
};

const events = (...all: readonly object[]) =>
  all
    .map((data) => {
      const type: unknown = Reflect.get(data, 'type');
      return `${typeof type === 'string' ? `event: ${type}\n` : ''}data: ${JSON.stringify(data)}\n\n`;
    })
    .join('');
const stream = (body: string) => new Response(body, { headers: { 'content-type': 'text/event-stream' } });

const chatZeros = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
const chunk = (choice: object | null, usage?: object) => ({
  ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' },
  choices: choice === null ? [] : [{ index: 0, delta: {}, finish_reason: null, ...choice }],
  ...(usage && { usage }),
});
const zeroChunks = [
  chunk({ delta: { role: 'assistant', content: '' } }, chatZeros),
  chunk({ delta: { content: text } }, chatZeros),
];
const chatAnswer = (usage: object) =>
  Response.json({
    ...{ id: 'c', object: 'chat.completion', created: 1, model: 'm', usage },
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
  });

const zeros = { input_tokens: 0, output_tokens: 0 };
const begun = [
  {
    type: 'message_start',
    message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], usage: zeros },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
];
const ended = (usage: object) => [
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage },
  { type: 'message_stop' },
];
const message = (usage: object) =>
  Response.json({
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', usage },
    ...{ content: [{ type: 'text', text }], stop_reason: 'end_turn', stop_sequence: null },
  });
const response = () =>
  Response.json({
    ...{ id: 'resp_1', object: 'response', created_at: 1, status: 'completed', model: 'm' },
    output: [{ type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'look', arguments: '{}' }],
    usage: { ...zeros, total_tokens: 0 },
  });

/** Tokens that the prompt and the text have at the least, and at the most. */
const counted = { input: [300, 900], output: [8, 16] } as const;

interface Case {
  readonly name: string;
  readonly of: Kind;
  readonly isStreamed: boolean;
  readonly answer: () => Response;
  readonly input: number | typeof counted.input;
  readonly output: number | typeof counted.output;
}

const chatCases: readonly Case[] = [
  {
    ...{ name: 'a chat completion of zeros', of: 'chat', isStreamed: false, ...counted },
    answer: () => chatAnswer(chatZeros),
  },
  {
    ...{ name: 'a chat completion without a prompt', of: 'chat', isStreamed: false, ...counted, output: 54 },
    answer: () => chatAnswer({ prompt_tokens: 0, completion_tokens: 54, total_tokens: 54 }),
  },
  {
    ...{ name: 'zeros with each chunk, which break off', of: 'chat', isStreamed: true, ...counted },
    answer: () => stream(events(...zeroChunks)),
  },
  {
    ...{ name: 'zeros with each chunk and at the end', of: 'chat', isStreamed: true, ...counted },
    answer: () =>
      stream(
        `${events(...zeroChunks, chunk({ finish_reason: 'stop' }), chunk(null, chatZeros))}data: [DONE]\n\n`,
      ),
  },
  {
    ...{
      name: 'zeros with each chunk, and counts at the end',
      of: 'chat',
      isStreamed: true,
      input: 70,
      output: 9,
    },
    answer: () => {
      const usage = { prompt_tokens: 70, completion_tokens: 9, total_tokens: 79 };
      return stream(
        `${events(...zeroChunks, chunk({ finish_reason: 'stop' }), chunk(null, usage))}data: [DONE]\n\n`,
      );
    },
  },
];
const otherCases: readonly Case[] = [
  {
    ...{ name: 'a message of zeros', of: 'messages', isStreamed: false, ...counted },
    answer: () => message(zeros),
  },
  {
    ...{
      name: 'a message that begins with zeros and breaks off',
      of: 'messages',
      isStreamed: true,
      ...counted,
    },
    answer: () => stream(events(...begun)),
  },
  {
    ...{
      name: 'a message that counts its output alone',
      of: 'messages',
      isStreamed: true,
      ...counted,
      output: 54,
    },
    answer: () => stream(events(...begun, ...ended({ output_tokens: 54 }))),
  },
  {
    ...{ name: 'a message that counts at its end', of: 'messages', isStreamed: true, input: 70, output: 9 },
    answer: () => stream(events(...begun, ...ended({ input_tokens: 70, output_tokens: 9 }))),
  },
  {
    ...{ name: 'a response that goes on', of: 'responses', isStreamed: false, input: 0, output: 0 },
    answer: response,
  },
];

describe('an upstream that says zero', () => {
  let sluice: TestSluice;
  let vendor: Vendor;

  beforeAll(async () => {
    vendor = serveVendor();
    sluice = await startTestSluice({
      file: () => ({
        providers: Object.entries(kinds).map(([name, kind]) => ({
          ...usualProvider(vendor.url),
          ...{ name, kind },
          ...(name === 'responses' && { settings: { protocols: ['responses'] } }),
        })),
        models: Object.keys(kinds).map((id) => ({
          ...{ ...usualModel, id, aliases: [] },
          providers: [{ provider: id, upstream_id: 'm' }],
        })),
      }),
    });
  });
  afterAll(async () => {
    await sluice.stop();
    vendor.stop();
  });

  const expectWithin = (count: number | undefined, wanted: Case['input'] | Case['output']) => {
    const [least, most] = typeof wanted === 'number' ? [wanted, wanted] : wanted;
    expect(count).toBeWithin(least, most + 1);
  };

  test.each(
    [...chatCases, ...otherCases].flatMap((one) =>
      (one.of === 'responses' ? (['responses'] as const) : (['chat', 'messages'] as const)).map(
        (client) => [one.name, client, one] as const,
      ),
    ),
  )('of %s to a client of %s', async (_, client, { of, isStreamed, answer, input, output }) => {
    vendor.answer = answer;
    const { path, body } = asks[client](of, isStreamed);
    const told = await (await sluice.post(path, body)).text();
    expect(told).toContain(of === 'responses' ? 'call_1' : text);
    // Whoever did not ask for counts gets no chunk of them.
    if (client === 'chat' && isStreamed) expect(told).not.toContain('"choices":[]');
    const record = (await sluice.usage()).at(-1);
    expectWithin(record?.inputTokens, input);
    expectWithin(record?.outputTokens, output);
    expect(record?.estimated).toBe(typeof input !== 'number');
  });
});
