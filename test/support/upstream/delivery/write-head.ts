/** Writes the status line and headers of one answer. */
import { STATUS_CODES } from 'node:http';
import type { Reply } from '../reply.ts';

/** Without a length the body goes out in HTTP chunks. */
export function writeHead(reply: Reply, contentLength: number | undefined): Uint8Array {
  const framing =
    contentLength === undefined
      ? { 'transfer-encoding': 'chunked' }
      : { 'content-length': String(contentLength) };
  const lines = Object.entries({ ...reply.headers, ...framing }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return Buffer.from(
    `HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status] ?? 'Status'}\r\n${lines.join('')}\r\n`,
    'latin1',
  );
}
