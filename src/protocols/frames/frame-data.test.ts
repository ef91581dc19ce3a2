import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { framesOf, readData } from '../../base/sse.ts';
import { eachData } from './frame-data.ts';

function dataOf(block: string): string[] {
  const found: string[] = [];
  eachData(block, (data) => found.push(data));
  return found;
}

test('reads the data of each frame, whatever its line ends, fields and comments', () => {
  expect(dataOf('data: a\n\nevent: x\r\ndata:b\r\n\r\n: comment\n\nid: 1\n\ndata: c\ndata:  d\n\n')).toEqual([
    'a',
    'b',
    'c\n d',
  ]);
});

test('reads a last frame whose blank line never came', () => {
  expect(dataOf('data: a\n\ndata: b')).toEqual(['a', 'b']);
  expect(dataOf('')).toEqual([]);
});

test('agrees with reading the frames one by one', () => {
  const line = fc.constantFrom('data: a', 'data:b', 'data:', 'event: e', ': c', '', 'data', 'datax: y');
  const lineEnd = fc.constantFrom('\n', '\r\n');
  fc.assert(
    fc.property(fc.array(line), lineEnd, (lines, end) => {
      const block = `${[...lines, '', ''].join(end)}`;
      const expected = [...framesOf(Buffer.from(block))].map(readData).filter((data) => data !== null);
      expect(dataOf(block)).toEqual(expected);
    }),
  );
});
