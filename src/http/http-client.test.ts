/** Against servers that send what a test tells them to, piece by piece, over real sockets. */
import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { refusedUrl } from '../../test/support/upstream/index.ts';
import { Abort } from '../base/abort.ts';
import type { BodyReader, HttpAnswer } from '../base/http-answer.ts';
import { UnsentError } from './errors.ts';
import { HttpClient, type HttpPost } from './http-client.ts';

/** A connection as the server has it. */
interface Seen {
  /** Starts anew with each request of a connection. */
  text: string;
  requests: number;
  isClosed: boolean;
  /** It was cut off, where others are closed. */
  isReset: boolean;
  /** What was sent and has not been taken. */
  unsent: Uint8Array;
  send(bytes: string | Uint8Array): void;
  end(): void;
  terminate(): void;
  pause(): void;
  resume(): void;
}

let client: HttpClient;
let server: Bun.TCPSocketListener<Seen>;
let connections: Seen[];
/** What the server does once it has a whole request. */
let onRequest: (seen: Seen) => void;
let onOpen: (seen: Seen) => void;
let changed = Promise.withResolvers<void>();

beforeEach(() => {
  client = new HttpClient();
  connections = [];
  onRequest = (seen) => seen.send(whole('fine'));
  onOpen = () => undefined;
  server = Bun.listen<Seen>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(socket) {
        const seen: Seen = {
          text: '',
          requests: 0,
          isClosed: false,
          isReset: false,
          unsent: new Uint8Array(),
          send(bytes) {
            seen.unsent = Buffer.concat([seen.unsent, Buffer.from(bytes as string, 'latin1')]);
            flush(socket);
          },
          end: () => socket.end(),
          terminate: () => socket.terminate(),
          pause: () => socket.pause(),
          resume: () => socket.resume(),
        };
        socket.data = seen;
        connections.push(socket.data);
        onOpen(socket.data);
        tell();
      },
      data({ data: seen }, bytes) {
        seen.text += bytes.toString('latin1');
        const [, head = '', length = ''] = /^([\s\S]*?content-length: (\d+)\r\n\r\n)/.exec(seen.text) ?? [];
        if (head !== '' && seen.text.length >= head.length + Number(length)) {
          seen.requests += 1;
          onRequest(seen);
          seen.text = '';
        }
        tell();
      },
      drain: flush,
      close({ data: seen }, error) {
        seen.isClosed = true;
        seen.isReset = error != null;
        tell();
      },
      error: () => undefined,
    },
  });
});
afterEach(() => {
  client.close();
  server.stop(true);
});

function flush(socket: Bun.Socket<Seen>): void {
  const { data: seen } = socket;
  seen.unsent = seen.unsent.subarray(Math.max(0, socket.write(seen.unsent)));
}

function tell(): void {
  changed.resolve();
  changed = Promise.withResolvers<void>();
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await changed.promise;
}

const whole = (body: string, more = ''): string =>
  `HTTP/1.1 200 OK\r\n${more}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

const post = (more: Partial<HttpPost> = {}): Promise<HttpAnswer> =>
  client.post({
    url: `http://127.0.0.1:${server.port}/v1/x?y=1`,
    headers: { authorization: 'Bearer secret', 'content-type': 'application/json' },
    body: '{"a":"ä"}',
    abort: new Abort(),
    mayReuse: true,
    ...more,
  });

/** The first connection: so many at once as there are take it as well, once it does. */
async function untilItRests(): Promise<void> {
  onRequest = (seen) => seen.send(whole('fine'));
  for (let round = 0; connections[0]?.requests === 1; round += 1) {
    if (round > 100) throw new Error('the first connection carries its answer still');
    await Promise.all(connections.map(() => textOf()));
  }
}

const textOf = async (more: Partial<HttpPost> = {}): Promise<string> => (await post(more)).text();

/** The code of what it was refused with. */
async function codeOf(asked: Promise<unknown>): Promise<unknown> {
  try {
    await asked;
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
  throw new Error('it was not refused');
}

describe('a request', () => {
  test('has its path, host, headers and the length of its body in bytes', async () => {
    let text = '';
    onRequest = (seen) => {
      text = seen.text;
      seen.send(whole('fine'));
    };
    await textOf();
    expect(Buffer.from(text, 'latin1').toString()).toBe(
      [
        'POST /v1/x?y=1 HTTP/1.1',
        `host: 127.0.0.1:${server.port}`,
        'accept-encoding: identity',
        'authorization: Bearer secret',
        'content-type: application/json',
        'content-length: 10',
        '',
        '{"a":"ä"}',
      ].join('\r\n'),
    );
  });

  test('names the host that its address is for, whatever the one before was for', async () => {
    const named: unknown[] = [];
    onRequest = (seen) => {
      named.push(/\r\nhost: (.*)\r\n/.exec(seen.text)?.[1]);
      seen.send(whole('fine'));
    };
    for (const host of ['api.test:8080', 'other.test']) await textOf({ host });
    await textOf();
    await textOf({ host: 'api.test:8080' });
    expect(named).toEqual(['api.test:8080', 'other.test', `127.0.0.1:${server.port}`, 'api.test:8080']);
  });

  test('for a host that would begin fields of its own is not sent', async () => {
    expect(await codeOf(post({ host: 'api.test\r\nx-more: v' }))).toBeInstanceOf(TypeError);
    expect(connections).toEqual([]);
  });

  test.each([
    ['x\r\nx-more', 'v'],
    ['x y', 'v'],
    ['x', 'v\r\nx-more: v'],
    ['x', 'v\nx-more: v'],
    ['x', 'v\0'],
    ['Content-Length', '9'],
    ['host', 'other.test'],
    ['\u010ax', 'v'],
    ['x', '\u0141'],
  ])('with the header %j: %j is not sent', async (name, value) => {
    expect(await codeOf(post({ headers: { [name]: value } }))).toBeInstanceOf(TypeError);
    expect(connections).toEqual([]);
  });

  test.each([
    ['a value that breaks its line', { x: 'v\r\nx-more: v' }],
    ['a field that is not its own', { 'transfer-encoding': 'chunked' }],
  ])('whose headers never change is not sent the second time either for %s', async (_, headers) => {
    const frozen = Object.freeze(headers);
    for (const _time of [1, 2]) expect(await codeOf(post({ headers: frozen }))).toBeInstanceOf(TypeError);
    expect(connections).toEqual([]);
  });

  describe('has headers', () => {
    let heads: string[];
    beforeEach(() => {
      heads = [];
      onRequest = (seen) => {
        heads.push(seen.text.slice(seen.text.indexOf('identity\r\n') + 10));
        seen.send(whole('fine'));
      };
    });

    test('that are looked at once where they never change', async () => {
      let looks = 0;
      const headers = Object.freeze({
        get x() {
          looks += 1;
          return 'v';
        },
      });
      for (const body of ['1', '{"a":"ä"}', '']) await textOf({ headers, body });
      expect(heads.map((head) => Buffer.from(head, 'latin1').toString())).toEqual([
        'x: v\r\ncontent-length: 1\r\n\r\n1',
        'x: v\r\ncontent-length: 10\r\n\r\n{"a":"ä"}',
        'x: v\r\ncontent-length: 0\r\n\r\n',
      ]);
      expect(looks).toBe(1);
    });

    test('as they are now where they can change', async () => {
      const headers = { x: 'first' };
      await textOf({ headers, body: '' });
      headers.x = 'second';
      await textOf({ headers, body: '' });
      expect(heads).toEqual([
        'x: first\r\ncontent-length: 0\r\n\r\n',
        'x: second\r\ncontent-length: 0\r\n\r\n',
      ]);
    });

    test('of its own, whatever another to the same address has', async () => {
      const [one, other] = [Object.freeze({ x: 'one' }), Object.freeze({ x: 'other' })];
      for (const headers of [one, other, one]) await textOf({ headers, body: '' });
      expect(heads.map((head) => head.split('\r\n')[0])).toEqual(['x: one', 'x: other', 'x: one']);
    });

    test('and a path of its own, whatever another with the same headers asks for', async () => {
      const paths: unknown[] = [];
      onRequest = (seen) => {
        paths.push(seen.text.split('\r\n').slice(0, 2));
        seen.send(whole('fine'));
      };
      const headers = Object.freeze({ x: 'v' });
      const origin = `http://127.0.0.1:${server.port}`;
      for (const host of ['a.test', 'b.test']) await textOf({ url: `${origin}/1`, headers, host });
      await textOf({ url: `${origin}/2`, headers, host: 'a.test' });
      expect(paths).toEqual([
        ['POST /1 HTTP/1.1', 'host: a.test'],
        ['POST /1 HTTP/1.1', 'host: b.test'],
        ['POST /2 HTTP/1.1', 'host: a.test'],
      ]);
    });
  });

  test('goes out whole, however slowly it is taken', async () => {
    let length = 0;
    onOpen = (seen) => seen.pause();
    onRequest = (seen) => {
      length = seen.text.length;
      seen.send(whole('fine'));
    };
    const asking = textOf({ body: 'x'.repeat(5_000_000) });
    await until(() => connections.length === 1);
    connections[0]?.resume();
    expect(await asking).toBe('fine');
    expect(length).toBeGreaterThan(5_000_000);
  });
});

describe('a connection', () => {
  test('carries one request after the other', async () => {
    for (const _ of [1, 2, 3]) expect(await textOf()).toBe('fine');
    expect(connections.map(({ requests }) => requests)).toEqual([3]);
  });

  test('carries one at a time', async () => {
    expect(await Promise.all([textOf(), textOf()])).toEqual(['fine', 'fine']);
    expect(connections.map(({ requests }) => requests)).toEqual([1, 1]);
  });

  test('is a new one where one that was used will not do', async () => {
    await textOf();
    await textOf({ mayReuse: false });
    expect(connections.map(({ requests }) => requests)).toEqual([1, 1]);
  });

  test('is kept for the host and the certificate that it was opened for', async () => {
    await textOf({ serverName: 'a.test' });
    await textOf({ serverName: 'b.test' });
    await textOf({ url: `http://localhost:${server.port}/` });
    expect(connections).toHaveLength(3);
  });

  test.each([
    ['says that it is the last', whole('fine', 'connection: close\r\n')],
    ['is of HTTP/1.0', whole('fine').replace('1.1', '1.0')],
    ['has bytes behind it', `${whole('fine')}HTTP/1.1 200 OK\r\n`],
    [
      'says that it is not the last, and that it is',
      whole('fine', 'connection: close\r\nconnection: keep-alive\r\n'),
    ],
    ['says both a length and chunks', whole('4\r\nfine\r\n0\r\n\r\n', 'transfer-encoding: chunked\r\n')],
  ])('ends behind an answer that %s', async (_, sent) => {
    onRequest = (seen) => seen.send(sent);
    expect(await textOf()).toBe('fine');
    await until(() => connections[0]?.isClosed === true);
    expect(connections[0]?.isReset).toBe(false);
    expect(await textOf()).toBe('fine');
    expect(connections).toHaveLength(2);
  });

  test('that brings what nobody asked for is not asked again', async () => {
    await textOf();
    connections[0]?.send(whole('of nobody'));
    await until(() => connections[0]?.isClosed === true);
    expect(await textOf()).toBe('fine');
    expect(connections).toHaveLength(2);
  });

  test('that is closed while it is idle is forgotten', async () => {
    await textOf();
    connections[0]?.end();
    // By the time that another one is opened and has answered, the end has come too.
    expect(await textOf({ mayReuse: false })).toBe('fine');
    expect(await Promise.all([textOf(), textOf()])).toEqual(['fine', 'fine']);
    expect(connections.map(({ requests }) => requests)).toEqual([1, 2, 1]);
  });

  test('that ends before a byte of the answer came fails, and nothing is sent again', async () => {
    await textOf();
    onRequest = (seen) => seen.terminate();
    expect(await codeOf(post())).toMatch(/ConnectionClosed|ECONNRESET/);
    expect(connections.map(({ requests }) => requests)).toEqual([2]);
  });

  test.each([
    ['timeout=1', 2],
    // In steps of four seconds.
    ['timeout=4', 2],
    ['timeout=9, max=100', 1],
    ['max=100', 1],
  ])('is idle for less than its server says: %s', async (said, count) => {
    onRequest = (seen) => seen.send(whole('fine', `keep-alive: ${said}\r\n`));
    for (const _ of [1, 2]) expect(await textOf()).toBe('fine');
    expect(connections).toHaveLength(count);
  });

  test('that is idle as the client is closed is closed, and not cut off', async () => {
    await textOf();
    client.close();
    await until(() => connections[0]?.isClosed === true);
    expect(connections[0]?.isReset).toBe(false);
  });

  test('that its server says to have waited for too long fails, and nobody is told so who has just asked', async () => {
    const late = whole('late', 'connection: close\r\n').replace('200 OK', '408 Request Timeout');
    onRequest = (seen) => seen.send(late);
    expect((await post()).status).toBe(408);
    onRequest = (seen) => seen.send(whole('fine'));
    await textOf();
    onRequest = (seen) => seen.send(late);
    expect(await codeOf(post())).toBe('ConnectionClosed');
    expect(connections.map(({ requests }) => requests)).toEqual([1, 2]);
    // Of a server that goes on, it is an answer like others.
    onRequest = (seen) => seen.send(whole('late').replace('200 OK', '408 Request Timeout'));
    for (const _ of [1, 2]) expect((await post()).status).toBe(408);
    expect(connections).toHaveLength(3);
  });

  test('of the place that is known the longest makes room for that of another', async () => {
    await textOf({ serverName: 'first.test' });
    await textOf({ serverName: 'second.test' });
    const know = async (serverName: string) => {
      // No connection is opened for what cannot be sent.
      expect(await codeOf(post({ serverName, headers: { 'x y': '' } }))).toBeInstanceOf(TypeError);
    };
    for (let number = 3; number <= 2000; number += 1) await know(`${number}.test`);
    await textOf({ serverName: 'first.test' });
    expect(connections).toHaveLength(2);
    await know('another.test');
    await until(() => connections[0]?.isClosed === true);
    await textOf({ serverName: 'second.test' });
    expect(connections).toHaveLength(2);
    await textOf({ serverName: 'first.test' });
    expect(connections).toHaveLength(3);
  });

  test('that ends within an answer fails it', async () => {
    await textOf();
    onRequest = (seen) => {
      seen.send('HTTP/1.1 2');
      seen.end();
    };
    expect(await codeOf(post())).toBe('ConnectionClosed');
    expect(connections).toHaveLength(1);
  });

  test('that nobody accepts fails', async () => {
    const nobody = await refusedUrl();
    const refused = await post({ url: nobody.url }).catch((error: unknown) => error);
    nobody.release();
    expect(refused).toBeInstanceOf(UnsentError);
    expect(refused).toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('that ends before TLS is agreed on has sent nothing; one that ends unanswered has', async () => {
    const failed = (url: string) => post({ url }).catch((error: unknown) => error);
    onOpen = (seen) => seen.end();
    expect(await failed(`https://127.0.0.1:${server.port}/`)).toBeInstanceOf(UnsentError);
    onOpen = () => undefined;
    onRequest = (seen) => seen.end();
    expect(await failed(`http://127.0.0.1:${server.port}/`)).not.toBeInstanceOf(UnsentError);
  });

  test('whose server answers before it has read the request is not asked again', async () => {
    onOpen = (seen) => {
      seen.pause();
      seen.send('HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n');
    };
    const response = await post({ body: 'x'.repeat(20_000_000) });
    expect(response.status).toBe(413);
    connections[0]?.resume();
    await until(() => connections[0]?.isClosed === true);
    expect(connections[0]?.requests).toBe(0);
  });

  test('that is idle does not keep a program from ending', async () => {
    const script = `
      const { HttpClient } = await import(${JSON.stringify(`${import.meta.dir}/http-client.ts`)});
      const { Abort } = await import(${JSON.stringify(`${import.meta.dir}/../base/abort.ts`)});
      const abort = new Abort();
      const response = await new HttpClient().post({ url: process.argv[1], headers: {}, body: '', abort, mayReuse: true });
      console.log(await response.text());`;
    const child = Bun.spawn([process.execPath, '-e', script, `http://127.0.0.1:${server.port}/`], {
      stdout: 'pipe',
    });
    expect(await new Response(child.stdout).text()).toBe('fine\n');
    expect(await child.exited).toBe(0);
  });
});

describe('an answer', () => {
  test.each([200, 204, 205, 301, 304, 404, 429, 503])('of the status %d comes as it is', async (status) => {
    onRequest = (seen) =>
      seen.send(`HTTP/1.1 ${status} X\r\nlocation: /\r\nx-a: b\r\ncontent-length: 0\r\n\r\n`);
    const response = await post();
    expect(response.status).toBe(status);
    expect(response.headers.get('x-a')).toBe('b');
    expect(await response.text()).toBe('');
  });

  test('comes behind what only tells that it will', async () => {
    onRequest = (seen) =>
      seen.send(`HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n${whole('fine')}`);
    expect(await textOf()).toBe('fine');
  });

  test('that streams is read as it comes', async () => {
    onRequest = (seen) => seen.send('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n');
    const response = await post();
    const reader = response.body?.getReader();
    const next = async () => Buffer.from((await reader?.read())?.value ?? []).toString();
    expect(await next()).toBe('one');
    connections[0]?.send('3\r\ntwo\r\n4\r\nthre');
    expect(await next()).toBe('twothre');
    connections[0]?.send('\r\n0\r\n\r\n');
    expect(await next()).toBe('');
    onRequest = (seen) => seen.send(whole('fine'));
    expect(await textOf()).toBe('fine');
    expect(connections).toHaveLength(1);
  });

  test('without a length ends with its connection', async () => {
    onRequest = (seen) => {
      seen.send('HTTP/1.1 200 OK\r\n\r\nto the ');
      seen.send('end');
      seen.end();
    };
    expect(await textOf()).toBe('to the end');
  });

  test.each([
    ['a length', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'],
    ['chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nhalf'],
  ])('of %s that is cut off fails whoever reads it', async (_, sent) => {
    onRequest = (seen) => seen.send(sent);
    const response = await post();
    connections[0]?.end();
    expect(await codeOf(response.text())).toBe('ConnectionClosed');
  });

  test.each([
    ['MalformedAnswer', 'SSH-2.0-OpenSSH_9.2\r\n\r\n'],
    ['MalformedAnswer', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx'],
    ['MalformedAnswer', 'HTTP/1.1 101 Switching\r\n\r\n'],
    ['HeadTooLarge', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(40_000)}`],
    ['HeadTooLarge', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(300)}\r\n`],
    ['MalformedAnswer', whole('x', 'x: a\rb\r\n')],
    ['MalformedAnswer', whole('x', 'x: a\0b\r\n')],
    ['MalformedAnswer', 'HTTP/1.1 103 Early\r\n\r\n'.repeat(40)],
    ['UnknownCoding', whole('x', 'content-encoding: compress\r\n')],
    ['UnknownCoding', 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip, br\r\ntransfer-encoding: chunked\r\n\r\n'],
  ])('that is none fails with %s, and its connection ends', async (code, sent) => {
    onRequest = (seen) => seen.send(sent);
    expect(await codeOf(post())).toBe(code);
    await until(() => connections[0]?.isClosed === true || code === 'UnknownCoding');
    expect(connections).toHaveLength(1);
  });

  const packed = (coding: string, bytes: Buffer): Buffer =>
    Buffer.concat([
      Buffer.from(
        `HTTP/1.1 200 OK\r\ncontent-encoding: ${coding}\r\ncontent-length: ${bytes.length}\r\n\r\n`,
      ),
      bytes,
    ]);

  test.each([
    ['gzip', gzipSync('packed')],
    ['X-Gzip', gzipSync('packed')],
    ['deflate', deflateSync('packed')],
    ['br', brotliCompressSync('packed')],
    ['zstd', zstdCompressSync('packed')],
  ])('that was packed by %s all the same is unpacked', async (coding, bytes) => {
    onRequest = (seen) => seen.send(packed(coding, bytes));
    const response = await post();
    expect(response.headers.get('Content-Encoding')).toBeNull();
    expect(response.headers.get('Content-Length')).toBeNull();
    expect(await response.text()).toBe('packed');
    expect(await textOf()).toBe('packed');
    expect(connections).toHaveLength(1);
  });

  test.each([
    ['gzip', gzipSync('packed').subarray(0, 20)],
    ['gzip', Buffer.from('not packed')],
    ['deflate', Buffer.from('not packed')],
    ['br', brotliCompressSync('packed'.repeat(99)).subarray(0, 9)],
    ['zstd', Buffer.from('not packed')],
  ])('that is no %s as it says fails whoever reads it', async (coding, bytes) => {
    onRequest = (seen) => seen.send(packed(coding, bytes));
    expect(await codeOf(textOf())).toBe('MalformedAnswer');
  });

  test('that may have no body is not waited for, whatever comes behind it', async () => {
    onRequest = (seen) => seen.send('HTTP/1.1 205 Reset\r\ncontent-length: 9\r\n\r\nhalf');
    const response = await post();
    expect([response.status, response.body]).toEqual([205, null]);
    await until(() => connections[0]?.isClosed === true);
  });

  test('that was packed and is cut off, or left, ends as others do', async () => {
    const half = packed('gzip', gzipSync(randomBytes(100_000))).subarray(0, 50_000);
    onRequest = (seen) => seen.send(half);
    const cut = await post();
    connections[0]?.end();
    expect(await codeOf(cut.text())).toBe('ConnectionClosed');
    const left = await post();
    await left.body?.cancel();
    await until(() => connections[1]?.isClosed === true);
    const abort = new Abort();
    const aborted = await post({ abort });
    abort.abort(new Error('gone'));
    await expect(aborted.text()).rejects.toThrow('gone');
  });

  test('is taken no faster than it is read, and comes whole', async () => {
    const body = 'x'.repeat(40_000_000);
    onRequest = (seen) => seen.send(whole(body));
    const response = await post();
    const [slow] = connections;
    // Others come and go meanwhile, so that all that can be taken of the first has been.
    onRequest = (seen) => seen.send(whole('fine'));
    for (let number = 0; number < 50; number += 1) expect(await textOf()).toBe('fine');
    expect(slow?.unsent.length).toBeGreaterThan(20_000_000);
    expect(await response.text()).toBe(body);
    expect(slow?.unsent).toHaveLength(0);
  });

  test('that is over and read late has the next one of its connection come no faster', async () => {
    // Too much with its end, however that is cut.
    const [beginning, end] = [200_000, 62_500];
    onRequest = (seen) =>
      seen.send(`HTTP/1.1 200 OK\r\ncontent-length: ${beginning + end}\r\n\r\n${'x'.repeat(beginning)}`);
    const early = await post();
    const others = async () => {
      onRequest = (seen) => seen.send(whole('fine'));
      for (let number = 0; number < 50; number += 1) expect(await textOf()).toBe('fine');
    };
    await others();
    connections[0]?.send('x'.repeat(end));
    await untilItRests();
    const before = connections[0]?.requests ?? 0;
    onRequest = (seen) => seen.send(whole('x'.repeat(40_000_000)));
    const [first] = connections;
    const late = await Promise.all(connections.map(() => post()));
    await others();
    expect(first?.requests).toBe(before + 1);
    // What the system holds on the way is far less; resumed, all of it would come.
    expect(first?.unsent.length).toBeGreaterThan(20_000_000);
    expect(await early.text()).toHaveLength(beginning + end);
    await others();
    expect(first?.unsent.length).toBeGreaterThan(20_000_000);
    for (const each of late) expect(await each.text()).toHaveLength(40_000_000);
  });
});

describe.each([
  ['its reader', (answer: HttpAnswer) => answer.reader?.() ?? null],
  ['its stream', (answer: HttpAnswer) => answer.body?.getReader() ?? null],
])('an answer that is read by %s', (_, readerOf) => {
  const reason = new Error('gone');
  const start = 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\none';
  let answer: HttpAnswer;
  let abort: Abort;
  let reader: BodyReader;
  const read = async () => {
    const { done, value } = await reader.read();
    return done ? null : Buffer.from(value).toString();
  };
  const failed = async (promise: Promise<unknown>) => promise.catch((thrown: unknown) => thrown);

  beforeEach(async () => {
    onRequest = (seen) => seen.send(start);
    abort = new Abort();
    answer = await post({ abort });
    const found = readerOf(answer);
    if (found === null) throw new Error('it has none');
    reader = found;
  });

  test('comes in pieces, and then is over for good', async () => {
    expect(await read()).toBe('one');
    const next = read();
    connections[0]?.send('two');
    expect(await next).toBe('two');
    connections[0]?.send('333');
    expect([await read(), await read(), await read()]).toEqual(['333', null, null]);
    await reader.cancel();
  });

  test('gives each of those who wait another piece, in their order', async () => {
    expect(await read()).toBe('one');
    const waiting = [read(), read(), read()];
    connections[0]?.send('two');
    expect(await waiting[0]).toBe('two');
    connections[0]?.send('333');
    expect(await Promise.all(waiting)).toEqual(['two', '333', null]);
  });

  test('gives what came before it failed, and then fails for good', async () => {
    abort.abort(reason);
    expect(await read()).toBe('one');
    for (const _time of [1, 2]) expect(await failed(reader.read())).toBe(reason);
    expect(await failed(reader.cancel())).toBe(reason);
    expect(await failed(reader.read())).toBe(reason);
  });

  test('fails all who wait', async () => {
    expect(await read()).toBe('one');
    const waiting = [failed(reader.read()), failed(reader.read())];
    abort.abort(reason);
    expect(await Promise.all(waiting)).toEqual([reason, reason]);
  });

  test('is over for who waits once it is left, and its connection ends', async () => {
    expect(await read()).toBe('one');
    const waiting = [read(), read()];
    await reader.cancel();
    expect(await Promise.all(waiting)).toEqual([null, null]);
    expect(await read()).toBeNull();
    await reader.cancel();
    await until(() => connections[0]?.isClosed === true);
  });

  test('is over once it is left, whatever of it nobody has read', async () => {
    abort.abort(reason);
    await reader.cancel();
    expect(await read()).toBeNull();
  });

  test('keeps its connection once it is whole, though nobody has read all of it', async () => {
    connections[0]?.send('two333');
    await untilItRests();
    await reader.cancel();
    expect(await read()).toBeNull();
    expect(connections[0]?.isClosed).toBe(false);
  });
});

describe('whoever asked and goes', () => {
  const reason = new Error('gone');

  test('before, is told so and asks nobody', async () => {
    const abort = new Abort();
    abort.abort(reason);
    expect(await codeOf(post({ abort }))).toBe(reason);
    expect(connections).toEqual([]);
  });

  test('while the connection is opened, ends it', async () => {
    const abort = new Abort();
    const asking = codeOf(post({ abort }));
    abort.abort(reason);
    expect(await asking).toBe(reason);
    expect(await textOf()).toBe('fine');
    expect(connections.reduce((sum, { requests }) => sum + requests, 0)).toBe(1);
  });

  test('again and again of a host that is silent, keeps no more and more connections that are opened', async () => {
    const { connect } = Bun;
    const opened: (() => void)[] = [];
    const connecting = spyOn(Bun, 'connect').mockImplementation((async (to: never) => {
      await new Promise<void>((resolve) => opened.push(resolve));
      return connect(to);
    }) as typeof connect);
    try {
      const leave = async () => {
        const abort = new Abort();
        const asking = codeOf(post({ abort }));
        abort.abort(reason);
        expect(await asking).toBe(reason);
      };
      for (let number = 0; number < 200; number += 1) await leave();
      expect(connecting).toHaveBeenCalledTimes(65);
      // Whoever comes next has one of them, and the others are not kept.
      const asking = textOf();
      for (const open of opened) open();
      expect(await asking).toBe('fine');
      await until(() => connections.length === 65 && connections.filter((one) => one.isClosed).length === 64);
      expect(connections.reduce((sum, { requests }) => sum + requests, 0)).toBe(1);
      expect(await textOf()).toBe('fine');
      expect(connecting).toHaveBeenCalledTimes(65);
    } finally {
      connecting.mockRestore();
    }
  });

  test('while nothing has come, ends the connection', async () => {
    const abort = new Abort();
    onRequest = () => abort.abort(reason);
    expect(await codeOf(post({ abort }))).toBe(reason);
    await until(() => connections[0]?.isClosed === true);
  });

  test('within the answer, fails the reading and ends the connection', async () => {
    const abort = new Abort();
    onRequest = (seen) => seen.send('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf');
    const response = await post({ abort });
    abort.abort(reason);
    expect(await codeOf(response.text())).toBe(reason);
    await until(() => connections[0]?.isClosed === true);
  });

  test('behind the answer, disturbs nothing', async () => {
    const abort = new Abort();
    expect(await textOf({ abort })).toBe('fine');
    abort.abort(reason);
    expect(await textOf()).toBe('fine');
    expect(connections).toHaveLength(1);
  });

  test('by leaving the body, ends the connection', async () => {
    onRequest = (seen) => seen.send('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf');
    const response = await post();
    await response.body?.cancel();
    await until(() => connections[0]?.isClosed === true);
  });
});
