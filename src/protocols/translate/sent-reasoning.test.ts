import { expect, test } from 'bun:test';
import { readSentReasoning } from './sent-reasoning.ts';

const hides = (upstream: string, model: string, json: object, reasons = false) =>
  readSentReasoning({ upstream, model, json: { ...json }, reasons }).hides;

test.each([
  ['chat-completions', 'gpt-5.5', {}, 'much'],
  ['chat-completions', 'openai/gpt-5.5', { reasoning_effort: 'none' }, 'nothing'],
  ['chat-completions', 'gpt-5.2', {}, 'nothing'],
  ['chat-completions', 'gpt-5.2', { reasoning_effort: 'low' }, 'much'],
  ['chat-completions', 'gpt-4o', { reasoning_effort: 'low' }, 'nothing'],
  ['responses', 'o3', {}, 'much'],
  ['responses', 'gpt-5.2', { reasoning: { effort: 'high' } }, 'much'],
  ['native', 'gpt-5.2', { reasoning: { effort: 'none' } }, 'nothing'],
  ['messages', 'claude-3-5-sonnet-latest', {}, 'nothing'],
  ['messages', 'claude-sonnet-4-5', {}, 'nothing'],
  ['messages', 'claude-sonnet-4-5', { thinking: { type: 'enabled', budget_tokens: 2000 } }, 'much'],
  ['messages', 'claude-opus-4-8', { output_config: { effort: 'high' } }, 'nothing'],
  ['messages', 'claude-opus-4-8', { thinking: { type: 'adaptive' } }, 'much'],
  ['messages', 'claude-opus-5', {}, 'much'],
  ['messages', 'claude-opus-5', { thinking: { type: 'disabled' } }, 'nothing'],
  ['messages', 'claude-fable-5', {}, 'much'],
  [
    'converse',
    'anthropic.claude-opus-4-6-v1',
    { additionalModelRequestFields: { thinking: { type: 'adaptive' } } },
    'much',
  ],
  ['converse', 'anthropic.claude-opus-4-6-v1', {}, 'nothing'],
  ['google', 'gemini-3.1-pro', {}, 'much'],
  ['google', 'gemini-2.5-flash', { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } }, 'nothing'],
  ['google', 'gemini-2.5-flash-lite', {}, 'nothing'],
  [
    'google',
    'gemini-2.5-flash-lite',
    { generationConfig: { thinkingConfig: { thinkingBudget: -1 } } },
    'much',
  ],
  ['google', 'gemini-2.0-flash', {}, 'nothing'],
] as const)('over %s %s sent %j hides %s', (upstream, model, json, hidden) => {
  expect(hides(upstream, model, json)).toBe(hidden);
});

test.each([
  [{}, true, 'unless shown'],
  [{ enable_thinking: false }, true, 'nothing'],
  [{ reasoning: { enabled: false } }, true, 'nothing'],
  [{ reasoning_effort: 'high' }, false, 'nothing'],
] as const)(
  'a model that nobody knows, sent %j, by the word of the catalogue (%p)',
  (json, reasons, hidden) => {
    expect(hides('chat-completions', 'my-model', json, reasons)).toBe(hidden);
  },
);

test('Claude before 4 shows all of its thoughts', () => {
  expect(hides('messages', 'claude-3-7-sonnet-latest', { thinking: { type: 'enabled' } }, true)).toBe(
    'unless shown',
  );
});

test.each([
  ['messages', { thinking: { type: 'enabled', budget_tokens: 2000 } }, 2000],
  ['chat-completions', { reasoning: { max_tokens: 3000 } }, 3000],
  ['google', { generationConfig: { thinkingConfig: { thinkingBudget: 512 } } }, 512],
  ['google', { generationConfig: { thinkingConfig: { thinkingBudget: -1 } } }, null],
  ['responses', { reasoning: { effort: 'low' } }, null],
] as const)('over %s %j bounds the thoughts to %p', (upstream, json, budget) => {
  const sent = { upstream, model: 'my-model', json: { ...json }, reasons: true };
  expect(readSentReasoning(sent).budgetTokens).toBe(budget);
});
