import { afterEach, describe, expect, test } from 'bun:test';
import OpenAI from 'openai';
import { chatClient } from '../chat-completions/protocol.ts';
import { readReasoningDetails } from '../chat-completions/reasoning-details.ts';
import { readChatRequest } from '../chat-completions/request.ts';
import { messagesUpstream } from '../messages/protocol.ts';
import { type ConvertedServer, serveConverted, type UpstreamAnswers } from '../testing/converted-server.ts';
import {
  blockDelta,
  blockStart,
  blockStop,
  messageDelta,
  messageStart,
  messageStop,
  messagesFrames,
} from '../testing/frames.ts';

let server: ConvertedServer | undefined;
afterEach(() => server?.stop());

function serve(...answers: readonly UpstreamAnswers[]): OpenAI {
  server = serveConverted({
    client: chatClient(),
    upstream: messagesUpstream,
    read: readChatRequest,
    upstreamId: 'claude-opus-4-6',
    answers,
  });
  return new OpenAI({ apiKey: 'k', baseURL: `${server.url}/v1`, maxRetries: 0 });
}

const ask = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }] };
const usage = {
  input_tokens: 10,
  cache_creation_input_tokens: 5,
  cache_read_input_tokens: 40,
  output_tokens: 9,
};
const thinking = [
  blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
  blockDelta(0, { type: 'thinking_delta', thinking: 'Let me ' }),
  blockDelta(0, { type: 'thinking_delta', thinking: 'see.' }),
  blockDelta(0, { type: 'signature_delta', signature: 'sig==' }),
  blockStop(0),
];

describe('the OpenAI client over a messages upstream', () => {
  test('collects text, with the cached tokens inside the prompt once', async () => {
    const client = serve({
      stream: messagesFrames(
        messageStart({ ...usage, output_tokens: 1 }),
        blockStart(0, { type: 'text', text: '' }),
        { type: 'ping' },
        blockDelta(0, { type: 'text_delta', text: 'Grüß ' }),
        blockDelta(0, { type: 'text_delta', text: 'dich 🦥' }),
        blockStop(0),
        messageDelta('end_turn', { output_tokens: 9 }),
        messageStop,
      ),
    });
    const stream = client.chat.completions.stream({ ...ask, stream_options: { include_usage: true } });
    const completion = await stream.finalChatCompletion();
    expect(completion).toMatchObject({ id: 'chatcmpl-1', model: 'claude-x', object: 'chat.completion' });
    expect(completion.choices[0]).toMatchObject({
      message: { role: 'assistant', content: 'Grüß dich 🦥' },
      finish_reason: 'stop',
    });
    expect(completion.usage).toMatchObject({
      prompt_tokens: 55,
      completion_tokens: 9,
      total_tokens: 64,
      prompt_tokens_details: { cached_tokens: 40, cache_write_tokens: 5 },
    });
  });

  test('gets no usage chunk that it did not ask for', async () => {
    const client = serve({
      stream: messagesFrames(
        messageStart(),
        blockStart(0, { type: 'text', text: 'a' }),
        blockStop(0),
        messageDelta('end_turn', usage),
        messageStop,
      ),
    });
    const stream = await client.chat.completions.create({ ...ask, stream: true });
    const choices: number[] = [];
    for await (const chunk of stream) choices.push(chunk.choices.length);
    expect(choices.every((count) => count === 1)).toBe(true);
  });

  test('collects tool calls with dense indexes behind thinking and text; no arguments are an empty object', async () => {
    const client = serve({
      stream: messagesFrames(
        messageStart(),
        ...thinking,
        blockStart(1, { type: 'text', text: '' }),
        blockDelta(1, { type: 'text_delta', text: 'Wait.' }),
        blockStop(1),
        blockStart(2, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
        blockDelta(2, { type: 'input_json_delta', partial_json: '{"q":1}' }),
        blockStop(2),
        blockStart(3, { type: 'tool_use', id: 't1', name: 'now', input: {} }),
        blockDelta(3, { type: 'input_json_delta', partial_json: '' }),
        blockStop(3),
        blockStart(4, { type: 'tool_use', id: 't2', name: 'weather', input: {} }),
        blockDelta(4, { type: 'input_json_delta', partial_json: '{"city":' }),
        blockDelta(4, { type: 'input_json_delta', partial_json: '"Bonn"}' }),
        blockStop(4),
        messageDelta('tool_use', usage),
        messageStop,
      ),
    });
    const completion = await client.chat.completions.stream(ask).finalChatCompletion();
    expect(completion.choices[0]?.finish_reason).toBe('tool_calls');
    expect(completion.choices[0]?.message.content).toBe('Wait.');
    expect(completion.choices[0]?.message.tool_calls).toMatchObject([
      { id: 't1', type: 'function', function: { name: 'now', arguments: '{}' } },
      { id: 't2', type: 'function', function: { name: 'weather', arguments: '{"city":"Bonn"}' } },
    ]);
  });

  test('brings thinking and its signature back on the second turn, also from a stream', async () => {
    const whole = {
      id: 'msg_2',
      type: 'message',
      role: 'assistant',
      model: 'claude-x',
      stop_reason: 'end_turn',
      content: [{ type: 'text', text: 'done' }],
      usage,
    };
    const client = serve(
      {
        stream: messagesFrames(
          messageStart(),
          ...thinking,
          blockStart(1, { type: 'redacted_thinking', data: 'opaque' }),
          blockStop(1),
          blockStart(2, { type: 'tool_use', id: 't1', name: 'look', input: {} }),
          blockDelta(2, { type: 'input_json_delta', partial_json: '{"at":1}' }),
          blockStop(2),
          messageDelta('tool_use', usage),
          messageStop,
        ),
      },
      { whole: JSON.stringify(whole) },
    );
    const tools = [{ type: 'function' as const, function: { name: 'look' } }];
    const reasoning_effort = 'high' as const;
    const first = await client.chat.completions
      .stream({ ...ask, tools, reasoning_effort })
      .finalChatCompletion();
    const [choice] = first.choices;
    if (choice === undefined) throw new Error('there is no choice');
    const second = await client.chat.completions.create({
      ...ask,
      tools,
      reasoning_effort,
      messages: [...ask.messages, choice.message, { role: 'tool', tool_call_id: 't1', content: 'seen' }],
    });
    expect(second.choices[0]?.message.content).toBe('done');
    expect(server?.sent[1]).toMatchObject({
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high' },
      messages: [
        { role: 'user', content: 'hi' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Let me see.', signature: 'sig==' },
            { type: 'redacted_thinking', data: 'opaque' },
            { type: 'tool_use', id: 't1', name: 'look', input: { at: 1 } },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'seen' }] },
      ],
    });
  });

  test('keeps all that is cited, with the words that rest on it', async () => {
    const cited = (index: number, said: string, url: string) => [
      blockStart(index, { type: 'text', text: '', citations: [] }),
      blockDelta(index, {
        type: 'citations_delta',
        citation: {
          type: 'web_search_result_location',
          url,
          title: said,
          cited_text: '',
          encrypted_index: 'x',
        },
      }),
      blockDelta(index, { type: 'text_delta', text: said }),
      blockStop(index),
    ];
    const client = serve({
      stream: messagesFrames(
        messageStart(),
        ...cited(0, 'Boats 🦥 pass. ', 'https://harbour.test/boats'),
        ...cited(1, 'Trains stop.', 'https://station.test'),
        ...[messageDelta('end_turn', usage), messageStop],
      ),
    });
    const completion = await client.chat.completions.stream(ask).finalChatCompletion();
    expect(completion.choices[0]?.message).toMatchObject({
      content: 'Boats 🦥 pass. Trains stop.',
      annotations: [
        { url_citation: { url: 'https://harbour.test/boats', start_index: 0, end_index: 14 } },
        { url_citation: { url: 'https://station.test', start_index: 14, end_index: 26 } },
      ],
    });
  });

  test('keeps every signature of an answer that thinks again, and no index has two', async () => {
    const client = serve({
      stream: messagesFrames(
        ...[messageStart(), ...thinking],
        ...[blockStart(1, { type: 'text', text: 'One.' }), blockStop(1)],
        ...[blockStart(2, { type: 'thinking', thinking: 'And?', signature: 'sig2' }), blockStop(2)],
        ...[blockStart(3, { type: 'redacted_thinking', data: 'zz' }), blockStop(3)],
        ...[blockStart(4, { type: 'text', text: 'Two.' }), blockStop(4)],
        ...[messageDelta('end_turn', usage), messageStop],
      ),
    });
    const details = [
      { type: 'reasoning.text', text: 'Let me see.', signature: 'sig==' },
      { type: 'reasoning.text', text: 'And?', signature: 'sig2' },
      { type: 'reasoning.encrypted', data: 'zz' },
    ];
    const told: { index: number }[] = [];
    const stream = client.chat.completions.stream(ask);
    stream.on('chunk', ({ choices: [choice] }) => {
      const pieces: unknown = Reflect.get(choice?.delta ?? {}, 'reasoning_details');
      if (Array.isArray(pieces)) told.push(...pieces);
    });
    const { message } = (await stream.finalChatCompletion()).choices[0] ?? {};
    expect(message).toMatchObject({ content: 'One.\n\nTwo.', reasoning_details: details });
    expect(told.map(({ index }) => index)).toEqual(told.map((_, at) => at));
    // So it comes back from clients that put all lists together.
    const again = readReasoningDetails(told, new Set()).thinking;
    expect(again).toEqual(readReasoningDetails(told.slice(0, 3), new Set()).thinking);
    expect(again).toHaveLength(3);
  });

  test.each([
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'stop'],
    ['refusal', 'content_filter'],
  ])('sees the end %s as %s', async (stopReason, finish) => {
    const client = serve({
      stream: messagesFrames(messageStart(), messageDelta(stopReason, usage), messageStop),
    });
    const completion = await client.chat.completions.stream(ask).finalChatCompletion();
    expect(String(completion.choices[0]?.finish_reason)).toBe(finish);
  });

  test('reads a whole answer with thinking, text and a tool call', async () => {
    const content = [
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'text', text: 'Wait.' },
      { type: 'tool_use', id: 't', name: 'now', input: {} },
    ];
    const client = serve({
      whole: JSON.stringify({
        id: 'msg',
        type: 'message',
        role: 'assistant',
        model: 'claude-x',
        content,
        stop_reason: 'tool_use',
        stop_sequence: null,
        usage,
      }),
    });
    const completion = await client.chat.completions.create(ask);
    expect(completion.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: 'Wait.',
        reasoning_content: 'hm',
        reasoning_details: [
          { type: 'reasoning.text', text: 'hm', signature: 's', format: 'anthropic-claude-v1' },
        ],
        tool_calls: [{ id: 't', function: { name: 'now', arguments: '{}' } }],
      },
    });
    expect(completion.usage).toMatchObject({ prompt_tokens: 55, total_tokens: 64 });
  });
});
