import { expect, test } from 'bun:test';
import { ownAnswerId } from './translate.ts';

test.each([
  ['msg_01AbC', 'msg_', 'msg_01AbC'],
  ['msg_01AbC', 'chatcmpl-', 'chatcmpl-01AbC'],
  ['chatcmpl-9x', 'resp_', 'resp_9x'],
  ['resp_0a_b', 'msg_', 'msg_0a_b'],
  ['gen-17-Q', 'msg_', 'msg_17-Q'],
  ['0199-aa/b c', 'resp_', 'resp_0199-aa_b_c'],
  ['x'.repeat(999), 'msg_', `msg_${'x'.repeat(48)}`],
])('%s is %s… for its client', (upstreamId, prefix, own) => {
  expect(ownAnswerId(upstreamId, prefix)).toBe(own);
  expect(ownAnswerId(upstreamId, prefix)).toBe(own);
});

test('a number that many answers have is told apart', () => {
  const made = [ownAnswerId('chatcmpl-42', 'resp_'), ownAnswerId('chatcmpl-42', 'resp_')];
  expect(made[0]).toMatch(/^resp_42_[\da-f]{32}$/);
  expect(made[0]).not.toBe(made[1]);
});

test('without one it is made up, another each time', () => {
  const made = [ownAnswerId('', 'msg_'), ownAnswerId('', 'msg_')];
  expect(made[0]).toMatch(/^msg_[\da-f]{32}$/);
  expect(made[0]).not.toBe(made[1]);
});
