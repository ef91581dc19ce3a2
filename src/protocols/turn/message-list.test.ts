import { describe, expect, test } from 'bun:test';
import type { ToolResultBlock } from './blocks.ts';
import { MessageList } from './message-list.ts';

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
