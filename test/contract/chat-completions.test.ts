/** POST /v1/chat/completions as the official client uses it, over real sockets, on each database. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import type OpenAI from 'openai';
import { describeOnEachDatabase } from '../support/databases.ts';
import { startTestSluice, type TestSluice } from '../support/sluice.ts';

const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Where does the river go?' }];
const ask = { model: 'double-1', messages };

const weather: OpenAI.ChatCompletionTool = {
  type: 'function',
  function: {
    name: 'weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

/** 0.15, 0.075 and 0.60 USD per million are 150, 75 and 600 nano-USD a token. */
const costOf = (uncached: number, cached: number, output: number): bigint =>
  BigInt(uncached) * 150n + BigInt(cached) * 75n + BigInt(output) * 600n;

describeOnEachDatabase('chat completions', (_openDatabase, database) => {
  let sluice: TestSluice;

  beforeAll(async () => {
    sluice = await startTestSluice({ database });
  });
  afterAll(() => sluice.stop());
  beforeEach(() => sluice.upstream.forget());

  const lastUsage = async () => {
    const record = (await sluice.usage()).at(-1);
    if (record === undefined) throw new Error('nothing was recorded');
    return record;
  };

  test('a whole answer, with the upstream told its own model id and key', async () => {
    const completion = await sluice.client().chat.completions.create(ask);
    expect(completion.object).toBe('chat.completion');
    expect(completion.choices[0]?.message.content?.length).toBeGreaterThan(0);
    const [received] = sluice.upstream.requests;
    expect(received?.body).toMatchObject({ model: 'double-1-2026', messages });
    expect(received?.headers['authorization']).toBe('Bearer upstream-secret');
  });

  test('answer headers: ids for both official clients, provider, cost, overhead', async () => {
    const response = await sluice.post('/v1/chat/completions', ask);
    const { usage } = await response.json();
    const { headers } = response;
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get('request-id')).toBe(headers.get('x-request-id'));
    expect(headers.get('x-sluice-provider')).toBe('main');
    expect(Number(headers.get('x-sluice-overhead-ms'))).toBeGreaterThan(0);
    const cost = costOf(usage.prompt_tokens, 0, usage.completion_tokens);
    expect(Number(headers.get('x-sluice-cost-usd'))).toBeCloseTo(Number(cost) / 1e9, 12);
    expect((await lastUsage()).requestId).toBe(headers.get('x-request-id') ?? '');
  });

  test('a stream ends with [DONE] and no usage when none was asked for; it is measured all the same', async () => {
    sluice.upstream.enqueue({ generate: { tokens: 12, promptTokens: 100, cachedTokens: 40 } });
    const response = await sluice.post('/v1/chat/completions', { ...ask, stream: true });
    expect(response.headers.get('content-type')).toStartWith('text/event-stream');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    const text = await response.text();
    expect(text.trimEnd()).toEndWith('data: [DONE]');
    expect(text).not.toContain('prompt_tokens');
    expect(await lastUsage()).toMatchObject({
      streamed: true,
      outcome: 'complete',
      inputTokens: 60,
      cacheReadTokens: 40,
      outputTokens: 12,
      estimated: false,
      costNanoUsd: costOf(60, 40, 12),
      chargedNanoUsd: costOf(60, 40, 12),
    });
  });

  test('the official client’s stream helper reads the whole stream, and the usage that it asks for', async () => {
    sluice.upstream.enqueue({ generate: { tokens: 9 } });
    const stream = sluice
      .client()
      .chat.completions.stream({ ...ask, stream_options: { include_usage: true } });
    const completion = await stream.finalChatCompletion();
    expect(completion.choices[0]?.finish_reason).toBe('stop');
    expect(completion.usage?.completion_tokens).toBe(9);
  });

  test('tools: a call comes back, its result goes out, whole and streamed', async () => {
    const client = sluice.client();
    for (const streamed of [false, true]) {
      sluice.upstream.enqueue({ generate: { toolCalls: 2 } });
      const first = streamed
        ? await client.chat.completions.stream({ ...ask, tools: [weather] }).finalChatCompletion()
        : await client.chat.completions.create({ ...ask, tools: [weather] });
      const message = first.choices[0]?.message;
      if (message === undefined) throw new Error('no message');
      expect(first.choices[0]?.finish_reason).toBe('tool_calls');
      expect(message.tool_calls).toHaveLength(2);
      const results = (message.tool_calls ?? []).map((call) => ({
        role: 'tool' as const,
        tool_call_id: call.id,
        content: 'sunny',
      }));
      sluice.upstream.enqueue({ generate: { text: 'It is sunny.' } });
      const second = await client.chat.completions.create({
        ...ask,
        messages: [...messages, message, ...results],
        tools: [weather],
      });
      expect(second.choices[0]?.message.content).toContain('sunny');
      expect(sluice.upstream.requests.at(-1)?.body).toMatchObject({
        messages: [...messages, {}, ...results],
      });
    }
  });

  test('structured output: the schema goes to the upstream, the client parses the answer', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    };
    const completion = await sluice.client().chat.completions.parse({
      ...ask,
      response_format: { type: 'json_schema', json_schema: { name: 'place', schema, strict: true } },
    });
    expect(JSON.parse(completion.choices[0]?.message.content ?? '')).toHaveProperty('city');
    expect(sluice.upstream.requests[0]?.body).toMatchObject({
      response_format: { json_schema: { schema } },
    });
  });

  test('fields that Sluice does not know reach the upstream with every byte they had', async () => {
    const body = `{"model":"one","messages":[{"role":"user","content":"hi"}],"seed":12345678901234567890,"x":{"y":1.0}}`;
    expect((await sluice.post('/v1/chat/completions', body)).status).toBe(200);
    expect(sluice.upstream.requests[0]?.bodyText).toBe(body.replace('"one"', '"double-1-2026"'));
  });

  test('unknown fields of the answer come back untouched', async () => {
    sluice.upstream.enqueue({ generate: { showReasoning: true, reasoningTokens: 5, text: 'Yes.' } });
    const completion = await sluice.client().chat.completions.create(ask);
    expect(completion.choices[0]?.message).toHaveProperty('reasoning_content');
    expect(await lastUsage()).toMatchObject({ reasoningTokens: 5 });
  });

  test('text in any script survives streams that are cut anywhere', async () => {
    const answer = { generate: { nonAscii: true, tokens: 20 } };
    sluice.upstream.enqueue(answer);
    const whole = await sluice.client().chat.completions.create(ask);
    for (const writes of [{ everyBytes: 1 }, { everyBytes: 7 }, { seed: 5 }, 'joined'] as const) {
      sluice.upstream.enqueue({
        ...answer,
        shape: { writes, lineEnds: writes === 'joined' ? 'crlf' : 'lf' },
      });
      const streamed = await sluice.client().chat.completions.stream(ask).finalChatCompletion();
      expect(streamed.choices[0]?.message.content).toBe(whole.choices[0]?.message.content ?? '');
    }
  });

  test('an upstream that gives no usage is estimated, and the record says so', async () => {
    sluice.upstream.enqueue({ generate: { usage: 'never', tokens: 40 } });
    await (await sluice.post('/v1/chat/completions', { ...ask, stream: true })).text();
    const record = await lastUsage();
    expect(record.estimated).toBe(true);
    expect(record.inputTokens).toBeGreaterThan(0);
    expect(record.outputTokens).toBeGreaterThan(0);
    expect(record.chargedNanoUsd).toBe(record.costNanoUsd);
  });

  test('what was recorded and charged is what the upstream counted', async () => {
    const before = await sluice.availableNanoUsd();
    const known = (await sluice.usage()).length;
    const requests = Array.from({ length: 40 }, (_, index) =>
      sluice.post('/v1/chat/completions', { ...ask, max_tokens: 1 + index, stream: index % 2 === 0 }),
    );
    for (const response of await Promise.all(requests)) await response.text();
    const records = (await sluice.usage()).slice(known);
    const sum = (count: (record: (typeof records)[number]) => number) =>
      records.reduce((total, record) => total + count(record), 0);
    const { counts } = sluice.upstream;
    expect(records).toHaveLength(40);
    expect(sum(({ inputTokens, cacheReadTokens }) => inputTokens + cacheReadTokens)).toBe(
      counts.promptTokens,
    );
    expect(sum(({ outputTokens }) => outputTokens)).toBe(counts.completionTokens);
    const charged = records.reduce((total, record) => total + record.chargedNanoUsd, 0n);
    expect(before - (await sluice.availableNanoUsd())).toBe(charged);
    expect(charged).toBe(costOf(counts.promptTokens, 0, counts.completionTokens));
  });
});
