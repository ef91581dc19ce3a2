/** Server-sent events: cutting a stream of bytes into whole frames, and reading what the frames carry. */

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const returnByte = Buffer.of(carriageReturn);
const empty = Buffer.alloc(0);
const byteOrderMark = Buffer.of(0xef, 0xbb, 0xbf);
const dataField = 'data:';

/** A frame that says nothing, as a sign of life. */
export const idleComment = ': still waiting\n\n';

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
  if (Buffer.isBuffer(bytes)) return bytes;
  return Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
}

/** Index just past the last blank line that ends at `from` or behind it, or 0. Lines end in LF or CRLF. */
function endOfLastFrame(bytes: Buffer, from: number): number {
  const last = bytes.length - 1;
  // Most chunks end with a frame, which is seen without a search.
  if (last >= from && bytes[last] === lineFeed && isBlankLineEnd(bytes, last)) return last + 1;
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

/**
 * Lines end in LF, CRLF or a return alone. Makes a line feed of each such return, wherever the chunks are cut, so that
 * the rest of this file deals with the first two only.
 */
class LoneReturns {
  /** The last byte was a return, and the next will tell what it is. */
  #holdsReturn = false;
  /** The last byte was a return by itself, so that a line feed behind it is a part of the same line end. */
  #skipsLineFeed = false;

  replace(chunk: Buffer): Buffer {
    if (chunk.length === 0) return chunk;
    let bytes = this.#skipsLineFeed && chunk[0] === lineFeed ? chunk.subarray(1) : chunk;
    this.#skipsLineFeed = false;
    if (this.#holdsReturn) bytes = Buffer.concat([returnByte, bytes]);
    this.#holdsReturn = false;
    const first = bytes.indexOf(carriageReturn);
    return first === -1 ? bytes : this.#replaceFrom(bytes, first);
  }

  #replaceFrom(bytes: Buffer, first: number): Buffer {
    let replaced: Buffer | null = null;
    for (let at = first; at !== -1; at = bytes.indexOf(carriageReturn, at + 1)) {
      const next = bytes[at + 1];
      if (next === lineFeed) continue;
      // An empty line is told at once, since nothing may come behind it.
      if (next === undefined && bytes[at - 1] !== carriageReturn) {
        this.#holdsReturn = true;
        return (replaced ?? bytes).subarray(0, at);
      }
      this.#skipsLineFeed = next === undefined;
      replaced ??= Buffer.from(bytes);
      replaced[at] = lineFeed;
    }
    return replaced ?? bytes;
  }
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
  let at = block.indexOf(lineFeed, from);
  while (at !== -1) {
    if (at > from && isBlankLineEnd(block, at)) return at + 1;
    // The empty line mostly follows at once, and is seen without another search.
    if (block[at + 1] === lineFeed) return at + 2;
    at = block.indexOf(lineFeed, at + 1);
  }
  return block.length;
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
  const text = frame.toString('utf8');
  const end = text.length - 2;
  // Most frames are one line of data.
  const isOneLine = text.startsWith(dataField) && text.indexOf('\n') === end && text.endsWith('\n');
  if (isOneLine && text.charCodeAt(end - 1) !== carriageReturn) return dataIn(text, end);
  let data: string | null = null;
  for (const line of text.split(/\r?\n/)) {
    if (!line.startsWith(dataField)) continue;
    const value = dataIn(line, line.length);
    data = data === null ? value : `${data}\n${value}`;
  }
  return data;
}

/** What follows the name of the field, and the space behind that. */
const dataIn = (line: string, end: number): string =>
  line.slice(line.charCodeAt(dataField.length) === space ? dataField.length + 1 : dataField.length, end);

/** Hands over the data of each frame in a block of whole frames; frames without any, such as comments, are passed over. */
export function eachData(block: string, take: (data: string) => void): void {
  let data: string | null = null;
  let at = 0;
  while (at < block.length) {
    const lineFeed = block.indexOf('\n', at);
    const next = lineFeed === -1 ? block.length : lineFeed;
    const end = next > at && block.charCodeAt(next - 1) === carriageReturn ? next - 1 : next;
    if (end === at) {
      if (data !== null) take(data);
      data = null;
    } else if (block.startsWith(dataField, at)) {
      const start = at + dataField.length;
      const value = block.slice(block.charCodeAt(start) === space ? start + 1 : start, end);
      data = data === null ? value : `${data}\n${value}`;
    }
    at = next + 1;
  }
  if (data !== null) take(data);
}
