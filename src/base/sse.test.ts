import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  eachData,
  endOfFrame,
  FrameSplitter,
  FrameTooLargeError,
  framesOf,
  readData,
  startOfFrame,
} from './sse.ts';

const bytes = (text: string) => Buffer.from(text, 'utf8');

/** Everything the splitter lets through for these chunks, with the check that each block holds whole frames only. */
function pushAll(chunks: readonly Uint8Array[]): string {
  const splitter = new FrameSplitter(1_000_000);
  let out = '';
  for (const chunk of chunks) {
    const block = splitter.push(chunk).toString('utf8');
    if (block !== '') expect(block).toMatch(/\r?\n\r?\n$/);
    out += block;
  }
  return out + splitter.rest().toString('utf8');
}

const line = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n]/g, ' '));
const frame = fc
  .tuple(
    fc.array(
      line.map((text) => `data: ${text}`),
      { minLength: 1, maxLength: 3 },
    ),
    fc.constantFrom('\n', '\r\n'),
  )
  .map(([lines, end]) => `${lines.join(end)}${end}${end}`);

describe('FrameSplitter', () => {
  test('loses and invents nothing, wherever the chunks are cut', () => {
    fc.assert(
      fc.property(fc.array(frame), fc.array(fc.nat(2000)), (frames, cuts) => {
        const whole = bytes(frames.join(''));
        const points = [...new Set(cuts.map((cut) => cut % (whole.length + 1)))].sort((a, b) => a - b);
        const chunks = [0, ...points].map((from, index) =>
          whole.subarray(from, points[index] ?? whole.length),
        );
        expect(pushAll(chunks)).toBe(whole.toString('utf8'));
      }),
    );
  });

  test('a stream cut at every byte, one byte at a time', () => {
    const whole = bytes('data: {"text":"grüße 🌊"}\r\n\r\n: keep-alive\n\ndata: [DONE]\n\n');
    expect(pushAll([...whole].map((byte) => Uint8Array.of(byte)))).toBe(whole.toString('utf8'));
  });

  test('holds an unfinished frame back until it is whole', () => {
    const splitter = new FrameSplitter(100);
    expect(splitter.push(bytes('data: one\n\ndata: tw')).toString()).toBe('data: one\n\n');
    expect(splitter.push(bytes('o\n')).toString()).toBe('');
    expect(splitter.push(bytes('\n')).toString()).toBe('data: two\n\n');
  });

  test('refuses a frame that outgrows its bound', () => {
    expect(() => new FrameSplitter(10).push(bytes('data: much too long'))).toThrow(FrameTooLargeError);
    const splitter = new FrameSplitter(10);
    for (const byte of bytes('data: abcd')) splitter.push(Uint8Array.of(byte));
    expect(() => splitter.push(bytes('e'))).toThrow(FrameTooLargeError);
  });

  test('blocks stay as they were given out, whatever comes behind them', () => {
    const splitter = new FrameSplitter(1000);
    const texts = Array.from({ length: 50 }, (_, number) => `data: ${'x'.repeat(number)}\n\n`);
    const blocks = [...bytes(texts.join(''))]
      .map((byte) => splitter.push(Uint8Array.of(byte)))
      .filter((block) => block.length > 0);
    expect(blocks.map(String)).toEqual(texts);
  });

  test('knows all three line ends, wherever the chunks are cut', () => {
    const ends = fc.constantFrom('\n', '\r\n', '\r');
    const sizes = fc.infiniteStream(fc.integer({ min: 1, max: 9 }));
    fc.assert(
      fc.property(fc.array(fc.tuple(line, ends, ends)), sizes, (frames, cuts) => {
        const texts = frames.map(([text]) => `data: ${text}`);
        // A return and a line feed behind it would be one end instead of two.
        const apart = frames.map(([, end, last]) => (end === '\r' && last === '\n' ? '\r\r' : end + last));
        const whole = bytes(texts.map((text, at) => text + apart[at]).join(''));
        const splitter = new FrameSplitter(1_000_000);
        const found: (string | null)[] = [];
        for (let at = 0; at < whole.length; ) {
          const size: number = cuts.next().value;
          found.push(...[...framesOf(splitter.push(whole.subarray(at, at + size)))].map(readData));
          at += size;
        }
        const rest = readData(splitter.rest());
        expect(rest === null ? found : [...found, rest]).toEqual(texts.map((text) => text.slice(6)));
      }),
    );
  });

  test('tells a frame that ends in returns at once', () => {
    const splitter = new FrameSplitter(100);
    expect(splitter.push(bytes('data: a\r\r')).toString()).toBe('data: a\n\n');
    expect(splitter.push(bytes('\ndata: b\r')).toString()).toBe('');
    expect(splitter.push(bytes('\r')).toString()).toBe('data: b\n\n');
  });

  test('leaves out a byte order mark, in one piece or in three, and only at the beginning', () => {
    const marked = bytes('\uFEFFdata: \uFEFFa\n\n\uFEFFdata: b\n\n');
    const expected = 'data: \uFEFFa\n\n\uFEFFdata: b\n\n';
    expect(pushAll([marked])).toBe(expected);
    expect(pushAll([...marked].map((byte) => Uint8Array.of(byte)))).toBe(expected);
    const splitter = new FrameSplitter(100);
    splitter.push(bytes('\uFEFFdata: a'));
    expect(splitter.rest().toString()).toBe('data: a');
  });
});

describe('frames of a block', () => {
  test('framesOf, startOfFrame and endOfFrame agree on where frames begin and end', () => {
    fc.assert(
      fc.property(fc.array(frame, { minLength: 1 }), (frames) => {
        const block = bytes(frames.join(''));
        const found = [...framesOf(block)];
        expect(found.map((one) => one.toString('utf8'))).toEqual(frames);
        let at = 0;
        for (const one of found) {
          expect(startOfFrame(block, at + 3)).toBe(at);
          expect(endOfFrame(block, at + 3)).toBe(at + one.length);
          at += one.length;
        }
      }),
    );
  });

  test('readData joins data lines and passes over everything else', () => {
    expect(readData(bytes('event: x\ndata: {"a":1,\ndata:"b":2}\nid: 7\n\n'))).toBe('{"a":1,\n"b":2}');
    expect(readData(bytes(': OPENROUTER PROCESSING\n\n'))).toBeNull();
    expect(readData(bytes('data: [DONE]\r\n\r\n'))).toBe('[DONE]');
  });
});

describe('eachData', () => {
  function dataOf(block: string): string[] {
    const found: string[] = [];
    eachData(block, (data) => found.push(data));
    return found;
  }

  test('reads the data of each frame, whatever its line ends, fields and comments', () => {
    expect(
      dataOf('data: a\n\nevent: x\r\ndata:b\r\n\r\n: comment\n\nid: 1\n\ndata: c\ndata:  d\n\n'),
    ).toEqual(['a', 'b', 'c\n d']);
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
});
