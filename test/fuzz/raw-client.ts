/** Sends a request as bytes, with HTTP itself spoiled: what no library would send. */
import { connect } from 'node:net';
import type { Composed } from './compose.ts';
import { Random } from './random.ts';

export interface RawHeard {
  /** Of every answer on the connection. */
  readonly statuses: readonly number[];
  readonly text: string;
  readonly done: string;
}

/** After the last byte sent, for an answer to come. */
const patienceMs = 400;
const mostKept = 200_000;

export async function sendRaw(url: string, composed: Composed, seed: number): Promise<RawHeard> {
  const { hostname, port } = new URL(url);
  const random = new Random(seed, ~composed.number);
  const { pieces, done, pauseMs, thenLeaves } = spoilHttp(composed, random);
  const socket = connect({ host: hostname, port: Number(port) });
  const chunks: Buffer[] = [];
  let size = 0;
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    socket.on('error', () => undefined);
  });
  socket.on('data', (chunk: Buffer) => {
    if (size < mostKept) chunks.push(chunk);
    size += chunk.length;
  });
  for (const piece of pieces) {
    if (socket.destroyed) break;
    socket.write(piece);
    if (pauseMs > 0) await Bun.sleep(pauseMs);
  }
  if (!thenLeaves) await Promise.race([closed, Bun.sleep(patienceMs)]);
  socket.destroy();
  await closed;
  const text = Buffer.concat(chunks).toString('latin1');
  return {
    statuses: [...text.matchAll(/(?:^|\n)HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status)),
    text,
    done,
  };
}

interface Spoiled {
  readonly pieces: readonly (string | Buffer)[];
  readonly done: string;
  readonly pauseMs: number;
  readonly thenLeaves: boolean;
}

function spoilHttp({ method, path, headers, body }: Composed, random: Random): Spoiled {
  const bytes = body ?? Buffer.alloc(0);
  // What does not fit into a header as text goes as the bytes of its UTF-8.
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  const target = path.replaceAll(/\s/g, '%20').replaceAll('\u0000', '%00');
  const head = (more: readonly string[], first = `${method} ${target} HTTP/1.1`) =>
    `${[first, 'host: sluice', 'connection: close', ...lines, ...more].join('\r\n')}\r\n\r\n`;
  const length = `content-length: ${bytes.length}`;
  const whole = head([length]);
  const chunked = (size: string) => [
    head(['transfer-encoding: chunked']),
    `${size}\r\n`,
    bytes,
    '\r\n0\r\n\r\n',
  ];
  const hex = bytes.length.toString(16);
  const at = random.below(whole.length);
  const one = (done: string, ...pieces: readonly (string | Buffer)[]): Spoiled => ({
    pieces,
    done,
    pauseMs: 0,
    thenLeaves: false,
  });
  const make = random.pick<() => Spoiled>([
    () => one('as it should be', whole, bytes),
    () => one('a length too long', head([`content-length: ${bytes.length + 10}`]), bytes),
    () => one('a length too short', head([`content-length: ${Math.floor(bytes.length / 2)}`]), bytes),
    () =>
      one(
        'a strange length',
        head([`content-length: ${random.pick(['-1', 'x', '1e3', '0x10', '99999999999999999999', ''])}`]),
        bytes,
      ),
    () => one('two lengths', head([length, `content-length: ${bytes.length + 1}`]), bytes),
    () =>
      one(
        'a length and chunks',
        head([length, 'transfer-encoding: chunked']),
        `${hex}\r\n`,
        bytes,
        '\r\n0\r\n\r\n',
      ),
    () => one('chunks', ...chunked(hex)),
    () => one('chunks with an extension', ...chunked(`${hex};a=b`)),
    () =>
      one(
        'a strange chunk size',
        ...chunked(random.pick(['-1', 'zz', 'ffffffffffffffff', '', `${hex} `, '0'])),
      ),
    () =>
      one(
        'chunks of one byte',
        head(['transfer-encoding: chunked']),
        ...[...bytes.subarray(0, 300)].map((byte) =>
          Buffer.concat([Buffer.from('1\r\n'), Buffer.of(byte), Buffer.from('\r\n')]),
        ),
        '0\r\n\r\n',
      ),
    () => one('another coding', head(['transfer-encoding: gzip, chunked']), bytes),
    () => one('line feeds alone', whole.replaceAll('\r\n', '\n'), bytes),
    () =>
      one(
        'odd bytes in the head',
        whole.slice(0, at) + random.pick(['\u0000', '\u00ff', '\r', '\n', ' ', ':']) + whole.slice(at),
        bytes,
      ),
    () =>
      one(
        'a strange first line',
        head(
          [length],
          random.pick([
            '',
            'GET',
            `${method} ${target}`,
            `${method} ${target} HTTP/9.9`,
            `${method} ${target} HTTP/1.0`,
            `${method} http://other${target} HTTP/1.1`,
            `${method} * HTTP/1.1`,
            'CONNECT a:1 HTTP/1.1',
            `X${'Y'.repeat(2000)} / HTTP/1.1`,
            'PRI * HTTP/2.0',
          ]),
        ),
        bytes,
      ),
    () =>
      one(
        'many headers',
        head([
          length,
          ...Array.from({ length: random.pick([50, 150, 3000]) }, (_, number) => `x-${number}: y`),
        ]),
        bytes,
      ),
    () =>
      one('a long header', head([length, `x: ${'y'.repeat(random.pick([9000, 70_000, 1_000_000]))}`]), bytes),
    () => one('an upgrade', head([length, 'upgrade: websocket', 'connection: upgrade']), bytes),
    () => one('an expectation', head([length, `expect: ${random.pick(['100-continue', 'x'])}`]), bytes),
    () => one('two hosts', head([length, 'host: other']), bytes),
    () => one('two in one', whole.replace('connection: close\r\n', ''), bytes, whole, bytes),
    () =>
      one(
        'no HTTP',
        random.pick<string | Buffer>([
          '\r\n\r\n',
          Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc]),
          'x'.repeat(100_000),
          Buffer.alloc(5000, 0xff),
        ]),
      ),
    () => ({ ...one('cut in the head', whole.slice(0, at)), thenLeaves: random.oneIn(2) }),
    () => ({
      ...one('cut in the body', whole, bytes.subarray(0, random.below(bytes.length + 1))),
      thenLeaves: random.oneIn(2),
    }),
    () => ({ ...one('left at once', whole, bytes), thenLeaves: true }),
    () => ({ ...one('slow', whole.slice(0, at), whole.slice(at), ...halves(bytes, random)), pauseMs: 15 }),
  ]);
  return make();
}

function halves(bytes: Buffer, random: Random): readonly Buffer[] {
  const at = random.below(bytes.length + 1);
  return [bytes.subarray(0, at), bytes.subarray(at)];
}
