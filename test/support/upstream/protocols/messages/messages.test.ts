/** The double as a messages host: what the official client makes of it, and what it refuses. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import { faultNames, startUpstream, type Upstream } from '../../index.ts';
import { readText } from '../../json.ts';
import { messagesFixture, messagesFixtureNames } from './recordings.ts';

let upstream: Upstream;
let client: Anthropic;

beforeEach(() => {
  upstream = startUpstream();
  client = new Anthropic({
    baseURL: upstream.url.replace(/\/v1$/, ''),
    apiKey: 'key-of-the-test',
    maxRetries: 0,
  });
});
afterEach(() => upstream.stop());

const ask: Anthropic.MessageCreateParamsNonStreaming = {
  model: 'barge-1',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Hello' }],
};
const tide: Anthropic.Tool = {
  name: 'tide',
  input_schema: { type: 'object', properties: { harbour: { type: 'string' } }, required: ['harbour'] },
};
const clock: Anthropic.Tool = { name: 'clock', input_schema: { type: 'object' } };

const post = (fields: object): Promise<Response> =>
  fetch(`${upstream.url}/messages`, { method: 'POST', body: JSON.stringify({ ...ask, ...fields }) });

describe('a made-up answer', () => {
  test.each([
    ['text', { nonAscii: true, tokens: 12, promptTokens: 50, cachedTokens: 20 }, {}],
    ['shown thinking', { showReasoning: true, reasoningTokens: 4, text: 'Yes, it is.' }, {}],
    ['hidden thinking', { reasoningTokens: 4, text: 'Yes, it is.' }, {}],
    ['calls of tools, one without arguments', { toolCalls: 2 }, { tools: [tide, clock] }],
    ['a limit', {}, { max_tokens: 5 }],
    ['a refusal', { refusal: 'That is not for us.' }, {}],
    ['a stop sequence', { text: 'One two three four' }, { stop_sequences: ['ree', 'four'] }],
  ])('with %s is the same whole and streamed', async (_name, generate, fields) => {
    upstream.byDefault({ generate });
    const request = { ...ask, ...fields };
    const streamed = await client.messages.stream(request).finalMessage();
    const whole = await client.messages.create(request);
    expect(streamed.content.map(withoutId)).toEqual(whole.content.map(withoutId));
    expect(streamed).toMatchObject({
      stop_reason: whole.stop_reason,
      stop_sequence: whole.stop_sequence,
      usage: { output_tokens: whole.usage.output_tokens },
    });
  });

  test('states what the cache served beside the input, and counts it once in its own books', async () => {
    upstream.enqueue({ generate: { promptTokens: 50, cachedTokens: 20, tokens: 3 } });
    const { usage } = await client.messages.create(ask);
    expect(usage).toMatchObject({ input_tokens: 30, cache_read_input_tokens: 20, output_tokens: 3 });
    expect(upstream.counts).toMatchObject({ promptTokens: 50, cachedTokens: 20, completionTokens: 3 });
  });

  test('stops where a stop sequence begins, and says which', async () => {
    upstream.enqueue({ generate: { text: 'One two three four' } });
    const message = await client.messages.create({ ...ask, stop_sequences: ['four', 'ree'] });
    expect(message).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'ree' });
    expect(message.content).toMatchObject([{ type: 'text', text: 'One two th' }]);
  });
});

describe.each([...messagesFixtureNames])('the %s fixture', (name) => {
  test('says the same whole and streamed', async () => {
    upstream.byDefault({ replay: messagesFixture(name) });
    const streamed = await client.messages.stream(ask).finalMessage();
    const told = { ...upstream.counts };
    const whole = await client.messages.create(ask);
    expect<unknown>(streamed.content).toEqual(whole.content);
    expect(streamed.usage.output_tokens).toBe(whole.usage.output_tokens);
    expect(upstream.counts.promptTokens).toBe(2 * told.promptTokens);
    expect(upstream.counts.completionTokens).toBe(2 * told.completionTokens);
  });
});

describe('it refuses', () => {
  const use = { type: 'tool_use', id: 'toolu_1', name: 'tide', input: {} };
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'high' };
  const user = (content: unknown) => ({ role: 'user', content });
  const assistant = (content: unknown) => ({ role: 'assistant', content });
  const thoughtful = { max_tokens: 2000, thinking: { type: 'enabled', budget_tokens: 1024 } };
  const source = { type: 'base64', media_type: 'image/png', data: 'data:image/png;base64,AAAA' };

  test.each([
    ['no bound', { max_tokens: undefined }],
    ['no messages', { messages: [] }],
    ['a budget beyond the bound', { thinking: { type: 'enabled', budget_tokens: 2000 } }],
    ['a budget that is no budget', { thinking: { type: 'enabled', budget_tokens: 50 } }],
    ['thinking with a forced tool', { ...thoughtful, tools: [tide], tool_choice: { type: 'any' } }],
    ['thinking at another temperature', { ...thoughtful, temperature: 0.5 }],
    ['a tool without a schema', { tools: [{ name: 'tide' }] }],
    [
      'an id of another vendor',
      { messages: [user('Hi'), assistant([{ ...use, id: 'a.b' }]), user([result])] },
    ],
    ['a system role', { messages: [{ role: 'system', content: 'Be brief.' }] }],
    ['an empty text', { messages: [user([{ type: 'text', text: '' }])] }],
    ['a use without a result', { messages: [user('Hi'), assistant([use]), user('And?')] }],
    ['a result without a use', { messages: [user([result])] }],
    ['arguments as text', { messages: [user('Hi'), assistant([{ ...use, input: '{}' }]), user([result])] }],
    ['a data URL as an image', { messages: [user([{ type: 'image', source }])] }],
    [
      'thinking that it did not sign',
      {
        messages: [
          user('Hi'),
          assistant([{ type: 'thinking', thinking: 'Hm.', signature: 'x' }]),
          user('And?'),
        ],
      },
    ],
  ])('%s', async (_name, fields) => {
    const response = await post(fields);
    expect(response.status).toBe(400);
    expect((await response.json()).error.type).toBe('invalid_request_error');
    expect((await post({})).status).toBe(200);
  });

  test('the results of tools when the thinking before their use is lost', async () => {
    const thinking = { type: 'enabled', budget_tokens: 1024 };
    const talk = { thinking, max_tokens: 2000, messages: [user('Hi'), assistant([use]), user([result])] };
    expect((await post(talk)).status).toBe(400);
    expect((await post({ ...talk, thinking: { type: 'disabled' } })).status).toBe(200);
  });

  test('nothing about a use with its result', async () => {
    expect((await post({ messages: [user('Hi'), assistant([use]), user([result])] })).status).toBe(200);
  });
});

describe('counting tokens', () => {
  const count = (fields: object): Promise<Response> =>
    fetch(`${upstream.url}/messages/count_tokens`, {
      method: 'POST',
      body: JSON.stringify({ model: 'barge-1', messages: ask.messages, ...fields }),
    });

  test('answers a count and nothing else', async () => {
    upstream.enqueue({ generate: { promptTokens: 33 } });
    const { messages, model } = ask;
    expect(await client.messages.countTokens({ messages, model, tools: [tide] })).toEqual({
      input_tokens: 33,
    });
    expect(upstream.counts).toMatchObject({ requests: 1, promptTokens: 0 });
  });

  test.each([
    ['a bound for an answer', { max_tokens: 5 }],
    ['no messages', { messages: [] }],
    ['no model', { model: '' }],
  ])('refuses %s', async (_name, fields) => {
    const response = await count(fields);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
  });
});

describe('faults', () => {
  const silent = ['reset_before_headers', 'html_answer', 'empty_body', 'huge_body'];
  const stalled = ['header_stall', 'first_token_stall', 'mid_stream_stall'];

  test.each(faultNames.filter((name) => ![...silent, ...stalled].includes(name)))(
    '%s makes the official client fail, whole',
    async (fault) => {
      upstream.enqueue({ fault });
      const answer = await client.messages.create(ask).catch((error: unknown) => error);
      if (fault === 'error_in_200' || fault === 'in_band_error')
        expect(readText(answer, 'type')).toBe('error');
      else expect(answer).toBeInstanceOf(Error);
    },
  );

  test('an error inside a stream reaches the official client as one', async () => {
    upstream.enqueue({ fault: { name: 'in_band_error', afterEvents: 4 } });
    await expect(client.messages.stream(ask).finalMessage()).rejects.toThrow('an error of its own making');
  });

  test('a refusal names its type as the protocol does', async () => {
    for (const [fault, type] of [
      ['status_401', 'authentication_error'],
      ['status_402', 'billing_error'],
      ['rate_limited', 'rate_limit_error'],
      ['status_529', 'overloaded_error'],
      ['status_500', 'api_error'],
      ['context_overflow', 'invalid_request_error'],
    ] as const) {
      upstream.enqueue({ fault });
      expect(await (await post({})).json()).toMatchObject({ type: 'error', error: { type } });
    }
  });
});

/** Ids differ from request to request. */
function withoutId(block: Anthropic.ContentBlock): object {
  return block.type === 'tool_use' ? { ...block, id: '' } : block;
}
