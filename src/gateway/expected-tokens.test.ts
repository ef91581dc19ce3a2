import { expect, test } from 'bun:test';
import { expectedChatTokens } from './expected-tokens.ts';

const model = { maxOutputTokens: 16_384 };
const expected = (json: object, protocol = 'chat-completions') => {
  const text = JSON.stringify(json);
  return expectedChatTokens(protocol)({ text, json: JSON.parse(text) }, model);
};

test.each([
  ['chat-completions', { max_tokens: 300 }, 300],
  ['chat-completions', { max_tokens: 100, max_completion_tokens: 300 }, 300],
  ['chat-completions', { max_tokens: 300, max_completion_tokens: 0 }, 300],
  ['chat-completions', { max_tokens: 300, n: 3 }, 900],
  ['chat-completions', { max_tokens: 300, generationConfig: { candidateCount: 3 } }, 300],
  ['chat-completions', {}, 2048],
  ['chat-completions', { max_tokens: null }, 2048],
  ['chat-completions', { max_tokens: 1_000_000 }, 16_384],
  ['messages', { max_tokens: 300, max_completion_tokens: 0 }, 300],
  ['responses', { max_output_tokens: 300, max_completion_tokens: 0 }, 300],
  ['responses', { max_tokens: 0 }, 2048],
  ['native', { max_output_tokens: 300 }, 300],
  ['google', { generationConfig: { maxOutputTokens: 300 } }, 300],
  ['google', { generation_config: { max_output_tokens: 300, candidateCount: 2 }, n: 1 }, 600],
])('of %s %j the output is at most %d', (protocol, json, output) => {
  expect(expected(json, protocol)).toBeWithin(output, output + 40);
});

test('a model that says no bound has that of the request', () => {
  expect(
    expectedChatTokens('messages')({ text: '', json: { max_tokens: 70_000 } }, { maxOutputTokens: null }),
  ).toBe(70_000);
});

test('the input is guessed by its letters, without the files in it', () => {
  const url = `data:image/png;base64,${'iVBORw0KGgoAAAANSUhEUgAA'.repeat(20_000)}`;
  expect(expected({ max_tokens: 0, messages: [{ content: 'tide '.repeat(4000) }] })).toBeWithin(3500, 5500);
  expect(expected({ max_tokens: 0, messages: [{ content: [{ image_url: { url } }] }] })).toBeLessThan(4000);
});
