import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { BrokenMessageError, type EventMessage, MessageSplitter } from './event-message.ts';
import { binaryMessage, textHeader, withChecksums } from './testing/binary-message.ts';

function split(pieces: Iterable<Uint8Array>): EventMessage[] {
  const splitter = new MessageSplitter();
  const messages: EventMessage[] = [];
  for (const piece of pieces) splitter.push(piece, messages);
  return messages;
}

const name = fc.stringMatching(/^:?[a-z][a-z-]{0,12}$/);
const message = fc.record({
  headers: fc.dictionary(name, fc.string({ unit: 'grapheme', maxLength: 12 }), { noNullPrototype: true }),
  payload: fc.string({ unit: 'grapheme', maxLength: 200 }),
});

describe('messages of a binary event stream', () => {
  test('come back as they were sent, wherever their bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 5 }), fc.array(fc.nat(90)), (sent, sizes) => {
        const bytes = Buffer.concat(sent.map(({ headers, payload }) => binaryMessage(headers, payload)));
        const pieces: Uint8Array[] = [];
        let at = 0;
        for (const size of sizes) {
          pieces.push(bytes.subarray(at, at + size));
          at += size;
        }
        const received = split([...pieces, bytes.subarray(at)]);
        expect(
          received.map(({ headers, payload }) => ({ headers: Object.fromEntries(headers), payload })),
        ).toEqual(sent);
      }),
      { numRuns: 200 },
    );
  });

  test('are read as the vendor’s own code writes them', () => {
    const written =
      '0000007a00000051ca2c46650b3a6576656e742d7479706507000b6d65737361676553746f700d3a636f6e74656e74' +
      '2d747970650700106170706c69636174696f6e2f6a736f6e0d3a6d6573736167652d747970650700056576656e747b' +
      '2273746f70526561736f6e223a22656e645f7475726e227d5fbf09fc';
    const [read] = split([Buffer.from(written, 'hex')]);
    expect(Object.fromEntries(read?.headers ?? [])).toEqual({
      ':event-type': 'messageStop',
      ':content-type': 'application/json',
      ':message-type': 'event',
    });
    expect(read?.payload).toBe('{"stopReason":"end_turn"}');
  });

  test('never come from bytes that were changed on the way', () => {
    const whole = binaryMessage({ ':event-type': 'metadata' }, '{"usage":{"inputTokens":1}}');
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = Buffer.from(whole);
        changed.writeUInt8(changed.readUInt8(at) ^ change, at);
        expect(() => split([changed])).toThrow(BrokenMessageError);
      }),
    );
  });

  test('have headers of every type, of which those in text are told', () => {
    const header = (type: number, bytes: number) =>
      Buffer.concat([Buffer.from([1, 0x61 + type, type]), Buffer.alloc(bytes)]);
    const sized = Buffer.concat([Buffer.from([1, 0x7a, 6, 0, 3]), Buffer.alloc(3)]);
    const fixed = [header(0, 0), header(1, 0), header(2, 1), header(3, 2), header(4, 4), header(5, 8)];
    const headers = Buffer.concat([
      ...fixed,
      sized,
      header(8, 8),
      header(9, 16),
      textHeader(':event-type', 'x'),
    ]);
    const [read] = split([withChecksums(headers, Buffer.from('{}'))]);
    expect([...(read?.headers ?? [])]).toEqual([[':event-type', 'x']]);
    expect(read?.payload).toBe('{}');
  });

  test('are refused when they are too long, before a byte of them is kept', () => {
    const prelude = withChecksums(Buffer.alloc(0), Buffer.alloc(16 * 1_048_576)).subarray(0, 12);
    expect(() => split([prelude])).toThrow('is more than');
  });

  test.each([
    ['a header beyond its place', Buffer.from([1, 0x61, 7, 0, 9, 1])],
    ['a header without its value', Buffer.from([1, 0x61, 4, 0])],
    ['a header of an unknown type', Buffer.from([1, 0x61, 42])],
  ])('are refused for %s', (_, headers) => {
    expect(() => split([withChecksums(headers, Buffer.alloc(4))])).toThrow(BrokenMessageError);
  });

  test('before a broken one are still told', () => {
    const good = binaryMessage({ ':event-type': 'a' }, '{}');
    const bad = Buffer.from(good);
    bad.writeUInt8(0, bad.length - 1);
    const messages: EventMessage[] = [];
    expect(() => new MessageSplitter().push(Buffer.concat([good, bad]), messages)).toThrow(
      BrokenMessageError,
    );
    expect(messages).toHaveLength(1);
  });
});
