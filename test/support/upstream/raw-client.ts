/** A client of bare bytes for the double's own tests: it sees what HTTP libraries hide. */
import { connect } from 'node:net';

export interface RawClient {
  send(text: string | Uint8Array): void;
  /** All bytes so far, as soon as their text holds `part`; fails if the connection ends without it. */
  until(part: string): Promise<Buffer>;
  /** All bytes, and how the far side ended the connection. */
  readonly end: Promise<{ readonly bytes: Buffer; readonly how: 'fin' | 'reset' }>;
  /** All bytes so far. */
  readonly bytes: Buffer;
  /** Leaves at once. */
  leave(): void;
}

export async function rawClient(port: number): Promise<RawClient> {
  const socket = connect(port, '127.0.0.1');
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', () => resolve());
    socket.once('error', reject);
  });
  let bytes = Buffer.alloc(0);
  let how: 'fin' | 'reset' = 'fin';
  const watchers = new Set<() => void>();
  const notify = (): void => {
    for (const watcher of [...watchers]) watcher();
  };
  socket.on('data', (piece: Buffer) => {
    bytes = Buffer.concat([bytes, piece]);
    notify();
  });
  socket.on('error', () => {
    how = 'reset';
  });
  const end = new Promise<{ bytes: Buffer; how: 'fin' | 'reset' }>((resolve) => {
    socket.once('close', () => {
      resolve({ bytes, how });
      notify();
    });
  });
  return {
    end,
    get bytes() {
      return bytes;
    },
    send: (text) => void socket.write(text),
    leave: () => void socket.destroy(),
    until: (part) =>
      new Promise((resolve, reject) => {
        const watch = (): void => {
          const isFound = bytes.includes(part);
          if (!isFound && !socket.destroyed) return;
          watchers.delete(watch);
          if (isFound) resolve(bytes);
          else reject(new Error(`the connection ended without ${JSON.stringify(part)}`));
        };
        watchers.add(watch);
        watch();
      }),
  };
}

/** The text of a chat request; further fields go over the usual ones. */
export function chatRequest(fields: Readonly<Record<string, unknown>> = {}, headers = ''): string {
  const body = JSON.stringify({
    model: 'barge-1',
    messages: [{ role: 'user', content: 'Hello' }],
    ...fields,
  });
  const length = Buffer.byteLength(body);
  return `POST /v1/chat/completions HTTP/1.1\r\nhost: double\r\ncontent-length: ${length}\r\n${headers}\r\n${body}`;
}

/** The bytes of each HTTP chunk of a chunked answer, up to the last whole one. */
export function chunksOf(answer: Buffer): Buffer[] {
  const chunks: Buffer[] = [];
  let index = answer.indexOf('\r\n\r\n') + 4;
  while (index < answer.length) {
    const lineEnd = answer.indexOf('\r\n', index);
    const size = Number.parseInt(answer.toString('latin1', index, lineEnd), 16);
    if (lineEnd < 0 || size === 0) break;
    chunks.push(answer.subarray(lineEnd + 2, lineEnd + 2 + size));
    index = lineEnd + 2 + size + 2;
  }
  return chunks;
}

/** The body of a chunked answer, joined. */
export function bodyOf(answer: Buffer): string {
  return Buffer.concat(chunksOf(answer)).toString('utf8');
}
