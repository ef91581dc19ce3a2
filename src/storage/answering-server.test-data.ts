/** A server for tests that speaks just enough of PostgreSQL's protocol. */
import type { Socket } from 'node:net';

const message = (type: string, ...parts: (string | Buffer)[]) => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const head = Buffer.from(`${type}0000`);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const number = (bytes: number, of: number) => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeIntBE(of, 0, bytes);
  return buffer;
};
const ready = message('Z', 'I');

/** The answer to a client that asks to be let in. */
export const letIn = Buffer.concat([message('R', number(4, 0)), ready]);

/** As much of PostgreSQL's protocol as it takes to let a client in and answer one question with one value. */
export function answerWith(value: string) {
  const textColumn = Buffer.concat([
    number(4, 0),
    number(2, 0),
    number(4, 25),
    number(2, -1),
    number(4, -1),
    number(2, 0),
  ]);
  const answer = Buffer.concat([
    message('T', number(2, 1), 'version\0', textColumn),
    message('D', number(2, 1), number(4, Buffer.byteLength(value)), value),
    message('C', 'SELECT 1\0'),
    ready,
  ]);
  return (socket: Socket) => {
    socket.once('data', () => {
      socket.write(letIn);
      socket.on('data', () => socket.write(answer));
    });
  };
}
