/** Server-sent events as bytes: cutting a stream into whole frames, and reading what a frame carries. */
import { LoneReturns } from './lone-returns.ts';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const empty = Buffer.alloc(0);
const byteOrderMark = Buffer.of(0xef, 0xbb, 0xbf);

export class FrameTooLargeError extends Error {
  constructor(maxBytes: number) {
    super(`a stream event is larger than ${maxBytes} bytes`);
    this.name = 'FrameTooLargeError';
  }
}

/**
 * Turns chunks that may end anywhere into blocks that hold whole frames only. What follows the last whole frame is
 * kept, up to `maxFrameBytes`, until the rest of it arrives. A byte order mark before the first frame is left out.
 */
export class FrameSplitter {
  /** Begins with the rest; what is behind it is room, so that a long frame is not copied for each of its pieces. */
  #held: Buffer = empty;
  #restBytes = 0;
  #isAtStart = true;
  readonly #returns = new LoneReturns();
  readonly #maxFrameBytes: number;

  constructor(maxFrameBytes: number) {
    this.#maxFrameBytes = maxFrameBytes;
  }

  /**
   * The whole frames that this chunk completes, with their terminators; empty when it completes none.
   * @throws FrameTooLargeError when an unfinished frame outgrows the bound.
   */
  push(chunk: Uint8Array): Buffer {
    const piece = this.#returns.replace(asBuffer(chunk));
    const known = this.#restBytes;
    const bytes = known === 0 ? piece : this.#append(piece);
    const end = endOfLastFrame(bytes, known);
    const rest = bytes.length - end;
    if (rest > this.#maxFrameBytes) throw new FrameTooLargeError(this.#maxFrameBytes);
    if (rest === 0) this.#held = empty;
    else if (end > 0 || known === 0) this.#held = bytes.subarray(end);
    this.#restBytes = rest;
    if (end === 0) return empty;
    return this.#withoutMark(rest === 0 ? bytes : bytes.subarray(0, end));
  }

  /** What is left when the stream has ended: a frame whose terminator never came, or nothing. */
  rest(): Buffer {
    return this.#withoutMark(this.#held.subarray(0, this.#restBytes));
  }

  #append(piece: Buffer): Buffer {
    const known = this.#restBytes;
    const length = known + piece.length;
    if (length > this.#held.length) {
      const grown = Buffer.allocUnsafe(Math.max(length, 2 * known));
      this.#held.copy(grown, 0, 0, known);
      this.#held = grown;
    }
    piece.copy(this.#held, known);
    return this.#held.subarray(0, length);
  }

  #withoutMark(bytes: Buffer): Buffer {
    if (!this.#isAtStart) return bytes;
    this.#isAtStart = false;
    return byteOrderMark.equals(bytes.subarray(0, byteOrderMark.length))
      ? bytes.subarray(byteOrderMark.length)
      : bytes;
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
}

/** Index just past the last blank line that ends at `from` or behind it, or 0. Lines end in LF or CRLF. */
function endOfLastFrame(bytes: Buffer, from: number): number {
  const fresh = from === 0 ? bytes : bytes.subarray(from);
  for (let at = fresh.lastIndexOf(lineFeed); at !== -1; at = fresh.lastIndexOf(lineFeed, at - 1)) {
    if (isBlankLineEnd(bytes, from + at)) return from + at + 1;
    if (at === 0) break;
  }
  return 0;
}

/** Whether the line feed at `at` ends an empty line, so that it ends a frame. */
function isBlankLineEnd(bytes: Buffer, at: number): boolean {
  const before = bytes[at - 1];
  if (before === lineFeed) return true;
  return before === carriageReturn && at >= 2 && bytes[at - 2] === lineFeed;
}

/** Each frame of a block of whole frames, terminator included. */
export function* framesOf(block: Buffer): Generator<Buffer> {
  let start = 0;
  while (start < block.length) {
    const end = endOfFrame(block, start);
    yield block.subarray(start, end);
    start = end;
  }
}

/** Index just past the frame that begins at or contains `from`. */
export function endOfFrame(block: Buffer, from: number): number {
  let at = from;
  while (true) {
    at = block.indexOf(lineFeed, at);
    if (at === -1) return block.length;
    if (at > from && isBlankLineEnd(block, at)) return at + 1;
    at += 1;
  }
}

/** Index where the frame that contains `within` begins. */
export function startOfFrame(block: Buffer, within: number): number {
  let at = within - 1;
  while (at > 0) {
    at = block.lastIndexOf(lineFeed, at);
    if (at <= 0) return 0;
    if (isBlankLineEnd(block, at)) return at + 1;
    at -= 1;
  }
  return 0;
}

/** The frame's `data:` lines joined by line feeds; null when it has none (a comment, a keep-alive). */
export function readData(frame: Buffer): string | null {
  let data: string | null = null;
  for (const line of frame.toString('utf8').split(/\r?\n/)) {
    if (!line.startsWith('data:')) continue;
    const value = line.charCodeAt(5) === 0x20 ? line.slice(6) : line.slice(5);
    data = data === null ? value : `${data}\n${value}`;
  }
  return data;
}
