/** Messages of the binary event stream, written out for tests. */
import { crc32 } from 'node:zlib';

/** @param headers as text, by name. */
export function binaryMessage(headers: Readonly<Record<string, string>>, payload: string): Buffer {
  const written = Object.entries(headers).map(([name, value]) => textHeader(name, value));
  return withChecksums(Buffer.concat(written), Buffer.from(payload));
}

export function withChecksums(headers: Buffer, payload: Buffer): Buffer {
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(16 + headers.length + payload.length, 0);
  prelude.writeUInt32BE(headers.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const checked = Buffer.concat([prelude, headers, payload]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(checked));
  return Buffer.concat([checked, checksum]);
}

export function textHeader(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([
    Buffer.from([name.length]),
    Buffer.from(name),
    Buffer.from([7]),
    length,
    Buffer.from(value),
  ]);
}

export const event = (type: string, payload: object): Buffer =>
  binaryMessage(
    { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' },
    JSON.stringify(payload),
  );

export const exception = (type: string, payload: object): Buffer =>
  binaryMessage(
    { ':exception-type': type, ':content-type': 'application/json', ':message-type': 'exception' },
    JSON.stringify(payload),
  );
