import { expect, test } from 'bun:test';
import { FrameSplitter } from '../../base/sse.ts';
import { closingBlock } from './closing-block.ts';

function closingOf(text: string): string {
  const splitter = new FrameSplitter(1000);
  splitter.push(Buffer.from(text));
  return closingBlock(splitter).toString('utf8');
}

test('a last frame without its blank line is whole when its data is', () => {
  expect(closingOf('data: {"a":1}')).toBe('data: {"a":1}\n\n');
  expect(closingOf('data: 1\n\nevent: x\r\ndata: {"a":\r\ndata: 1}\r\n')).toBe(
    'event: x\r\ndata: {"a":\r\ndata: 1}\r\n\n\n',
  );
  expect(closingOf('data: [DONE]')).toBe('data: [DONE]\n\n');
});

test.each([
  '',
  'data: {"a":1}\n\n',
  'data: {"a":{"b":1}',
  'data: [DON',
  'data:',
  'event: x\nda',
  ': comment',
])('what is left of %j is nothing', (text) => {
  expect(closingOf(text)).toBe('');
});
