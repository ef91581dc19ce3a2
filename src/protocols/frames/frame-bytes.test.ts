import { expect, test } from 'bun:test';
import { beginningOfName, findMember, framesOfEmpty, memberName } from './frame-bytes.ts';

test.each([
  ['{"a":1,"error":{}}', 7],
  ['{"error" : "x"}', 1],
  ['{"error":null,"error":  1}', 14],
  ['{"errors":1,"error_code":2,"error":3}', 27],
  ['{"error":null}', -1],
  ['{"errors":{}}', -1],
  ['{"a":"error"}', -1],
  ['{"a":"\\"error\\": 1, \\"error : 1, \\"error\\\\\\": 1"}', -1],
  ['{"error', -1],
  ['', -1],
])('a member of %s is found at %i, by its name or the beginning of that', (text, at) => {
  const block = Buffer.from(text);
  expect(findMember(block, memberName('error'), 0)).toBe(at);
  expect(findMember(block, beginningOfName('error'), 0)).toBe(at);
});

test('frames with nothing in them are looked for up to one that says something', () => {
  const silent = framesOfEmpty(memberName('delta'), memberName('role'));
  const [empty, filled] = ['{"delta":{"role":"a","content":""}}', '{"delta":{"content":"a"}}'];
  const found = (text: string) => silent.find(Buffer.from(text), 0);
  expect([found(empty), found(`{}${empty}${filled}`), found(filled + empty), found('{}')]).toEqual([
    9, 11, -1, -1,
  ]);
  expect([empty, filled, '{}'].map((frame) => silent.isSilent(Buffer.from(frame)))).toEqual([
    true,
    false,
    false,
  ]);
});
