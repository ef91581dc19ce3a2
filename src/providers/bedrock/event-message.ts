/** Messages of the binary stream of events that AWS answers with, and how a stream of bytes is split into them. */
import { crc32 } from 'node:zlib';

const preludeBytes = 12;
const checksumBytes = 4;

/** What the vendor's own clients take at most. */
const maxMessageBytes = 16 * 1_048_576;

/** The bytes are not what the sender sent, or no such stream at all. */
export class BrokenMessageError extends Error {}

export interface EventMessage {
  /** Those that are text, by name, such as `:event-type`. */
  readonly headers: ReadonlyMap<string, string>;
  readonly payload: string;
}

/**
 * The length of the message that begins here. Its checksum is looked at first, so that a length is never believed that
 * was not sent.
 * @param prelude at least its twelve bytes.
 * @throws BrokenMessageError
 */
function readLength(prelude: Buffer): number {
  if (prelude.readUInt32BE(8) !== crc32(prelude.subarray(0, 8))) {
    throw new BrokenMessageError('the checksum of a prelude does not match');
  }
  const length = prelude.readUInt32BE(0);
  if (length > maxMessageBytes) {
    throw new BrokenMessageError(`a message of ${length} bytes is more than ${maxMessageBytes}`);
  }
  if (length < preludeBytes + prelude.readUInt32BE(4) + checksumBytes) {
    throw new BrokenMessageError('a message is shorter than its headers');
  }
  return length;
}

/** @param message exactly one, whose prelude has been read. @throws BrokenMessageError */
function readMessage(message: Buffer): EventMessage {
  const end = message.length - checksumBytes;
  if (message.readUInt32BE(end) !== crc32(message.subarray(0, end))) {
    throw new BrokenMessageError('the checksum of a message does not match');
  }
  const payloadStart = preludeBytes + message.readUInt32BE(4);
  return {
    headers: readHeaders(message.subarray(preludeBytes, payloadStart)),
    payload: message.toString('utf8', payloadStart, end),
  };
}

const stringType = 7;
const bytesType = 6;
/** Of the values whose length their type tells: true, false, byte, short, int, long, timestamp, uuid. */
const fixedBytes: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };

function readHeaders(bytes: Buffer): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  let at = 0;
  const take = (count: number): Buffer => {
    if (at + count > bytes.length) throw new BrokenMessageError('a header goes beyond its place');
    at += count;
    return bytes.subarray(at - count, at);
  };
  while (at < bytes.length) {
    const name = take(take(1).readUInt8()).toString('utf8');
    const type = take(1).readUInt8();
    const isSized = type === stringType || type === bytesType;
    const length = isSized ? take(2).readUInt16BE() : fixedBytes[type];
    if (length === undefined) throw new BrokenMessageError(`a header has the unknown type ${type}`);
    const value = take(length);
    if (type === stringType) headers.set(name, value.toString('utf8'));
  }
  return headers;
}

export class MessageSplitter {
  /** What has come of the next message; joined only when it is whole, so that a long one is not copied for each piece. */
  #pieces: Buffer[] = [];
  #bytes = 0;
  #needed = preludeBytes;

  /** Adds the messages that this piece completes. @throws BrokenMessageError, having added those before the broken one. */
  push(piece: Uint8Array, messages: EventMessage[]): void {
    this.#pieces.push(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength));
    this.#bytes += piece.byteLength;
    while (this.#bytes >= this.#needed) {
      const joined = this.#join();
      const length = readLength(joined);
      if (joined.length < length) {
        this.#needed = length;
        return;
      }
      messages.push(readMessage(joined.subarray(0, length)));
      this.#pieces = [joined.subarray(length)];
      this.#bytes = joined.length - length;
      this.#needed = preludeBytes;
    }
  }

  #join(): Buffer {
    const [first] = this.#pieces;
    const joined = this.#pieces.length === 1 && first !== undefined ? first : Buffer.concat(this.#pieces);
    this.#pieces = [joined];
    return joined;
  }
}
