import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { endOfFrame, FrameSplitter, FrameTooLargeError, framesOf, readData, startOfFrame } from './sse.ts';

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
