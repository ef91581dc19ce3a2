import { afterEach, describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { chatClient } from '../chat-completions/protocol.ts';
import { readChatRequest } from '../chat-completions/request.ts';
import { messagesClient } from '../messages/protocol.ts';
import { readMessagesRequest } from '../messages/request.ts';
import { type ConvertedServer, serveConverted, type UpstreamAnswers } from '../testing/converted-server.ts';
import { responsesUpstream } from './protocol.ts';
import {
  added,
  call,
  completed,
  created,
  done,
  message,
  responsesFrames,
  textDelta,
  whole,
} from './testing/frames.ts';

let server: ConvertedServer | undefined;
afterEach(() => server?.stop());

const reasoning = {
  type: 'reasoning',
  id: 'rs_1',
  summary: [{ type: 'summary_text', text: 'I must look.' }],
  encrypted_content: 'enc==',
};
const thoughtful: UpstreamAnswers = {
  stream: responsesFrames(
    created,
    added(0, { ...reasoning, summary: [], encrypted_content: 'half' }),
    { type: 'response.reasoning_summary_part.added', output_index: 0, summary_index: 0 },
    { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'I must ' },
    { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'look.' },
    done(0, reasoning),
    added(1, { ...message(), content: [] }),
    textDelta(1, 'Wait.'),
    done(1, message('Wait.')),
    added(2, call('c0', 'look', '')),
    { type: 'response.function_call_arguments.delta', output_index: 2, delta: '{"at":1}' },
    done(2, call('c0', 'look', '{"at":1}')),
    completed([reasoning, message('Wait.'), call('c0', 'look', '{"at":1}')]),
  ),
};
const last: UpstreamAnswers = { whole: JSON.stringify(whole([message('done')])) };

/** What the upstream must get on the second turn, whichever client brings it. */
const secondInput = [
  { role: 'user', content: 'hi' },
  {
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: 'I must look.' }],
    encrypted_content: 'enc==',
  },
  {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Wait.', annotations: [] }],
  },
  { type: 'function_call', call_id: 'c0', name: 'look', arguments: '{"at":1}' },
  { type: 'function_call_output', call_id: 'c0', output: 'seen' },
];

describe('the OpenAI client with chat completions', () => {
  function serve(...answers: readonly UpstreamAnswers[]): OpenAI {
    server = serveConverted({
      client: chatClient(),
      upstream: responsesUpstream,
      read: readChatRequest,
      upstreamId: 'gpt-5',
      answers,
    });
    return new OpenAI({ apiKey: 'k', baseURL: `${server.url}/v1`, maxRetries: 0 });
  }
  const ask = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }] };

  test('thinks and uses a tool over two turns; the encrypted thinking comes back', async () => {
    const client = serve(thoughtful, last);
    const tools = [{ type: 'function' as const, function: { name: 'look' } }];
    const first = await client.chat.completions
      .stream({ ...ask, tools, stream_options: { include_usage: true } })
      .finalChatCompletion();
    const [choice] = first.choices;
    if (choice === undefined) throw new Error('there is no choice');
    expect(choice).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: 'Wait.', reasoning_details: [{ text: 'I must look.', signature: 'enc==' }] },
    });
    expect(first.usage).toMatchObject({ prompt_tokens: 50, completion_tokens: 9, total_tokens: 59 });
    const second = await client.chat.completions.create({
      ...ask,
      tools,
      messages: [...ask.messages, choice.message, { role: 'tool', tool_call_id: 'c0', content: 'seen' }],
    });
    expect(second.choices[0]?.message.content).toBe('done');
    expect(server?.sent[1]).toEqual({
      model: 'gpt-5',
      input: secondInput,
      tools: [
        { type: 'function', name: 'look', parameters: { type: 'object', properties: {} }, strict: false },
      ],
      include: ['reasoning.encrypted_content'],
      store: false,
    });
  });

  test('sees what was cut as such', async () => {
    const cut = whole([message('Once')], {
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    });
    const client = serve({ whole: JSON.stringify(cut) });
    const completion = await client.chat.completions.create(ask);
    expect(completion.choices[0]).toMatchObject({ finish_reason: 'length', message: { content: 'Once' } });
  });
});

describe('the Anthropic client', () => {
  function serve(...answers: readonly UpstreamAnswers[]): Anthropic {
    server = serveConverted({
      client: messagesClient,
      upstream: responsesUpstream,
      read: readMessagesRequest,
      upstreamId: 'gpt-5',
      answers,
    });
    return new Anthropic({ apiKey: 'k', baseURL: server.url, maxRetries: 0 });
  }
  const ask: Anthropic.MessageCreateParamsNonStreaming = {
    model: 'm',
    max_tokens: 2000,
    thinking: { type: 'adaptive' },
    messages: [{ role: 'user', content: 'hi' }],
  };

  test('thinks and uses a tool over two turns; the encrypted thinking comes back', async () => {
    const client = serve(thoughtful, last);
    const tools: Anthropic.Tool[] = [{ name: 'look', input_schema: { type: 'object', properties: {} } }];
    const first = await client.messages.stream({ ...ask, tools }).finalMessage();
    expect(first.content).toMatchObject([
      { type: 'thinking', thinking: 'I must look.', signature: 'sluice:openai:enc==' },
      { type: 'text', text: 'Wait.' },
      { type: 'tool_use', id: 'c0', name: 'look', input: { at: 1 } },
    ]);
    expect(first.usage).toMatchObject({ input_tokens: 10, cache_read_input_tokens: 40, output_tokens: 9 });
    const second = await client.messages.create({
      ...ask,
      tools,
      messages: [
        ...ask.messages,
        { role: 'assistant', content: first.content },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c0', content: 'seen' }] },
      ],
    });
    expect(second.content).toMatchObject([{ type: 'text', text: 'done' }]);
    expect(server?.sent[1]).toMatchObject({
      input: secondInput,
      max_output_tokens: 2000,
      reasoning: { summary: 'auto' },
      include: ['reasoning.encrypted_content'],
      store: false,
    });
  });

  test('sees a refusal as text that ends in one', async () => {
    const refused = { ...message(), content: [{ type: 'refusal', refusal: 'I will not.' }] };
    const client = serve({ whole: JSON.stringify(whole([refused])) });
    expect(await client.messages.create(ask)).toMatchObject({
      content: [{ type: 'text', text: 'I will not.' }],
      stop_reason: 'refusal',
    });
  });
});
