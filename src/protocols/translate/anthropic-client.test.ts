import { afterEach, describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import { chatUpstream } from '../chat-completions/protocol.ts';
import { messagesClient } from '../messages/protocol.ts';
import { readMessagesRequest } from '../messages/request.ts';
import { type ConvertedServer, serveConverted, type UpstreamAnswers } from '../testing/converted-server.ts';
import { chatFrames, delta } from '../testing/frames.ts';

let server: ConvertedServer | undefined;
afterEach(() => server?.stop());

function serve(...answers: readonly UpstreamAnswers[]): Anthropic {
  server = serveConverted({
    client: messagesClient,
    upstream: chatUpstream(),
    read: readMessagesRequest,
    upstreamId: 'gpt-x',
    answers,
  });
  return new Anthropic({ apiKey: 'k', baseURL: server.url, maxRetries: 0 });
}

const ask: Anthropic.MessageCreateParamsNonStreaming = {
  model: 'm',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'hi' }],
};
const usage = {
  prompt_tokens: 50,
  completion_tokens: 9,
  total_tokens: 59,
  prompt_tokens_details: { cached_tokens: 40 },
  completion_tokens_details: { reasoning_tokens: 4 },
};
const counted = { choices: [], usage };

describe('the Anthropic client over a chat completions upstream', () => {
  test('collects text, with the counts that come last and cached tokens counted once', async () => {
    const client = serve({
      stream: chatFrames(
        delta({ role: 'assistant', content: '' }),
        delta({ content: 'Grüß ' }),
        delta({ content: 'dich 🦥' }),
        delta({}, 'stop'),
        counted,
        '[DONE]',
      ),
    });
    const message = await client.messages.stream(ask).finalMessage();
    expect(message.content).toEqual([expect.objectContaining({ type: 'text', text: 'Grüß dich 🦥' })]);
    expect(message).toMatchObject({ id: 'msg_1a', model: 'gpt-x', stop_reason: 'end_turn' });
    expect(message.usage).toMatchObject({
      input_tokens: 10,
      cache_read_input_tokens: 40,
      output_tokens: 9,
      output_tokens_details: { thinking_tokens: 4 },
    });
  });

  test('collects tool calls that arrive interleaved, one of them without arguments', async () => {
    const call = (index: number, fields: object) => delta({ tool_calls: [{ index, ...fields }] });
    const client = serve({
      stream: chatFrames(
        delta({ role: 'assistant', content: 'Wait.' }),
        call(0, { id: 'c0', type: 'function', function: { name: 'weather', arguments: '' } }),
        call(1, { id: 'c1', type: 'function', function: { name: 'now', arguments: '' } }),
        call(2, { id: 'c2', type: 'function', function: { name: 'weather', arguments: '{"city":' } }),
        call(0, { function: { arguments: '{"city":"Bo' } }),
        call(2, { function: { arguments: '"Rome"}' } }),
        call(0, { function: { arguments: 'nn"}' } }),
        delta({}, 'tool_calls'),
        counted,
        '[DONE]',
      ),
    });
    const inputs: unknown[] = [];
    const stream = client.messages.stream(ask).on('contentBlock', (block) => inputs.push(block));
    const message = await stream.finalMessage();
    expect(message.stop_reason).toBe('tool_use');
    expect(message.content).toMatchObject([
      { type: 'text', text: 'Wait.' },
      { type: 'tool_use', id: 'c0', name: 'weather', input: { city: 'Bonn' } },
      { type: 'tool_use', id: 'c1', name: 'now', input: {} },
      { type: 'tool_use', id: 'c2', name: 'weather', input: { city: 'Rome' } },
    ]);
    expect(inputs).toHaveLength(4);
  });

  test('thinks and uses a tool over two turns; the reasoning goes back to the upstream', async () => {
    const client = serve(
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
      {
        whole: JSON.stringify({
          id: 'x',
          model: 'gpt-x',
          choices: [{ message: { content: 'done' }, finish_reason: 'stop' }],
          usage,
        }),
      },
    );
    const tools: Anthropic.Tool[] = [{ name: 'look', input_schema: { type: 'object', properties: {} } }];
    const first = await client.messages.stream({ ...ask, tools }).finalMessage();
    expect(first.content).toMatchObject([
      { type: 'thinking', thinking: 'I must look.' },
      { type: 'tool_use', input: { at: 1 } },
    ]);
    const second = await client.messages.create({
      ...ask,
      tools,
      messages: [
        ...ask.messages,
        { role: 'assistant', content: first.content },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'c0', content: 'seen' },
            { type: 'text', text: 'go on' },
          ],
        },
      ],
    });
    expect(second.content).toMatchObject([{ type: 'text', text: 'done' }]);
    expect(server?.sent[1]?.['messages']).toEqual([
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'I must look.',
        tool_calls: [{ id: 'c0', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }],
      },
      { role: 'tool', tool_call_id: 'c0', content: 'seen' },
      { role: 'user', content: 'go on' },
    ]);
  });

  test.each([
    ['length', 'max_tokens'],
    ['content_filter', 'refusal'],
    ['stop', 'end_turn'],
  ])('sees the end %s as %s', async (finish, stopReason) => {
    const client = serve({ stream: chatFrames(delta({ content: 'x' }), delta({}, finish), '[DONE]') });
    const message = await client.messages.stream(ask).finalMessage();
    expect(message.stop_reason).toBe(stopReason as Anthropic.StopReason);
  });

  test('sees a refusal as text that ends in one', async () => {
    const client = serve({
      stream: chatFrames(delta({ refusal: 'I will not.' }), delta({}, 'stop'), '[DONE]'),
    });
    const message = await client.messages.stream(ask).finalMessage();
    expect(message).toMatchObject({
      content: [{ type: 'text', text: 'I will not.' }],
      stop_reason: 'refusal',
    });
  });

  test('parses structured output', async () => {
    const client = serve({
      whole: JSON.stringify({
        id: 'x',
        model: 'm',
        choices: [{ message: { content: '{"age":25}' }, finish_reason: 'stop' }],
        usage,
      }),
    });
    const schema = {
      type: 'object',
      properties: { age: { type: 'integer' } },
      required: ['age'],
      additionalProperties: false,
    };
    const message = await client.messages.create({
      ...ask,
      output_config: { format: { type: 'json_schema', schema } },
    });
    expect(message.content).toMatchObject([{ type: 'text', text: '{"age":25}' }]);
    expect(server?.sent[0]?.['response_format']).toEqual({
      type: 'json_schema',
      json_schema: { name: 'answer', schema, strict: true },
    });
  });
});
