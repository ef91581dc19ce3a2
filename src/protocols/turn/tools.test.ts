import { describe, expect, test } from 'bun:test';
import { makeCallId } from './tools.ts';

describe('the id of a call', () => {
  test('says where the call stands', () => {
    expect(makeCallId({ answerId: 'a-1', choice: 2, at: 3 })).toBe('call_a-1_2_3');
  });

  test('differs from answer to answer, also when answers have no id', () => {
    const ids = [1, 2, 3].map(() => makeCallId({ answerId: '', choice: 0, at: 0 }));
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^call_\w{1,35}$/);
  });

  test('is short, however long the id of the answer', () => {
    const ids = [0, 1].map((at) => makeCallId({ answerId: `answer-${'x'.repeat(90)}`, choice: 0, at }));
    for (const id of ids) expect(id).toHaveLength(40);
    expect(new Set(ids).size).toBe(2);
  });
});
