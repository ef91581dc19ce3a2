import { afterEach, describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { chatClient } from '../chat-completions/protocol.ts';
import { readChatRequest } from '../chat-completions/request.ts';
import { messagesClient } from '../messages/protocol.ts';
import { readMessagesRequest } from '../messages/request.ts';
import { type ConvertedServer, serveConverted, type UpstreamAnswers } from '../testing/converted-server.ts';
import { converseFrame } from './frame.ts';
import { converseUpstream } from './protocol.ts';

let server: ConvertedServer | undefined;
afterEach(() => server?.stop());

const upstreamId = 'eu.anthropic.claude-opus-4-6-v1';

function anthropic(...answers: readonly UpstreamAnswers[]): Anthropic {
  const pair = { client: messagesClient, upstream: converseUpstream(), read: readMessagesRequest };
  server = serveConverted({ ...pair, upstreamId, answers });
  return new Anthropic({ apiKey: 'k', baseURL: server.url, maxRetries: 0 });
}

function openai(...answers: readonly UpstreamAnswers[]): OpenAI {
  const pair = { client: chatClient(), upstream: converseUpstream(), read: readChatRequest };
  server = serveConverted({ ...pair, upstreamId, answers });
  return new OpenAI({ apiKey: 'k', baseURL: `${server.url}/v1`, maxRetries: 0 });
}

function frames(...events: readonly (readonly [string, object])[]): string {
  return events.map(([name, payload]) => converseFrame(name, JSON.stringify(payload))).join('');
}

const started = [
  ['answerStart', { id: 'r-1', model: 'claude-x' }],
  ['messageStart', { role: 'assistant' }],
] as const;
const delta = (contentBlockIndex: number, change: object) =>
  ['contentBlockDelta', { contentBlockIndex, delta: change }] as const;
const closed = (contentBlockIndex: number) => ['contentBlockStop', { contentBlockIndex }] as const;
const tool = (contentBlockIndex: number, toolUseId: string, name: string) =>
  ['contentBlockStart', { contentBlockIndex, start: { toolUse: { toolUseId, name } } }] as const;
const usage = {
  inputTokens: 10,
  outputTokens: 9,
  totalTokens: 64,
  cacheReadInputTokens: 40,
  cacheWriteInputTokens: 5,
  cacheDetails: [{ ttl: '1h', inputTokens: 5 }],
};
const ended = (stopReason: string) =>
  [
    ['messageStop', { stopReason }],
    ['metadata', { usage, metrics: { latencyMs: 7 } }],
  ] as const;

const text = [delta(0, { text: 'Grüß ' }), delta(0, { text: 'dich 🦥' }), closed(0)] as const;
const thinking = [
  delta(0, { reasoningContent: { text: 'I must ' } }),
  delta(0, { reasoningContent: { text: 'look.' } }),
  delta(0, { reasoningContent: { signature: 'sig==' } }),
  closed(0),
] as const;
const twoTools = [
  tool(1, 't1', 'now'),
  closed(1),
  tool(2, 't2', 'weather'),
  delta(2, { toolUse: { input: '{"city":' } }),
  delta(2, { toolUse: { input: '"Bonn"}' } }),
  closed(2),
] as const;
const whole = (content: readonly object[], stopReason = 'end_turn') =>
  JSON.stringify({
    id: 'r-2',
    model: 'claude-x',
    output: { message: { role: 'assistant', content } },
    stopReason,
    usage,
  });

/** What a second turn brings back to the upstream. */
const broughtBack = [
  { role: 'user', content: [{ text: 'hi' }] },
  {
    role: 'assistant',
    content: [
      { reasoningContent: { reasoningText: { text: 'I must look.', signature: 'sig==' } } },
      { toolUse: { toolUseId: 't1', name: 'now', input: {} } },
      { toolUse: { toolUseId: 't2', name: 'weather', input: { city: 'Bonn' } } },
    ],
  },
  {
    role: 'user',
    content: [
      { toolResult: { toolUseId: 't1', content: [{ text: 'noon' }] } },
      { toolResult: { toolUseId: 't2', content: [{ text: 'rain' }] } },
    ],
  },
];

describe('the Anthropic client over a Converse upstream', () => {
  const ask = { model: 'm', max_tokens: 100, messages: [{ role: 'user' as const, content: 'hi' }] };

  test('collects text, with the counts that come last', async () => {
    const client = anthropic({ stream: frames(...started, ...text, ...ended('end_turn')) });
    const message = await client.messages.stream(ask).finalMessage();
    expect(message).toMatchObject({ id: 'msg_r-1', model: 'claude-x', stop_reason: 'end_turn' });
    expect(message.content).toMatchObject([{ type: 'text', text: 'Grüß dich 🦥' }]);
    expect(message.usage).toMatchObject({
      input_tokens: 10,
      cache_read_input_tokens: 40,
      cache_creation_input_tokens: 5,
      output_tokens: 9,
    });
  });

  test('thinks and uses two tools over two turns; the signature goes back to the upstream', async () => {
    const client = anthropic(
      { stream: frames(...started, ...thinking, ...twoTools, ...ended('tool_use')) },
      { whole: whole([{ text: 'done' }]) },
    );
    const tools = ['now', 'weather'].map((name) => ({ name, input_schema: { type: 'object' as const } }));
    const first = await client.messages.stream({ ...ask, tools }).finalMessage();
    expect(first.stop_reason).toBe('tool_use');
    const second = await client.messages.create({
      ...ask,
      tools,
      messages: [
        ...ask.messages,
        { role: 'assistant', content: first.content },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't1', content: 'noon' },
            { type: 'tool_result', tool_use_id: 't2', content: 'rain' },
          ],
        },
      ],
    });
    expect(second.content).toMatchObject([{ type: 'text', text: 'done' }]);
    expect(server?.sent[1]?.['messages']).toEqual(broughtBack);
  });

  test.each([
    ['max_tokens', 'max_tokens'],
    ['content_filtered', 'refusal'],
    ['model_context_window_exceeded', 'model_context_window_exceeded'],
  ])('sees the end %s as %s', async (stopReason, expected) => {
    const client = anthropic({ stream: frames(...started, ...text, ...ended(stopReason)) });
    expect(String((await client.messages.stream(ask).finalMessage()).stop_reason)).toBe(expected);
  });
});

describe('the OpenAI client over a Converse upstream', () => {
  const ask = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }] };

  test('collects text, with the cached tokens inside the prompt once', async () => {
    const client = openai({ stream: frames(...started, ...text, ...ended('end_turn')) });
    const stream = client.chat.completions.stream({ ...ask, stream_options: { include_usage: true } });
    const completion = await stream.finalChatCompletion();
    expect(completion).toMatchObject({ id: 'chatcmpl-r-1', model: 'claude-x' });
    expect(completion.choices[0]).toMatchObject({
      message: { content: 'Grüß dich 🦥' },
      finish_reason: 'stop',
    });
    expect(completion.usage).toMatchObject({ prompt_tokens: 55, completion_tokens: 9, total_tokens: 64 });
  });

  test('thinks and uses two tools over two turns; the signature goes back to the upstream', async () => {
    const client = openai(
      { stream: frames(...started, ...thinking, ...twoTools, ...ended('tool_use')) },
      { whole: whole([{ text: 'done' }]) },
    );
    const tools = ['now', 'weather'].map((name) => ({ type: 'function' as const, function: { name } }));
    const first = await client.chat.completions.stream({ ...ask, tools }).finalChatCompletion();
    const [choice] = first.choices;
    if (choice === undefined) throw new Error('there is no choice');
    expect(choice.finish_reason).toBe('tool_calls');
    const second = await client.chat.completions.create({
      ...ask,
      tools,
      messages: [
        ...ask.messages,
        choice.message,
        { role: 'tool', tool_call_id: 't1', content: 'noon' },
        { role: 'tool', tool_call_id: 't2', content: 'rain' },
      ],
    });
    expect(second.choices[0]?.message.content).toBe('done');
    expect(server?.sent[1]?.['messages']).toEqual(broughtBack);
  });

  test('reads a whole answer with thinking, text and a tool call', async () => {
    const content = [
      { reasoningContent: { reasoningText: { text: 'hm', signature: 's' } } },
      { text: 'Wait.' },
      { toolUse: { toolUseId: 't', name: 'now', input: {} } },
    ];
    const client = openai({ whole: whole(content, 'tool_use') });
    const completion = await client.chat.completions.create(ask);
    expect(completion.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: 'Wait.', tool_calls: [{ id: 't', function: { name: 'now', arguments: '{}' } }] },
    });
    expect(completion.usage).toMatchObject({ prompt_tokens: 55, total_tokens: 64 });
  });

  test('shows images in bytes', async () => {
    const client = openai({ whole: whole([{ text: 'a cat' }]) });
    const url = 'data:image/png;base64,AAAA';
    const content = [{ type: 'image_url' as const, image_url: { url } }];
    await client.chat.completions.create({ ...ask, messages: [{ role: 'user', content }] });
    expect(server?.sent[0]?.['messages']).toEqual([
      { role: 'user', content: [{ image: { format: 'png', source: { bytes: 'AAAA' } } }] },
    ]);
  });
});
