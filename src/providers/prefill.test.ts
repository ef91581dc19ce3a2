import { expect, test } from 'bun:test';
import { prefillOf, withPrefillMarks } from './prefill.ts';

const asked = { kind: 'openai', baseUrl: null, protocol: 'chat-completions', model: 'm' };

test.each([
  ['a model that nobody knows', asked, null],
  ['Mistral', { ...asked, kind: 'mistral' }, { prefix: true }],
  ['DeepSeek', { ...asked, kind: 'deepseek' }, null],
  [
    'DeepSeek where it takes one',
    { ...asked, kind: 'deepseek', baseUrl: 'https://api.deepseek.com/beta' },
    { prefix: true },
  ],
  ['Qwen', { ...asked, kind: 'alibaba', model: 'qwen-plus' }, { partial: true }],
  ['another model there', { ...asked, kind: 'alibaba', model: 'glm-5' }, null],
  [
    'Claude 4.5',
    { ...asked, kind: 'anthropic', protocol: 'messages', model: 'claude-sonnet-4-5-20250929' },
    {},
  ],
  ['Claude 4.6', { ...asked, kind: 'anthropic', protocol: 'messages', model: 'claude-opus-4-6' }, null],
  ['another model in Claude’s protocol', { ...asked, protocol: 'messages', model: 'minimax-m2' }, null],
  [
    'Claude on Bedrock',
    { ...asked, protocol: 'converse', model: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0' },
    {},
  ],
  ['Responses', { ...asked, protocol: 'responses', kind: 'mistral' }, null],
])('%s', (_name, one, message) => {
  expect(prefillOf(one)?.message ?? null).toEqual(message);
});

test('marks stand in the last message alone, and what is beside keeps its bytes', () => {
  const body =
    '{"seed":12345678901234567890,"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}';
  const marked = withPrefillMarks(body, { message: { partial: true }, body: { enable_thinking: false } });
  expect(marked).toContain('12345678901234567890');
  expect(JSON.parse(marked)).toMatchObject({
    enable_thinking: false,
    messages: [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b', partial: true },
    ],
  });
  expect(JSON.parse(marked).messages[0]).not.toHaveProperty('partial');
});
