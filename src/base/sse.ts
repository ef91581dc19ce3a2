/** Server-sent events as bytes: cutting a stream into whole frames, and reading what a frame carries. */

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const empty = Buffer.alloc(0);

export class FrameTooLargeError extends Error {
  constructor(maxBytes: number) {
    super(`a stream event is larger than ${maxBytes} bytes`);
    this.name = 'FrameTooLargeError';
  }
}

/**
 * Turns chunks that may end anywhere into blocks that hold whole frames only. What follows the last whole frame is
 * kept, up to `maxFrameBytes`, until the rest of it arrives.
 */
export class FrameSplitter {
  #rest: Buffer = empty;
  readonly #maxFrameBytes: number;

  constructor(maxFrameBytes: number) {
    this.#maxFrameBytes = maxFrameBytes;
  }

  /**
   * The whole frames that this chunk completes, with their terminators; empty when it completes none.
   * @throws FrameTooLargeError when an unfinished frame outgrows the bound.
   */
  push(chunk: Uint8Array): Buffer {
    const bytes = this.#rest.length === 0 ? asBuffer(chunk) : Buffer.concat([this.#rest, chunk]);
    const end = endOfLastFrame(bytes);
    if (end === bytes.length) {
      this.#rest = empty;
      return bytes;
    }
    if (bytes.length - end > this.#maxFrameBytes) throw new FrameTooLargeError(this.#maxFrameBytes);
    this.#rest = bytes.subarray(end);
    return bytes.subarray(0, end);
  }

  /** What is left when the stream has ended: a frame whose terminator never came, or nothing. */
  rest(): Buffer {
    return this.#rest;
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
}

/** Index just past the last blank line, or 0. Lines end in LF or CRLF. */
function endOfLastFrame(bytes: Buffer): number {
  let at = bytes.length - 1;
  while (at > 0) {
    at = bytes.lastIndexOf(lineFeed, at);
    if (at <= 0) return 0;
    if (isBlankLineEnd(bytes, at)) return at + 1;
    at -= 1;
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
