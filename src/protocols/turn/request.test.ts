import { describe, expect, test } from 'bun:test';
import { openaiDialect } from '../chat-completions/dialect.ts';
import { writeChatTurn } from '../chat-completions/write-request.ts';
import { writeConverseTurn } from '../converse/write-request.ts';
import { writeGoogleTurn } from '../google/write-request.ts';
import { writeMessagesTurn } from '../messages/write-request.ts';
import type { UpstreamModel } from '../protocol.ts';
import { writeResponsesTurn } from '../responses/write-request.ts';
import type { TurnRequest } from './request.ts';

const turn: TurnRequest = {
  system: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  tools: [],
  parallelToolUse: true,
  stopSequences: [],
  sampling: {},
  stream: false,
  vendor: {},
};

type Write = (turn: TurnRequest, model: UpstreamModel) => string;

const writers: readonly (readonly [string, Write, string])[] = [
  ['chat completions', (asked, model) => writeChatTurn(asked, model, openaiDialect), 'max_completion_tokens'],
  ['responses', writeResponsesTurn, 'max_output_tokens'],
  ['messages', writeMessagesTurn, 'max_tokens'],
  ['generateContent', writeGoogleTurn, 'generationConfig.maxOutputTokens'],
  ['Converse', (asked, model) => writeConverseTurn(asked, model), 'inferenceConfig.maxTokens'],
];

describe.each(writers)('the bound on the output of %s', (_name, write, place) => {
  const bound = (asked: number, most: number | undefined) =>
    expect(JSON.parse(write({ ...turn, maxOutputTokens: asked }, { id: 'm', maxOutputTokens: most })));

  test('is at most what the model can write', () => {
    bound(64_000, 8192).toHaveProperty(place, 8192);
  });

  test('is what was asked for where that is less, or nothing is known of the model', () => {
    bound(4000, 8192).toHaveProperty(place, 4000);
    bound(64_000, undefined).toHaveProperty(place, 64_000);
  });
});

test('a budget for thinking stays within the bound of the model', () => {
  const reasoning = { thinking: 'on', budgetTokens: 32_000 } as const;
  const model = { id: 'claude-sonnet-4-5', maxOutputTokens: 8192 };
  const written = JSON.parse(writeMessagesTurn({ ...turn, maxOutputTokens: 64_000, reasoning }, model));
  expect(written.max_tokens).toBe(8192);
  expect(written.thinking.budget_tokens).toBeLessThan(8192);
});
