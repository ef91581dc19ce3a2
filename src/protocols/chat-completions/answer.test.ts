import { describe, expect, test } from 'bun:test';
import { readChatAnswer } from './answer.ts';

const call = { type: 'function', function: { name: 'f', arguments: '{"a":1}' } };

function contentOf(message: object, id: string | undefined = 'a-1') {
  return (
    readChatAnswer({ id, choices: [{ message, finish_reason: 'tool_calls' }] }).choices[0]?.content ?? []
  );
}

const idsOf = (message: object, id?: string) =>
  contentOf(message, id).flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));

describe('calls without ids', () => {
  test('get one each, and keep those that they have', () => {
    const tool_calls = [call, { ...call, id: '' }, { ...call, id: 'mine' }];
    expect(idsOf({ tool_calls })).toEqual(['call_a-1_0_0', 'call_a-1_0_1', 'mine']);
  });

  test('get another one in each answer that has no id itself', () => {
    const message = { tool_calls: [call, call] };
    expect(new Set([...idsOf(message, ''), ...idsOf(message, '')]).size).toBe(4);
  });
});

test('what is encrypted signs the call with its id, and is thinking otherwise', () => {
  const encrypted = { type: 'reasoning.encrypted', data: 'zz', format: 'openai-responses-v1' };
  const message = {
    tool_calls: [{ ...call, id: 'c' }],
    reasoning_details: [
      { ...encrypted, id: 'rs_1' },
      { ...encrypted, data: 'yy', id: 'c', format: 'google-gemini-v1' },
    ],
  };
  expect(contentOf(message)).toMatchObject([
    { type: 'redacted_thinking', signature: { origin: 'openai', value: 'zz' } },
    { type: 'tool_use', id: 'c', signature: { origin: 'google', value: 'yy' } },
  ]);
});
