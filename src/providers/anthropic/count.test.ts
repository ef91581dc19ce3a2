import { expect, test } from 'bun:test';
import { chatClient } from '../../protocols/chat-completions/protocol.ts';
import { readCountRequest } from '../../protocols/messages/request.ts';
import { messagesCount } from './count.ts';

/** What counts, by the names that the endpoint gives it. */
const input = {
  system: [{ type: 'text', text: 'Answer in rhymes.', cache_control: { type: 'ephemeral' } }],
  messages: [{ role: 'user', content: 'What is a sonnet?' }],
  tools: [{ name: 'rhyme', input_schema: { type: 'object' } }],
  tool_choice: { type: 'auto' },
  thinking: { type: 'adaptive' },
  output_config: { effort: 'high' },
  context_management: { edits: [] },
  mcp_servers: [],
};

test('a request that passed through keeps its input and loses how to answer', () => {
  const answering = {
    max_tokens: 10,
    stream: true,
    temperature: 1,
    top_p: 1,
    top_k: 1,
    stop_sequences: ['END'],
    metadata: { user_id: 'u' },
    service_tier: 'auto',
    inference_geo: 'eu',
    container: 'c',
    unknown: 1,
  };
  const request = readCountRequest(JSON.stringify({ model: 'auto', ...input, ...answering }));
  const chatBody = messagesCount.chat.passthrough?.writeRequest(request, 'claude-opus-5') ?? '';
  const asked: unknown = JSON.parse(messagesCount.writeRequest(chatBody, 'claude-opus-5'));
  expect(asked).toEqual({ model: 'claude-opus-5', ...input });
});

test('a request that was converted does too', () => {
  const turn = chatClient().readRequest({
    messages: [{ role: 'user', content: 'What is a sonnet?' }],
    max_completion_tokens: 10,
    temperature: 0.5,
    stop: 'END',
    stream: true,
  });
  const chatBody = messagesCount.chat.writeRequest(turn, { id: 'claude-sonnet-4-5' });
  expect(Object.keys(JSON.parse(chatBody))).toContain('max_tokens');
  const asked: unknown = JSON.parse(messagesCount.writeRequest(chatBody, 'claude-sonnet-4-5'));
  expect(Object.keys(Object(asked)).sort()).toEqual(['messages', 'model']);
});

test.each([
  [{ input_tokens: 31 }, 31],
  [{ input_tokens: 0, context_management: { original_input_tokens: 9 } }, 0],
  [{ input_tokens: null }, null],
  [{ type: 'error', error: { type: 'api_error' } }, null],
  [null, null],
])('of the answer %j the count is %p', (answer, tokens) => {
  expect(messagesCount.readCount(answer)).toBe(tokens);
});
