/** Made-up answers, seen through the official client. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import OpenAI from 'openai';
import { startUpstream, type Upstream } from './index.ts';

let upstream: Upstream;
let client: OpenAI;

beforeEach(() => {
  upstream = startUpstream();
  client = new OpenAI({ baseURL: upstream.url, apiKey: 'key-of-the-test', maxRetries: 0 });
});
afterEach(() => upstream.stop());

const messages = [{ role: 'user' as const, content: 'How high is the water?' }];
const base = { model: 'barge-1', messages };
const levelTool = {
  type: 'function' as const,
  function: {
    name: 'read_level',
    parameters: {
      type: 'object',
      properties: { gate: { type: 'string', enum: ['upper', 'lower'] }, unit: { type: 'string' } },
      required: ['gate'],
    },
  },
};

test('a whole answer has as many tokens as the request allows and says it was cut', async () => {
  const answer = await client.chat.completions.create({ ...base, max_tokens: 7 });
  expect(answer.model).toBe('barge-1');
  expect(answer.choices[0]?.message.content?.split(' ')).toHaveLength(7);
  expect(answer.choices[0]?.finish_reason).toBe('length');
  expect(answer.usage?.completion_tokens).toBe(7);
  expect(upstream.counts).toMatchObject({ requests: 1, completionTokens: 7, contentTokens: 7 });
});

test('a length of its own ends an answer by itself, and the smaller of both limits holds', async () => {
  upstream.byDefault({ generate: { tokens: 9 } });
  const free = await client.chat.completions.create(base);
  const cut = await client.chat.completions.create({ ...base, max_completion_tokens: 4 });
  expect([free.choices[0]?.finish_reason, free.usage?.completion_tokens]).toEqual(['stop', 9]);
  expect([cut.choices[0]?.finish_reason, cut.usage?.completion_tokens]).toEqual(['length', 4]);
});

test('a stream has a role chunk, a chunk for each token, a finish chunk and usage when asked', async () => {
  const stream = await client.chat.completions.create({
    ...base,
    max_tokens: 3,
    stream: true,
    stream_options: { include_usage: true },
  });
  const chunks = await Array.fromAsync(stream);
  const deltas = chunks.map((chunk) => chunk.choices[0]?.delta);
  expect(deltas[0]?.role).toBe('assistant');
  expect(deltas.slice(1, 4).map((delta) => delta?.content)).toEqual(['calm', ' rivers', ' carry']);
  expect(chunks[4]?.choices[0]?.finish_reason).toBe('length');
  expect(chunks[5]?.choices).toEqual([]);
  expect(chunks[5]?.usage?.completion_tokens).toBe(3);
  expect(chunks.slice(0, 5).every((chunk) => chunk.usage === null)).toBe(true);
  expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1);
});

test('a stream that was not asked for usage neither says nor counts it', async () => {
  const stream = await client.chat.completions.create({ ...base, max_tokens: 3, stream: true });
  const chunks = await Array.fromAsync(stream);
  expect(chunks.some((chunk) => 'usage' in chunk)).toBe(false);
  expect(upstream.counts).toMatchObject({ completionTokens: 0, promptTokens: 0, contentTokens: 3 });
});

test('usage can be kept back or pressed on the client', async () => {
  upstream.enqueue({ generate: { usage: 'never' } }, { generate: { usage: 'always' } });
  const silent = await client.chat.completions.create(base);
  const loud = await Array.fromAsync(await client.chat.completions.create({ ...base, stream: true }));
  expect(silent.usage).toBeUndefined();
  expect(loud.at(-1)?.usage?.completion_tokens).toBe(16);
});

test('cached and reasoning tokens are parts of their sums, in the answer and in the books', async () => {
  upstream.enqueue({ generate: { tokens: 10, promptTokens: 50, cachedTokens: 30, reasoningTokens: 4 } });
  const { usage, choices } = await client.chat.completions.create(base);
  expect(usage).toMatchObject({ prompt_tokens: 50, completion_tokens: 10, total_tokens: 60 });
  expect(usage?.prompt_tokens_details?.cached_tokens).toBe(30);
  expect(usage?.completion_tokens_details?.reasoning_tokens).toBe(4);
  expect(choices[0]?.message.content?.split(' ')).toHaveLength(6);
  expect(upstream.counts).toMatchObject({
    promptTokens: 50,
    cachedTokens: 30,
    completionTokens: 10,
    reasoningTokens: 4,
  });
});

test('shown reasoning comes before the text in fields of its own', async () => {
  upstream.enqueue({ generate: { tokens: 5, reasoningTokens: 2, showReasoning: true } });
  const stream = await client.chat.completions.create({ ...base, stream: true });
  const fields = (await Array.fromAsync(stream)).flatMap((chunk) =>
    Object.keys(chunk.choices[0]?.delta ?? {}),
  );
  const reasoning = ['reasoning_content', 'reasoning_content'];
  expect(fields).toEqual(['role', 'content', 'refusal', ...reasoning, 'content', 'content', 'content']);
});

test('a tool is called when the request demands it, with arguments that fit its schema', async () => {
  const answer = await client.chat.completions.create({
    ...base,
    tools: [levelTool],
    tool_choice: { type: 'function', function: { name: 'read_level' } },
  });
  const call = answer.choices[0]?.message.tool_calls?.[0];
  expect(answer.choices[0]?.finish_reason).toBe('tool_calls');
  expect(call?.type === 'function' ? JSON.parse(call.function.arguments) : undefined).toEqual({
    gate: 'upper',
  });
});

test('an offered tool is left alone unless the script or the request wants a call', async () => {
  const answer = await client.chat.completions.create({ ...base, tools: [levelTool] });
  expect(answer.choices[0]?.message.tool_calls).toBeUndefined();
  expect(answer.choices[0]?.finish_reason).toBe('stop');
});

for (const interleaveToolCalls of [false, true]) {
  test(`parallel calls stream in fragments the client can put together, ${interleaveToolCalls ? 'in turns' : 'one by one'}`, async () => {
    upstream.enqueue({ generate: { toolCalls: 2, interleaveToolCalls } });
    const runner = client.chat.completions.stream({ ...base, tools: [levelTool] });
    const order: number[] = [];
    runner.on('chunk', (chunk) => {
      for (const call of chunk.choices[0]?.delta.tool_calls ?? []) order.push(call.index);
    });
    const { choices } = await runner.finalChatCompletion();
    const calls = choices[0]?.message.tool_calls ?? [];
    expect(calls.map((call) => call.type === 'function' && JSON.parse(call.function.arguments))).toEqual([
      { gate: 'upper' },
      { gate: 'upper' },
    ]);
    expect(new Set(calls.map((call) => call.id)).size).toBe(2);
    expect(order.slice(0, 2)).toEqual(interleaveToolCalls ? [0, 1] : [0, 0]);
  });
}

test('parallel calls are not made when the request forbids them', async () => {
  upstream.enqueue({ generate: { toolCalls: 3 } });
  const answer = await client.chat.completions.create({
    ...base,
    tools: [levelTool],
    parallel_tool_calls: false,
  });
  expect(answer.choices[0]?.message.tool_calls).toHaveLength(1);
});

test('a JSON schema gets an object with its required properties, whole and streamed', async () => {
  const schema = {
    type: 'object',
    properties: { name: { type: 'string' }, depth: { type: 'integer' }, isOpen: { type: 'boolean' } },
    required: ['name', 'depth', 'isOpen'],
    additionalProperties: false,
  };
  const response_format = {
    type: 'json_schema' as const,
    json_schema: { name: 'lock', strict: true, schema },
  };
  const whole = await client.chat.completions.create({ ...base, response_format });
  const streamed = await client.chat.completions.stream({ ...base, response_format }).finalContent();
  const expected = { name: 'sample', depth: 7, isOpen: true };
  expect(JSON.parse(whole.choices[0]?.message.content ?? '')).toEqual(expected);
  expect(JSON.parse(streamed ?? '')).toEqual(expected);
});

test('several choices are answered side by side and all are counted', async () => {
  const answer = await client.chat.completions.create({ ...base, n: 3, max_tokens: 2 });
  const streamed = await client.chat.completions
    .stream({ ...base, n: 2, max_tokens: 2 })
    .finalChatCompletion();
  expect(answer.choices.map((choice) => choice.index)).toEqual([0, 1, 2]);
  expect(answer.usage?.completion_tokens).toBe(6);
  expect(streamed.choices.map((choice) => choice.message.content)).toEqual(['calm rivers', 'calm rivers']);
});

test('a refusal has a field of its own, whole and streamed', async () => {
  upstream.byDefault({ generate: { refusal: 'That is not for us.' } });
  const whole = await client.chat.completions.create(base);
  const streamed = await client.chat.completions.stream(base).finalChatCompletion();
  for (const { choices } of [whole, streamed]) {
    expect(choices[0]?.message).toMatchObject({ content: null, refusal: 'That is not for us.' });
  }
});

test('a stop sequence ends the text, and what was not said is not counted', async () => {
  upstream.byDefault({ generate: { text: 'One two three four' } });
  const { choices, usage } = await client.chat.completions.create({ ...base, stop: ['three'] });
  expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'One two ' } });
  expect(usage?.completion_tokens).toBe(3);
});

test('text beyond ASCII arrives unharmed, and a given text word for word', async () => {
  upstream.enqueue(
    { generate: { tokens: 10, nonAscii: true } },
    { generate: { text: '  Zwei Boote,\n🚤🚤  ' } },
  );
  const stock = await client.chat.completions.create(base);
  const given = await client.chat.completions.stream(base).finalContent();
  expect(stock.choices[0]?.message.content).toContain('👩‍🔧');
  expect(given).toBe('  Zwei Boote,\n🚤🚤  ');
});

test('the same request gets the same answer but for its number', async () => {
  const [first, second] = await Promise.all([1, 2].map(() => client.chat.completions.create(base)));
  expect(first?.id).not.toBe(second?.id);
  expect({ ...first, id: '' }).toEqual({ ...second, id: '' });
});

test('another model can be named in the answer than was asked for', async () => {
  upstream.enqueue({ generate: { model: 'barge-0-2023' } });
  const answer = await client.chat.completions.create(base);
  expect(answer.model).toBe('barge-0-2023');
});

test('the models the double was given are listed', async () => {
  const other = startUpstream({ models: ['barge-1', 'tug-2'] });
  const list = await new OpenAI({ baseURL: other.url, apiKey: 'k' }).models.list();
  expect(list.data.map((model) => model.id)).toEqual(['barge-1', 'tug-2']);
  other.stop();
});
