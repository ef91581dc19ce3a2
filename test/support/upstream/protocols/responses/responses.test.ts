/** The double as a responses host: what the official client makes of it, and what it refuses. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import OpenAI from 'openai';
import { faultNames, startUpstream, type Upstream } from '../../index.ts';

let upstream: Upstream;
let client: OpenAI;

beforeEach(() => {
  upstream = startUpstream();
  client = new OpenAI({ baseURL: upstream.url, apiKey: 'key-of-the-test', maxRetries: 0 });
});
afterEach(() => upstream.stop());

type Ask = OpenAI.Responses.ResponseCreateParamsNonStreaming;

const ask: Ask = { model: 'barge-1', input: 'Hello' };
const tide: OpenAI.Responses.FunctionTool = {
  type: 'function',
  name: 'tide',
  strict: false,
  parameters: { type: 'object', properties: { harbour: { type: 'string' } }, required: ['harbour'] },
};
const thoughtful: Partial<Ask> = {
  reasoning: { effort: 'low', summary: 'auto' },
  include: ['reasoning.encrypted_content'],
  store: false,
};

const post = (fields: object): Promise<Response> =>
  fetch(`${upstream.url}/responses`, { method: 'POST', body: JSON.stringify({ ...ask, ...fields }) });

/** Without what differs from request to request, and what the stream helper adds. */
function plain(items: readonly object[]): unknown {
  const passing = ['id', 'call_id', 'encrypted_content', 'parsed', 'parsed_arguments'];
  return JSON.parse(JSON.stringify(items, (name, value) => (passing.includes(name) ? undefined : value)));
}

describe('a made-up answer', () => {
  test.each([
    ['text', { nonAscii: true, tokens: 12, promptTokens: 50, cachedTokens: 20 }, {}],
    ['shown reasoning', { showReasoning: true, reasoningTokens: 4, text: 'Yes, it is.' }, thoughtful],
    ['hidden reasoning', { showReasoning: true, reasoningTokens: 4, text: 'Yes, it is.' }, {}],
    ['calls', { toolCalls: 2 }, { tools: [tide] }],
    ['calls in turns', { toolCalls: 2, interleaveToolCalls: true }, { tools: [tide] }],
    ['a refusal', { refusal: 'That is not for us.' }, {}],
    ['a limit', {}, { max_output_tokens: 20 }],
  ])('with %s is the same whole and streamed', async (_name, generate, fields) => {
    upstream.byDefault({ generate });
    const whole = await client.responses.create({ ...ask, ...fields });
    const told = { ...upstream.counts };
    const streamed = await client.responses.stream(streamedAsk(fields)).finalResponse();
    expect(plain(streamed.output)).toEqual(plain(whole.output));
    expect(streamed.status).toBe(whole.status ?? 'failed');
    expect(streamed.usage?.output_tokens).toBe(whole.usage?.output_tokens ?? -1);
    expect(upstream.counts.completionTokens).toBe(2 * told.completionTokens);
    expect(upstream.counts.contentTokens).toBe(2 * told.contentTokens);
  });

  test('is numbered from 0 without a gap, and every part of it is opened and closed', async () => {
    upstream.enqueue({ generate: { showReasoning: true, reasoningTokens: 2, toolCalls: 2 } });
    const stream = await client.responses.create({ ...ask, ...thoughtful, tools: [tide], stream: true });
    const events = await Array.fromAsync(stream);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
    const count = (type: string): number => events.filter((event) => event.type === type).length;
    expect(count('response.output_item.added')).toBe(3);
    expect(count('response.output_item.done')).toBe(3);
    expect(count('response.function_call_arguments.done')).toBe(2);
    expect(events.at(-1)?.type).toBe('response.completed');
  });

  test('counts what the cache served inside the input', async () => {
    upstream.enqueue({ generate: { promptTokens: 50, cachedTokens: 20, tokens: 3 } });
    const { usage } = await client.responses.create(ask);
    expect(usage).toMatchObject({ input_tokens: 50, input_tokens_details: { cached_tokens: 20 } });
    expect(upstream.counts).toMatchObject({ promptTokens: 50, cachedTokens: 20, completionTokens: 3 });
  });

  test('a limit leaves it incomplete', async () => {
    const response = await client.responses.create({ ...ask, max_output_tokens: 16 });
    expect(response).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      usage: { output_tokens: 16 },
    });
  });

  test('a schema gets an object that fits', async () => {
    const schema = {
      type: 'object',
      properties: { depth: { type: 'integer' } },
      required: ['depth'],
      additionalProperties: false,
    };
    const format = { type: 'json_schema' as const, name: 'lock', strict: true, schema };
    const { output_text: text } = await client.responses.create({ ...ask, text: { format } });
    expect(JSON.parse(text)).toEqual({ depth: 7 });
  });
});

describe('a second turn', () => {
  async function firstTurn(): Promise<OpenAI.Responses.ResponseInputItem[]> {
    upstream.enqueue({ generate: { showReasoning: true, reasoningTokens: 4, toolCalls: 1 } });
    const { output } = await client.responses.create({ ...ask, ...thoughtful, tools: [tide] });
    const [reasoning, call] = output;
    if (reasoning?.type !== 'reasoning' || call?.type !== 'function_call') throw new Error('no call');
    const result = { type: 'function_call_output' as const, call_id: call.call_id, output: 'high' };
    return [{ role: 'user', content: 'Hello' }, reasoning, call, result];
  }

  const next = (input: readonly object[]): Promise<Response> => post({ ...thoughtful, tools: [tide], input });

  test('takes its reasoning back', async () => {
    expect((await next(await firstTurn())).status).toBe(200);
  });

  test.each([
    ['is changed', { encrypted_content: 'gAAAAdoubleAAAA' }, 400],
    ['belongs to another item', { id: 'rs_double_77' }, 400],
    ['is missing', { encrypted_content: undefined }, 404],
  ])('is refused when what was encrypted %s', async (_name, fields, status) => {
    const [user, reasoning, ...rest] = await firstTurn();
    const response = await next([user ?? {}, { ...reasoning, ...fields }, ...rest]);
    expect(response.status).toBe(status);
  });

  test('is refused when a call named by its item has lost its reasoning', async () => {
    const [user, _reasoning, call, result] = await firstTurn();
    expect((await next([user ?? {}, call ?? {}, result ?? {}])).status).toBe(400);
    expect((await next([user ?? {}, { ...call, id: undefined }, result ?? {}])).status).toBe(200);
  });
});

describe('it refuses', () => {
  const call = { type: 'function_call', call_id: 'c1', name: 'tide', arguments: '{}' };
  const result = { type: 'function_call_output', call_id: 'c1', output: 'high' };
  const user = (content: unknown) => ({ role: 'user', content });
  const open = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };

  test.each([
    ['an unknown parameter', { stop: ['x'] }, 'stop'],
    ['the messages of another protocol', { messages: [], input: 'Hi' }, 'messages'],
    ['no input', { input: [] }, 'input'],
    ['a temperature for a model that reasons', { model: 'gpt-5-mini', temperature: 0.5 }, 'temperature'],
    ['a bound below 16', { max_output_tokens: 7 }, 'max_output_tokens'],
    [
      'parts of another protocol',
      { input: [user([{ type: 'text', text: 'Hi' }])] },
      'input[0].content[0].type',
    ],
    [
      'words put in the mouth of the model',
      { input: [{ role: 'assistant', content: [{ type: 'input_text', text: 'Hi' }] }] },
      'input[0].content[0].type',
    ],
    ['an image as bare base64', { input: [user([{ type: 'input_image', image_url: 'AAAA' }])] }, undefined],
    ['a call without an output', { input: [user('Hi'), call] }, 'input'],
    ['an output without a call', { input: [user('Hi'), result] }, 'input'],
    ['arguments as an object', { input: [{ ...call, arguments: {} }, result] }, 'input[0].arguments'],
    [
      'a tool in the shape of chat completions',
      { tools: [{ type: 'function', function: { name: 'a' } }] },
      undefined,
    ],
    [
      'an open schema that calls itself strict',
      { tools: [{ ...tide, strict: true, parameters: open }] },
      undefined,
    ],
    ['a response it does not have', { previous_response_id: 'resp_1' }, 'previous_response_id'],
    ['a demand without tools', { tool_choice: 'required' }, 'tool_choice'],
  ])('%s', async (_name, fields, param) => {
    const response = await post(fields);
    expect(response.status).toBe(400);
    const { error } = await response.json();
    expect(error.type).toBe('invalid_request_error');
    if (param !== undefined) expect(error.param).toBe(param);
  });
});

describe('faults', () => {
  const quiet = ['html_answer', 'empty_body', 'huge_body', 'error_in_200', 'in_band_error'];
  const stalled = ['header_stall', 'first_token_stall', 'mid_stream_stall'];

  test.each(faultNames.filter((name) => ![...quiet, ...stalled].includes(name)))(
    '%s makes the official client fail, whole',
    async (fault) => {
      upstream.enqueue({ fault });
      const answer = await client.responses.create(ask).catch((error: unknown) => error);
      expect(answer).toBeInstanceOf(Error);
    },
  );

  test.each([false, true])('an error inside a stream, as a failed response: %p', async (insideChunk) => {
    upstream.enqueue({ fault: { name: 'in_band_error', afterEvents: 5, insideChunk } });
    const events = await Array.fromAsync(await client.responses.create({ ...ask, stream: true })).catch(
      (error: unknown) => error,
    );
    if (insideChunk) expect(events).toContainEqual(expect.objectContaining({ type: 'response.failed' }));
    else expect(events).toBeInstanceOf(Error);
  });

  test('a cut stream has no end', async () => {
    upstream.enqueue({ fault: 'truncated_stream' });
    const events = await Array.fromAsync(await client.responses.create({ ...ask, stream: true }));
    expect(events).toHaveLength(3);
  });
});

test('a recording is replayed, and its counts are read', async () => {
  const usage = { input_tokens: 9, output_tokens: 4, output_tokens_details: { reasoning_tokens: 3 } };
  const response = { id: 'resp_r', object: 'response', status: 'completed', output: [], usage };
  const event = { type: 'response.completed', response, sequence_number: 0 };
  const recording = {
    name: 'short',
    whole: JSON.stringify(response),
    events: [`event: ${event.type}\ndata: ${JSON.stringify(event)}`],
  };
  upstream.byDefault({ replay: recording });
  expect((await client.responses.create(ask)).usage?.input_tokens).toBe(9);
  expect(await Array.fromAsync(await client.responses.create({ ...ask, stream: true }))).toHaveLength(1);
  expect(upstream.counts).toMatchObject({ promptTokens: 18, completionTokens: 8, reasoningTokens: 6 });
});

function streamedAsk(fields: object): { model: string; input: string; stream: true } {
  return { model: 'barge-1', input: 'Hello', ...fields, stream: true };
}
