import { describe, expect, spyOn, test } from 'bun:test';
import fc from 'fast-check';
import type { AnswerHead } from './answer-head.ts';
import { AnswerReader } from './answer-reader.ts';
import { AnswerError } from './errors.ts';

interface Read {
  heads: AnswerHead[];
  body: string;
  ends: number;
  pieces: number;
}

/** What is read of bytes that come in these pieces. */
function read(pieces: readonly (string | Uint8Array)[], isClosed = false): Read & { reader: AnswerReader } {
  const found: Read = { heads: [], body: '', ends: 0, pieces: 0 };
  const reader = new AnswerReader({
    head: (head) => found.heads.push(head),
    piece: (bytes) => {
      found.body += bytes.toString('latin1');
      found.pieces += 1;
    },
    end: () => {
      found.ends += 1;
    },
  });
  for (const piece of pieces) reader.push(Buffer.from(piece as string, 'latin1'));
  if (isClosed) reader.close();
  return { ...found, reader };
}

const codeOf = (pieces: readonly string[], isClosed = false): string => {
  try {
    read(pieces, isClosed);
    return 'read';
  } catch (error) {
    return error instanceof AnswerError ? error.code : String(error);
  }
};

describe('an answer ends', () => {
  test.each([
    ['where its length says', 'content-length: 5\r\n\r\nhello', true],
    [
      'where a length that is told twice alike says',
      'content-length: 5, 5\r\nContent-Length: 5\r\n\r\nhello',
      true,
    ],
    [
      'behind its last chunk',
      'transfer-encoding: chunked\r\n\r\n2\r\nhe\r\n3;a="b"\r\nllo\r\n0\r\n\r\n',
      true,
    ],
    [
      'behind chunks whose lengths have zeros before them, and extensions behind blanks',
      'transfer-encoding: chunked\r\n\r\n00000000000000005 \t;a\r\nhello\r\n000 \r\n\r\n',
      true,
    ],
    ['where a length with zeros before it says', 'content-length: 0000000000000000005\r\n\r\nhello', true],
    ['behind the trailer', 'Transfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n0\r\nx-sum: 7\r\n\r\n', true],
    [
      'where chunks end, whatever length is told too',
      'content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
      false,
    ],
    ['with lines that end in a line feed alone', 'content-length: 5\n\nhello', true],
    [
      'behind its last chunk, on a connection that closes',
      'connection: close\r\nconnection: keep-alive\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
      false,
    ],
    [
      'where its length says, on a connection that closes',
      'content-length: 5\r\nconnection: close\r\n\r\nhello',
      false,
    ],
  ])('%s', (_, rest, isKept) => {
    const lineEnd = rest.includes('\r') ? '\r\n' : '\n';
    const { body, ends, heads, reader } = read([`HTTP/1.1 200 OK${lineEnd}${rest}`]);
    expect([body, ends, heads[0]?.status, reader.idleSeconds > 0]).toEqual(['hello', 1, 200, isKept]);
  });

  test('with the connection, where it tells of no end', () => {
    const { body, ends, reader } = read(['HTTP/1.0 200 OK\r\n\r\nhel', 'lo'], true);
    expect([body, ends, reader.idleSeconds]).toEqual(['hello', 1, 0]);
  });

  test.each([
    [204, 'content-length: 0', true],
    // Whoever tells of a body may send it.
    [204, 'content-length: 5', false],
    [204, 'transfer-encoding: chunked', false],
    [304, 'content-length: 5', true],
    [304, 'transfer-encoding: chunked', false],
  ])('at its head, with status %d and %s', (status, field, isKept) => {
    const { body, ends, reader } = read([`HTTP/1.1 ${status} X\r\n${field}\r\n\r\n`]);
    expect([body, ends, reader.idleSeconds > 0]).toEqual(['', 1, isKept]);
  });

  test('and its connection is not used again when more comes than was asked for', () => {
    const { body, ends, reader } = read([
      'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nheHTTP/1.1 200 OK\r\n',
    ]);
    expect([body, ends, reader.idleSeconds]).toEqual(['he', 1, 0]);
  });

  test('behind others that only tell that it is still to come', () => {
    const { heads, body } = read([
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok',
    ]);
    expect(heads.map(({ status }) => status)).toEqual([200]);
    expect(body).toBe('ok');
  });
});

test('chunks that came in one piece are one piece of the body', () => {
  const chunks = Array.from({ length: 50 }, () => '3\r\nabc\r\n').join('');
  const { pieces, body } = read([
    `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunks}`,
    `${chunks}0\r\n\r\n`,
  ]);
  expect(pieces).toBe(2);
  expect(body).toBe('abc'.repeat(100));
});

test('fields are found by their names in any case, joined where there are several, with what stands around a value taken off', () => {
  const [head] = read([
    'HTTP/1.1 200 \r\nX-A:  b c \r\nx-a:\r\nSet-Cookie: \xe9\ncontent-length: 0\r\n\r\n',
  ]).heads;
  const names = ['X-a', 'set-cookie', 'Content-Length', 'content', 'x', 'HTTP/1.1 200'];
  expect(names.map((name) => head?.fields.get(name))).toEqual(['b c, ', '\xe9', '0', null, null, null]);
  expect(head?.fields.without(['set-cookie']).get('Set-Cookie')).toBeNull();
});

describe('what is no answer is refused', () => {
  const head = 'HTTP/1.1 200 OK\r\n';
  test.each([
    ['other words', 'SSH-2.0-OpenSSH_9.2\r\n\r\n'],
    ['HTTP/2', 'HTTP/2 200\r\n\r\n'],
    ['a status that is none', 'HTTP/1.1 99 X\r\n\r\n'],
    ['a change of protocol', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['a line without a colon', `${head}nothing\r\n\r\n`],
    ['a space before the colon', `${head}content-length : 5\r\n\r\n`],
    ['a line that goes on', `${head}x-a: b\r\n c\r\n\r\n`],
    ['two lengths', `${head}content-length: 5\r\ncontent-length: 6\r\n\r\n`],
    ['a length with a sign', `${head}content-length: +5\r\n\r\n`],
    ['a length with a blank that is none', `${head}content-length: 5\xa0\r\n\r\nhello`],
    ['a length that no number holds', `${head}content-length: 99999999999999999\r\n\r\n`],
    ['a transfer coding beside chunks', `${head}transfer-encoding: gzip, chunked\r\n\r\n`],
    ['a transfer coding with a blank that is none', `${head}transfer-encoding: chunked\xa0\r\n\r\n`],
    ['a carriage return in a value', `${head}x-a: b\rc\r\n\r\n`],
    ['nothing but heads of what is to come', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(20)],
    ['chunks twice', `${head}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n`],
    ['a chunk without a length', `${head}transfer-encoding: chunked\r\n\r\n\r\nabc`],
    ['a chunk with another length', `${head}transfer-encoding: chunked\r\n\r\n0x5\r\nhello\r\n`],
    ['a chunk with words behind its length', `${head}transfer-encoding: chunked\r\n\r\n5 6\r\nhello\r\n`],
    ['a carriage return behind a length', `${head}transfer-encoding: chunked\r\n\r\n5\ra\nhello\r\n`],
    ['a carriage return in an extension', `${head}transfer-encoding: chunked\r\n\r\n5;a\rb\nhello\r\n`],
    ['a chunk that is longer than it says', `${head}transfer-encoding: chunked\r\n\r\n2\r\nhello\r\n`],
    [
      'a chunk of a length that no number holds',
      `${head}transfer-encoding: chunked\r\n\r\nffffffffffffffff\r\n`,
    ],
  ])('%s', (_, text) => expect(codeOf([text])).toBe('MalformedAnswer'));

  test.each([
    ['in its head', 'HTTP/1.1 200 OK\r\nx-a'],
    ['before all of its length', `${head}content-length: 9\r\n\r\nhello`],
    ['before its last chunk', `${head}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n`],
    ['before the end of its trailer', `${head}transfer-encoding: chunked\r\n\r\n0\r\n`],
  ])('one that breaks off %s', (_, text) => expect(codeOf([text], true)).toBe('ConnectionClosed'));

  test('a head of many lines is searched once, though it comes byte by byte', () => {
    const bytes = Buffer.from(`${head}${'a\n'.repeat(1000)}`);
    const searching = spyOn(Buffer.prototype, 'indexOf');
    try {
      expect(read(Array.from(bytes, (byte) => Uint8Array.of(byte))).heads).toEqual([]);
      // For each byte, and once more for each of the line ends that stood at the end of what had come.
      expect(searching.mock.calls.length).toBeLessThan(4 * bytes.length);
    } finally {
      searching.mockRestore();
    }
  });

  test('a head, a line or a trailer without an end, at a bound', () => {
    const field = `x-a: ${'b'.repeat(1000)}\r\n`;
    expect(codeOf([head, ...Array.from({ length: 40 }, () => field)])).toBe('HeadTooLarge');
    expect(codeOf([`${head}${field.repeat(40)}\r\n`])).toBe('HeadTooLarge');
    const chunked = `${head}transfer-encoding: chunked\r\n\r\n`;
    expect(codeOf([`${chunked}5;${'a'.repeat(2000)}`])).toBe('MalformedAnswer');
    expect(codeOf([`${chunked}0\r\n`, ...Array.from({ length: 40 }, () => field)])).toBe('MalformedAnswer');
  });
});

test('an answer is the same in whatever pieces it comes', () => {
  const answers = [
    'HTTP/1.1 200 OK\r\nx-a: b\r\ncontent-length: 11\r\n\r\nhello world',
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\nA;x=y\r\n world\r\n!!\r\n0\r\nx-t: 1\r\n\r\n',
    'HTTP/1.1 500 No\nconnection: close\n\nhello\r\n\r\nworld',
  ];
  fc.assert(
    fc.property(fc.constantFrom(...answers), fc.array(fc.nat(120), { maxLength: 30 }), (answer, cuts) => {
      const places = [...new Set(cuts)]
        .filter((cut) => cut > 0 && cut < answer.length)
        .toSorted((a, b) => a - b);
      const pieces = [0, ...places].map((from, number) => answer.slice(from, places[number]));
      const [whole, parted] = [read([answer], true), read(pieces, true)];
      expect([parted.body, parted.heads, parted.ends]).toEqual([whole.body, whole.heads, whole.ends]);
      expect(parted.reader.idleSeconds).toBe(whole.reader.idleSeconds);
    }),
  );
});

test('nothing that a server can send makes it throw something else', () => {
  const words = [
    'HTTP/1.1 200 OK',
    '\r\n',
    '\n',
    'content-length: 3',
    'transfer-encoding: chunked',
    '3',
    'abc',
    '0',
    ':',
    ' ',
    '\0',
    ';',
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...words), { maxLength: 40 }), fc.boolean(), (parts, isClosed) => {
      expect(['read', 'MalformedAnswer', 'HeadTooLarge', 'ConnectionClosed']).toContain(
        codeOf(parts, isClosed),
      );
    }),
    { numRuns: 500 },
  );
});
