import { expect, test } from 'bun:test';
import { type Effort, efforts } from '../turn/request.ts';
import { maxTokensFields, openaiDialect } from './dialect.ts';
import { doesReason, fitEffort, takesPenalties, takesSampling } from './models.ts';

const known = (id: string): readonly Effort[] => efforts.filter((effort) => fitEffort(id, effort) === effort);

test.each<[string, readonly Effort[]]>([
  ['o3', ['low', 'medium', 'high']],
  ['o4-mini-2025-04-16', ['low', 'medium', 'high']],
  ['gpt-5', ['minimal', 'low', 'medium', 'high']],
  ['openai/gpt-5-mini', ['minimal', 'low', 'medium', 'high']],
  ['gpt-5-2025-08-07', ['minimal', 'low', 'medium', 'high']],
  ['gpt-5-codex', ['low', 'medium', 'high']],
  ['gpt-5-pro', ['high']],
  ['gpt-5.1', ['none', 'low', 'medium', 'high']],
  ['gpt-5.1-2025-11-13', ['none', 'low', 'medium', 'high']],
  ['gpt-5.1-codex', ['low', 'medium', 'high']],
  ['gpt-5.1-codex-mini', ['low', 'medium', 'high']],
  ['gpt-5.1-codex-max', ['low', 'medium', 'high', 'xhigh']],
  ['gpt-5.1-chat-latest', ['medium']],
  ['gpt-5.2', ['none', 'low', 'medium', 'high', 'xhigh']],
  ['gpt-5.2-codex', ['low', 'medium', 'high', 'xhigh']],
  ['gpt-5.2-pro-2025-12-11', ['medium', 'high', 'xhigh']],
  ['gpt-5.4-nano', ['none', 'low', 'medium', 'high', 'xhigh']],
  ['gpt-5.6-sol', ['none', 'low', 'medium', 'high', 'xhigh', 'max']],
  ['gpt-6-luna', ['none', 'low', 'medium', 'high', 'xhigh', 'max']],
  ['gpt-oss-120b', efforts],
  ['llama-4', efforts],
])('%s knows the efforts %j', (id, expected) => {
  expect(known(id)).toEqual(expected);
});

test.each<[string, Effort, Effort]>([
  ['gpt-5', 'none', 'minimal'],
  ['gpt-5', 'max', 'high'],
  ['gpt-5.1', 'minimal', 'none'],
  ['gpt-5.1', 'xhigh', 'high'],
  ['gpt-5.1-codex', 'none', 'low'],
  ['gpt-5.5', 'max', 'xhigh'],
  ['gpt-5-pro', 'low', 'high'],
])('the nearest that %s has to %s is %s', (id, asked, nearest) => {
  expect(fitEffort(id, asked)).toBe(nearest);
});

test.each<[string, Effort | undefined, boolean]>([
  ['o3', undefined, false],
  ['gpt-5', undefined, false],
  ['gpt-5-codex', undefined, false],
  ['gpt-5.1-codex-max', undefined, false],
  ['gpt-5.2-pro', undefined, false],
  ['gpt-5.1', undefined, true],
  ['gpt-5.1', 'none', true],
  ['gpt-5.1', 'low', false],
  ['gpt-5.4-mini', undefined, true],
  ['gpt-5.5', undefined, false],
  ['gpt-5.5', 'none', true],
  ['gpt-5-chat-latest', undefined, true],
  ['gpt-5.2-chat-latest', undefined, false],
  ['gpt-4o', undefined, true],
  ['gpt-35-turbo', undefined, true],
  ['gpt-oss-20b', 'high', true],
  ['mistral-large', undefined, true],
])('%s with the effort %s takes sampling: %p', (id, effort, takes) => {
  expect(takesSampling(id, effort)).toBe(takes);
});

test('penalties are for models that cannot reason', () => {
  expect(takesPenalties('gpt-4o')).toBe(true);
  expect(takesPenalties('gpt-5.1')).toBe(false);
  expect(takesPenalties('o3-mini')).toBe(false);
});

test.each([
  ['gpt-4o', true],
  ['azure/gpt-4.1', true],
  ['gpt-35-turbo', true],
  ['chatgpt-4o-latest', true],
  ['gpt-5-chat-latest', true],
  ['gpt-5', false],
  ['gpt-oss-20b', false],
  ['deepseek-chat', false],
])('%s does not think at all: %p', (id, isPlain) => {
  expect(doesReason({ id })).toBe(!isPlain);
});

test('what the catalogue says of a model goes before what its id says', () => {
  expect(doesReason({ id: 'gpt-4o', reasons: true })).toBe(true);
  expect(doesReason({ id: 'gpt-5', reasons: false })).toBe(false);
});

test.each([
  ['gpt-4o', false],
  ['gpt-35-turbo', false],
  ['o3-mini', true],
  ['openai/gpt-5', true],
  ['gpt-5-chat-latest', true],
  ['gpt-5.1-codex-max', true],
  ['gpt-oss-120b', false],
])('%s refuses max_tokens: %p', (id, refuses) => {
  expect(maxTokensFields(id, openaiDialect).includes('max_tokens')).toBe(!refuses);
});
