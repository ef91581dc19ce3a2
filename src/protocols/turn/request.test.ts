import { describe, expect, test } from 'bun:test';
import { openaiDialect } from '../chat-completions/dialect.ts';
import { writeChatTurn } from '../chat-completions/write-request.ts';
import { writeConverseTurn } from '../converse/write-request.ts';
import { writeGoogleTurn } from '../google/write-request.ts';
import { writeMessagesTurn } from '../messages/write-request.ts';
import type { UpstreamModel } from '../protocol.ts';
import { writeResponsesTurn } from '../responses/write-request.ts';
import type { ToolResultBlock } from './blocks.ts';
import { MessageList, type TurnRequest } from './request.ts';

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

const text = (said: string) => ({ type: 'text', text: said }) as const;
const result = (toolUseId: string): ToolResultBlock => ({
  type: 'tool_result',
  toolUseId,
  content: [],
  isError: false,
});

describe('messages that are collected', () => {
  test('of one role become one, and empty ones none', () => {
    const list = new MessageList();
    list.system([text('a')]);
    list.system([text('b')]);
    list.user([text('c')]);
    list.assistant([]);
    list.user([text('d')]);
    list.assistant([text('e')]);
    list.assistant([text('f')]);
    expect(list.messages).toEqual([
      { role: 'system', content: [text('a'), text('b')] },
      { role: 'user', content: [text('c'), text('d')] },
      { role: 'assistant', content: [text('e'), text('f')] },
    ]);
  });

  test('have results in front, in the order in which they came', () => {
    const list = new MessageList();
    list.user([text('a'), result('1')]);
    list.user([result('2'), text('b')]);
    expect(list.messages).toEqual([
      { role: 'user', content: [result('1'), result('2'), text('a'), text('b')] },
    ]);
  });

  test('leave the lists that they came in as they were', () => {
    const list = new MessageList();
    const first = [text('a')];
    list.user(first);
    list.user([text('b')]);
    expect(first).toEqual([text('a')]);
  });

  test('may be a hundred thousand neighbours of one role', () => {
    const list = new MessageList();
    for (let count = 0; count < 100_000; count += 1) list.user([text('a')]);
    expect(list.messages[0]?.content).toHaveLength(100_000);
  });
});
