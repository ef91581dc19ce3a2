import { afterEach, describe, expect, test } from 'bun:test';
import OpenAI from 'openai';
import { chatUpstream } from '../chat-completions/protocol.ts';
import { messagesUpstream } from '../messages/protocol.ts';
import type { UpstreamProtocol } from '../protocol.ts';
import { type ConvertedServer, serveConverted, type UpstreamAnswers } from '../testing/converted-server.ts';
import {
  blockDelta,
  blockStart,
  blockStop,
  chatFrames,
  delta,
  messageDelta,
  messageStart,
  messageStop,
  messagesFrames,
} from '../testing/frames.ts';
import { responsesClient } from './protocol.ts';
import { readResponsesRequest } from './request.ts';

let server: ConvertedServer | undefined;
afterEach(() => server?.stop());

function serve(upstream: UpstreamProtocol, ...answers: readonly UpstreamAnswers[]): OpenAI {
  server = serveConverted({
    client: responsesClient(),
    upstream,
    read: readResponsesRequest,
    upstreamId: upstream.name === 'messages' ? 'claude-opus-4-6' : 'gpt-x',
    answers,
  });
  return new OpenAI({ apiKey: 'k', baseURL: `${server.url}/v1`, maxRetries: 0 });
}

const ask = { model: 'm', input: 'hi' };
const look: OpenAI.Responses.FunctionTool = {
  type: 'function',
  name: 'look',
  parameters: { type: 'object', properties: {} },
  strict: false,
};
const chatUsage = {
  prompt_tokens: 50,
  completion_tokens: 9,
  total_tokens: 59,
  prompt_tokens_details: { cached_tokens: 40 },
  completion_tokens_details: { reasoning_tokens: 4 },
};
const messagesUsage = {
  input_tokens: 10,
  cache_creation_input_tokens: 5,
  cache_read_input_tokens: 40,
  output_tokens: 9,
};

describe('the official client over a chat completions upstream', () => {
  test('collects text and counts', async () => {
    const client = serve(chatUpstream(), {
      stream: chatFrames(
        delta({ role: 'assistant', content: '' }),
        delta({ content: 'Grüß ' }),
        delta({ content: 'dich 🦥' }),
        delta({}, 'stop'),
        { choices: [], usage: chatUsage },
        '[DONE]',
      ),
    });
    const pieces: string[] = [];
    const response = await client.responses
      .stream(ask)
      .on('response.output_text.delta', (event) => pieces.push(event.delta))
      .finalResponse();
    expect(pieces.join('')).toBe('Grüß dich 🦥');
    expect(response.output_text).toBe('Grüß dich 🦥');
    expect(response).toMatchObject({ id: 'resp_1a', model: 'gpt-x', status: 'completed', store: false });
    expect(response.usage).toMatchObject({
      input_tokens: 50,
      input_tokens_details: { cached_tokens: 40 },
      output_tokens: 9,
      output_tokens_details: { reasoning_tokens: 4 },
      total_tokens: 59,
    });
  });

  test('collects calls that arrive interleaved, one of them without arguments', async () => {
    const call = (index: number, fields: object) => delta({ tool_calls: [{ index, ...fields }] });
    const client = serve(chatUpstream(), {
      stream: chatFrames(
        delta({ role: 'assistant', content: 'Wait.' }),
        call(0, { id: 'c0', type: 'function', function: { name: 'look', arguments: '' } }),
        call(1, { id: 'c1', type: 'function', function: { name: 'now', arguments: '' } }),
        call(2, { id: 'c2', type: 'function', function: { name: 'look', arguments: '{"at":' } }),
        call(0, { function: { arguments: '{"at":1' } }),
        call(2, { function: { arguments: '2}' } }),
        call(0, { function: { arguments: '}' } }),
        delta({}, 'tool_calls'),
        '[DONE]',
      ),
    });
    const response = await client.responses.stream({ ...ask, tools: [look] }).finalResponse();
    expect(response.output).toMatchObject([
      { type: 'message', content: [{ text: 'Wait.' }] },
      { type: 'function_call', call_id: 'c0', name: 'look', arguments: '{"at":1}' },
      { type: 'function_call', call_id: 'c1', name: 'now', arguments: '{}' },
      { type: 'function_call', call_id: 'c2', name: 'look', arguments: '{"at":2}' },
    ]);
  });

  test('sends back what it got: reasoning and calls reach the upstream again', async () => {
    const whole = {
      id: 'x',
      model: 'gpt-x',
      choices: [{ message: { content: 'done' }, finish_reason: 'stop' }],
      usage: chatUsage,
    };
    const client = serve(
      chatUpstream(),
      {
        stream: chatFrames(
          delta({ role: 'assistant', reasoning_content: 'I must ' }),
          delta({ reasoning_content: 'look.' }),
          delta({
            tool_calls: [
              { index: 0, id: 'c0', type: 'function', function: { name: 'look', arguments: '{"at":1}' } },
            ],
          }),
          delta({}, 'tool_calls'),
          '[DONE]',
        ),
      },
      { whole: JSON.stringify(whole) },
    );
    const first = await client.responses.stream({ ...ask, tools: [look] }).finalResponse();
    const second = await client.responses.create({
      ...ask,
      tools: [look],
      input: [
        { role: 'user', content: 'hi' },
        ...first.output.filter((item) => item.type === 'reasoning' || item.type === 'function_call'),
        { type: 'function_call_output', call_id: 'c0', output: 'seen' },
      ],
    });
    expect(second.output_text).toBe('done');
    expect(server?.sent[1]?.['messages']).toEqual([
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'I must look.',
        tool_calls: [{ id: 'c0', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }],
      },
      { role: 'tool', tool_call_id: 'c0', content: 'seen' },
    ]);
  });

  test('gets logprobs, whole and streamed', async () => {
    const token = { token: 'hi', logprob: -0.5, bytes: [104, 105], top_logprobs: [] };
    const logprobs = { content: [token], refusal: null };
    const client = serve(
      chatUpstream(),
      {
        whole: JSON.stringify({
          id: 'x',
          choices: [{ message: { content: 'hi' }, finish_reason: 'stop', logprobs }],
        }),
      },
      {
        stream: chatFrames(
          { choices: [{ index: 0, delta: { content: 'hi' }, finish_reason: null, logprobs }] },
          delta({}, 'stop'),
          '[DONE]',
        ),
      },
    );
    const asked = { ...ask, include: ['message.output_text.logprobs' as const], top_logprobs: 0 };
    const whole = await client.responses.create(asked);
    const streamed = await client.responses.stream(asked).finalResponse();
    for (const { output } of [whole, streamed]) {
      expect(output).toMatchObject([{ content: [{ text: 'hi', logprobs: [token] }] }]);
    }
    expect(server?.sent[0]).toMatchObject({ logprobs: true });
  });

  test('parses structured output', async () => {
    const client = serve(chatUpstream(), {
      whole: JSON.stringify({
        id: 'x',
        choices: [{ message: { content: '{"age":25}' }, finish_reason: 'stop' }],
      }),
    });
    const schema = {
      type: 'object',
      properties: { age: { type: 'integer' } },
      required: ['age'],
      additionalProperties: false,
    };
    const response = await client.responses.parse({
      ...ask,
      text: { format: { type: 'json_schema', name: 'person', schema, strict: true } },
    });
    expect(response.output_parsed).toEqual({ age: 25 });
    expect(server?.sent[0]).toMatchObject({
      response_format: { type: 'json_schema', json_schema: { name: 'person', schema, strict: true } },
    });
  });

  test('sees what was cut as incomplete', async () => {
    const client = serve(chatUpstream(), {
      stream: chatFrames(delta({ content: 'Once' }), delta({}, 'length'), '[DONE]'),
    });
    const response = await client.responses.stream(ask).finalResponse();
    expect(response).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ type: 'message', status: 'incomplete' }],
    });
  });

  test('uses a free-text tool', async () => {
    const called = { id: 'c', type: 'custom', custom: { name: 'patch', input: '* a' } };
    const wrapped = { id: 'c', type: 'function', function: { name: 'patch', arguments: '{"input":"* a"}' } };
    const answers = [called, wrapped].map((tool_call) => ({
      whole: JSON.stringify({
        id: 'x',
        choices: [{ message: { content: null, tool_calls: [tool_call] }, finish_reason: 'tool_calls' }],
      }),
    }));
    const client = serve(chatUpstream(), ...answers);
    for (const _ of answers) {
      const response = await client.responses.create({ ...ask, tools: [{ type: 'custom', name: 'patch' }] });
      expect(response.output).toMatchObject([
        { type: 'custom_tool_call', call_id: 'c', name: 'patch', input: '* a' },
      ]);
    }
  });
});

describe('the official client over a messages upstream', () => {
  const thinking = [
    blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
    blockDelta(0, { type: 'thinking_delta', thinking: 'Let me ' }),
    blockDelta(0, { type: 'thinking_delta', thinking: 'see.' }),
    blockDelta(0, { type: 'signature_delta', signature: 'sig==' }),
    blockStop(0),
  ];
  const done = JSON.stringify({
    id: 'msg_2',
    type: 'message',
    role: 'assistant',
    model: 'claude-x',
    stop_reason: 'end_turn',
    content: [{ type: 'text', text: 'done' }],
    usage: messagesUsage,
  });

  test.each(['summary', 'content'] as const)(
    'brings thinking and its signature back on the second turn, shown as %s',
    async (place) => {
      const client = serve(
        messagesUpstream,
        {
          stream: messagesFrames(
            messageStart(),
            ...thinking,
            blockStart(1, { type: 'redacted_thinking', data: 'opaque' }),
            blockStop(1),
            blockStart(2, { type: 'text', text: '' }),
            blockDelta(2, { type: 'text_delta', text: 'Wait.' }),
            blockStop(2),
            blockStart(3, { type: 'tool_use', id: 't1', name: 'look', input: {} }),
            blockDelta(3, { type: 'input_json_delta', partial_json: '{"at":1}' }),
            blockStop(3),
            messageDelta('tool_use', messagesUsage),
            messageStop,
          ),
        },
        { whole: done },
      );
      const summary = place === 'summary' ? ('auto' as const) : null;
      const asked = { ...ask, tools: [look], reasoning: { effort: 'high' as const, summary } };
      const first = await client.responses.stream(asked).finalResponse();
      expect(first.output).toMatchObject([
        {
          type: 'reasoning',
          [place]: [{ text: 'Let me see.' }],
          encrypted_content: 'sluice:anthropic:sig==',
        },
        { type: 'reasoning', summary: [], encrypted_content: 'sluice:anthropic:opaque' },
        { type: 'message', content: [{ text: 'Wait.' }] },
        { type: 'function_call', call_id: 't1', arguments: '{"at":1}' },
      ]);
      expect(first.usage).toMatchObject({ input_tokens: 55, output_tokens: 9, total_tokens: 64 });
      const replayed = first.output.filter(
        (item) => item.type === 'reasoning' || item.type === 'message' || item.type === 'function_call',
      );
      const second = await client.responses.create({
        ...asked,
        instructions: 'Be brief.',
        input: [
          { role: 'user', content: 'hi' },
          ...replayed,
          { type: 'function_call_output', call_id: 't1', output: [{ type: 'input_text', text: 'seen' }] },
        ],
      });
      expect(second.output_text).toBe('done');
      expect(server?.sent[1]).toMatchObject({
        system: 'Be brief.',
        output_config: { effort: 'high' },
        messages: [
          { role: 'user', content: 'hi' },
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'Let me see.', signature: 'sig==' },
              { type: 'redacted_thinking', data: 'opaque' },
              { type: 'text', text: 'Wait.' },
              { type: 'tool_use', id: 't1', name: 'look', input: { at: 1 } },
            ],
          },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'seen' }] },
        ],
      });
    },
  );

  test.each([
    ['end_turn', 'completed', undefined],
    ['pause_turn', 'completed', undefined],
    ['max_tokens', 'incomplete', 'max_output_tokens'],
    ['model_context_window_exceeded', 'incomplete', 'max_output_tokens'],
    ['refusal', 'incomplete', 'content_filter'],
  ] as const)('sees the end %s as %s', async (stopReason, status, reason) => {
    const client = serve(messagesUpstream, {
      stream: messagesFrames(messageStart(), messageDelta(stopReason, messagesUsage), messageStop),
    });
    const response = await client.responses.stream(ask).finalResponse();
    expect<unknown>(response.status).toBe(status);
    expect<unknown>(response.incomplete_details?.reason).toBe(reason);
  });
});
