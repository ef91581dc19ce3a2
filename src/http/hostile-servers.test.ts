/** Whatever a server does to its connections: nobody is given the answer of another, and nobody waits for ever. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Abort } from '../base/abort.ts';
import { HttpClient } from './http-client.ts';

const wholeAnswer = (body: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

/** What a server does with one request, given the body of its answer: what it sends, and null where it closes. */
const deeds = {
  whole: (body: string) => [wholeAnswer(body)],
  chunks: (body: string) => [
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n',
    ...[...body].map((each) => `1\r\n${each}\r\n`),
    '0\r\n\r\n',
  ],
  hinted: (body: string) => ['HTTP/1.1 103 Early\r\n\r\n', wholeAnswer(body)],
  last: (body: string) => [
    `HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    null,
  ],
  toTheEnd: (body: string) => [`HTTP/1.0 200 OK\r\n\r\n${body}`, null],
  twice: (body: string) => [wholeAnswer(body), wholeAnswer('of nobody')],
  closedBehind: (body: string) => [wholeAnswer(body), null],
  cutHead: () => ['HTTP/1.1 200 O', null],
  cutBody: (body: string) => [`HTTP/1.1 200 OK\r\ncontent-length: ${body.length + 1}\r\n\r\n${body}`, null],
  tooLong: (body: string) => [`HTTP/1.1 200 OK\r\ncontent-length: ${body.length - 1}\r\n\r\n${body}`],
  rubbish: () => ['\r\n\r\nwhat?\r\n\r\n'],
  closed: () => [null],
} satisfies Record<string, (body: string) => readonly (string | null)[]>;

/** Those whose answers are whole, and end where they say. */
const honest = new Set(['whole', 'chunks', 'hinted', 'last', 'toTheEnd', 'twice', 'closedBehind']);

type Deed = keyof typeof deeds;
interface Asked {
  readonly deed: Deed;
  readonly leaves: 'never' | 'before the answer' | 'within the body';
}

const asked: fc.Arbitrary<Asked> = fc.record({
  deed: fc.constantFrom(...(Object.keys(deeds) as Deed[])),
  leaves: fc.oneof(
    { weight: 4, arbitrary: fc.constant('never' as const) },
    { weight: 1, arbitrary: fc.constantFrom('before the answer' as const, 'within the body' as const) },
  ),
});

test('each request ends, with its own answer or an error', async () => {
  const seen = new Map<number, number>();
  const server = Bun.listen<{ text: string }>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open: (socket) => {
        socket.data = { text: '' };
      },
      async data(socket, bytes) {
        socket.data.text += bytes.toString('latin1');
        const [, number, deed] = /\r\n\r\n(\d+) (\w+);/.exec(socket.data.text) ?? [];
        if (number === undefined || deed === undefined) return;
        socket.data.text = '';
        seen.set(Number(number), (seen.get(Number(number)) ?? 0) + 1);
        for (const part of deeds[deed as Deed](bodyOf(Number(number)))) {
          if (part === null) socket.end();
          else socket.write(part);
          // What follows comes in a piece of its own.
          await new Promise(setImmediate);
        }
      },
      error: () => undefined,
    },
  });
  const client = new HttpClient();
  let next = 0;
  const ask = async ({ deed, leaves }: Asked): Promise<void> => {
    const number = next;
    next += 1;
    const abort = new Abort();
    const posting = client.post({
      url: `http://127.0.0.1:${server.port}/`,
      headers: {},
      body: `${number} ${deed};`,
      abort,
      mayReuse: true,
    });
    if (leaves === 'before the answer') abort.abort(new Error('gone'));
    const text = await posting
      .then(async (response) => {
        if (leaves !== 'within the body') return response.text();
        await response.body?.cancel();
        return null;
      })
      .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
    const isStale =
      text instanceof Error && 'code' in text && /^(ConnectionClosed|ECONNRESET|EPIPE)$/.test(`${text.code}`);
    // The server may close a connection just as it is used again.
    if (leaves === 'never' && honest.has(deed) && !isStale) expect(text).toBe(bodyOf(number));
    // A body that is longer than it said is cut where it said.
    else if (typeof text === 'string') expect(bodyOf(number)).toStartWith(text);
    expect(seen.get(number) ?? 0).toBeLessThanOrEqual(1);
  };
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(asked, { maxLength: 4 }), { maxLength: 12 }), async (turns) => {
        for (const together of turns) await Promise.all(together.map(ask));
      }),
      { numRuns: 300 },
    );
  } finally {
    client.close();
    server.stop(true);
  }
});

const bodyOf = (number: number): string => `the answer to ${number}, and to nobody else`;
