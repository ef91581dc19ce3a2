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

/** Refusing what is nested so deep takes seconds on a busy machine. */
const nested = `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
const call = {
  tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: nested } }],
};
const broken = { message: 'The provider sent a piece of its answer that cannot be read.' };

test('a call that cannot be written is the fault of the upstream, and nothing behind it reaches the client', () => {
  const late = openStream();
  expect(late.push({ content: 'a' })).toContain('"a"');
  late.push(call);
  late.stream.end();
  expect(late.stream).toMatchObject({ hasContent: true, complaint: broken });
  expect(late.push({ content: 'b' })).toBe('');
}, 60_000);

test('another provider may be asked where a call that came in one block cannot be written', () => {
  const { stream, push } = openStream();
  push(call, { content: 'a' });
  expect(stream).toMatchObject({ hasContent: false, complaint: broken });
}, 60_000);
