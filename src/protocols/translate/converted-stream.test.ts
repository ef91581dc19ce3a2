import { expect, test } from 'bun:test';
import { chatFrames, delta } from '../testing/frames.ts';
import { streamPairs } from '../testing/stream-pairs.ts';

const googleOverChat = new Map(streamPairs).get('google over chat-completions');

function openStream() {
  const stream = googleOverChat?.open();
  if (stream === undefined) throw new Error('the pair is missing');
  const push = (...deltas: readonly object[]) =>
    Buffer.from(stream.push(Buffer.from(chatFrames(...deltas.map((one) => delta(one)))))).toString('utf8');
  return { stream, push };
}

/** Deeper than any JSON that is read here. */
const nested = `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
const call = {
  tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: nested } }],
};

test('a call whose arguments are nested too deep to be an object keeps them as text', () => {
  const { stream, push } = openStream();
  expect(push({ content: 'a' })).toContain('"a"');
  const told = push(call) + Buffer.from(stream.end()).toString('utf8');
  expect(told).toContain(JSON.stringify({ INVALID_JSON: nested }));
  expect(stream.complaint).toBeNull();
});
