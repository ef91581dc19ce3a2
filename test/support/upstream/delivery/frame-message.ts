/** Writes one message of an AWS event stream: lengths, typed headers, a payload, and a checksum of each part. */
import { crc32 } from 'node:zlib';

export interface FramedMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Uint8Array;
  /** Sends a checksum that does not fit. */
  readonly isDamaged?: boolean;
}

const preludeBytes = 8;
const checksumBytes = 4;
/** The type of a header whose value is text. */
const textType = 7;

export function frameMessage({ headers, payload, isDamaged }: FramedMessage): Uint8Array {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => writeHeader(name, value)));
  const total = preludeBytes + checksumBytes + head.length + payload.length + checksumBytes;
  const frame = Buffer.alloc(total);
  frame.writeUInt32BE(total, 0);
  frame.writeUInt32BE(head.length, 4);
  frame.writeUInt32BE(crc32(frame.subarray(0, preludeBytes)), preludeBytes);
  head.copy(frame, preludeBytes + checksumBytes);
  frame.set(payload, preludeBytes + checksumBytes + head.length);
  const checksum = crc32(frame.subarray(0, total - checksumBytes));
  frame.writeUInt32BE((isDamaged === true ? checksum ^ 1 : checksum) >>> 0, total - checksumBytes);
  return frame;
}

function writeHeader(name: string, value: string): Uint8Array {
  const nameBytes = Buffer.from(name);
  const valueBytes = Buffer.from(value);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(valueBytes.length);
  return Buffer.concat([
    Buffer.from([nameBytes.length]),
    nameBytes,
    Buffer.from([textType]),
    length,
    valueBytes,
  ]);
}
