/**
 * Reads answers of HTTP/1.1 from the bytes of a connection (RFC 9112), one after the other. It keeps no more than a head
 * or the line of a chunk, and throws at whatever two readers could understand differently.
 */
import { type AnswerHead, malformed, readHead } from './answer-head.ts';
import { AnswerError } from './errors.ts';

export interface AnswerReceiver {
  head(head: AnswerHead): void;
  /** Of the body; bytes that nobody else has. */
  piece(bytes: Buffer): void;
  /** The answer is whole. */
  end(): void;
}

const lineFeed = 10;
const carriageReturn = 13;
/** Copied anew with each piece that it comes in, so that it is short. */
const maxHeadBytes = 32_768;
const maxTrailerBytes = 16_384;
const maxChunkLineBytes = 1024;
/** Heads that only tell that the answer is still to come. */
const mostHints = 16;

type State = 'head' | 'length' | 'untilClose' | 'chunkLine' | 'chunk' | 'chunkEnd' | 'trailer' | 'over';

export class AnswerReader {
  readonly #receiver: AnswerReceiver;
  #state: State = 'head';
  /** Of the head, a line or the end of a chunk that has not come whole. */
  #rest: Buffer | undefined;
  /** Of the rest of a head: where its end may still begin. */
  #searched = 0;
  #hints = 0;
  /** Of the body, or of the chunk. */
  #missing = 0;
  #trailerBytes = 0;
  #idleSeconds = 0;

  constructor(receiver: AnswerReceiver) {
    this.#receiver = receiver;
  }

  get isOver(): boolean {
    return this.#state === 'over';
  }

  /** Whether the connection ends behind the answer whose head has come. */
  get isLast(): boolean {
    return this.#idleSeconds === 0;
  }

  /** Whether anything of the answer has come. */
  get hasBegun(): boolean {
    return this.#state !== 'head' || this.#rest !== undefined || this.#hints > 0;
  }

  /** For how long the connection may be idle and still be asked again; 0 where it may not. */
  get idleSeconds(): number {
    return this.#state === 'over' ? this.#idleSeconds : 0;
  }

  /** Another answer is to come. */
  begin(): void {
    this.#state = 'head';
    this.#hints = 0;
  }

  /** @throws AnswerError: the connection is of no use any more. */
  push(piece: Buffer): void {
    const rest = this.#rest;
    this.#rest = undefined;
    this.#read(rest === undefined ? piece : Buffer.concat([rest, piece]));
  }

  /** No more comes. @throws AnswerError where the answer is not whole. */
  close(): void {
    if (this.#state === 'over') return;
    if (this.#state !== 'untilClose') {
      throw new AnswerError('ConnectionClosed', 'the connection was closed before the answer was whole');
    }
    this.#end();
  }

  /** All that one piece has of a body is handed on together: pieces of chunks are moved next to each other within it. */
  #read(bytes: Buffer): void {
    const end = bytes.length;
    let at = 0;
    let bodyStart = 0;
    let bodyEnd = 0;
    while (at < end) {
      switch (this.#state) {
        case 'head': {
          const headEnd = endOfHead(bytes, at + this.#searched);
          this.#searched = 0;
          if (headEnd === -1) {
            if (end - at > maxHeadBytes) throw new AnswerError('HeadTooLarge', 'its head is too large');
            this.#rest = bytes.subarray(at);
            // Its last two bytes can be of the end already.
            this.#searched = Math.max(0, end - at - 2);
            return;
          }
          if (headEnd - at > maxHeadBytes) throw new AnswerError('HeadTooLarge', 'its head is too large');
          this.#readHead(bytes.toString('latin1', at, headEnd));
          at = headEnd;
          bodyStart = headEnd;
          bodyEnd = headEnd;
          break;
        }
        case 'length':
        case 'chunk': {
          const taken = Math.min(this.#missing, end - at);
          if (bodyEnd !== at) bytes.copyWithin(bodyEnd, at, at + taken);
          bodyEnd += taken;
          at += taken;
          this.#missing -= taken;
          if (this.#missing > 0) break;
          if (this.#state === 'chunk') this.#state = 'chunkEnd';
          else {
            this.#hand(bytes, bodyStart, bodyEnd);
            bodyStart = bodyEnd;
            this.#end();
          }
          break;
        }
        case 'untilClose':
          bodyEnd = end;
          at = end;
          break;
        case 'chunkEnd': {
          const next = afterLineEnd(bytes, at);
          if (next === -1) {
            this.#rest = bytes.subarray(at);
            at = end;
            break;
          }
          at = next;
          this.#state = 'chunkLine';
          break;
        }
        case 'chunkLine': {
          const lineEnd = bytes.indexOf(lineFeed, at);
          if (lineEnd === -1) {
            if (end - at > maxChunkLineBytes) throw malformed('the line of a chunk is too long');
            this.#rest = bytes.subarray(at);
            at = end;
            break;
          }
          this.#missing = lengthOfChunk(bytes, at, lineEnd);
          at = lineEnd + 1;
          this.#trailerBytes = 0;
          this.#state = this.#missing === 0 ? 'trailer' : 'chunk';
          break;
        }
        case 'trailer': {
          const lineEnd = bytes.indexOf(lineFeed, at);
          this.#trailerBytes += (lineEnd === -1 ? end : lineEnd) - at;
          if (this.#trailerBytes > maxTrailerBytes) throw malformed('its trailer is too long');
          if (lineEnd === -1) {
            this.#trailerBytes -= end - at;
            this.#rest = bytes.subarray(at);
            at = end;
            break;
          }
          const isLast = lineEnd === at || (lineEnd === at + 1 && bytes[at] === carriageReturn);
          at = lineEnd + 1;
          if (!isLast) break;
          this.#hand(bytes, bodyStart, bodyEnd);
          bodyStart = bodyEnd;
          this.#end();
          break;
        }
        case 'over':
          // Nobody asked for more: what it is cannot be known, and whose answer comes next neither.
          this.#idleSeconds = 0;
          return;
      }
    }
    this.#hand(bytes, bodyStart, bodyEnd);
  }

  #hand(bytes: Buffer, start: number, end: number): void {
    if (end > start) this.#receiver.piece(bytes.subarray(start, end));
  }

  #end(): void {
    this.#state = 'over';
    this.#receiver.end();
  }

  #readHead(text: string): void {
    const read = readHead(text);
    if (read === null) {
      this.#hints += 1;
      if (this.#hints > mostHints) throw malformed('it only tells that it will come');
      return;
    }
    const { head, isChunked, idleSeconds } = read;
    const isUntilClose = head.length === null && !isChunked;
    this.#idleSeconds = isUntilClose ? 0 : idleSeconds;
    this.#receiver.head(head);
    if (head.length === 0) this.#end();
    else if (head.length === null) this.#state = isUntilClose ? 'untilClose' : 'chunkLine';
    else {
      this.#missing = head.length;
      this.#state = 'length';
    }
  }
}

/** Behind the empty line; -1 where it has not come. */
function endOfHead(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(lineFeed, from); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) {
    if (bytes[at + 1] === lineFeed) return at + 2;
    if (bytes[at + 1] === carriageReturn && bytes[at + 2] === lineFeed) return at + 3;
  }
  return -1;
}

/** Behind the end of a line that must stand here; -1 where it has not come whole. */
function afterLineEnd(bytes: Buffer, at: number): number {
  if (bytes[at] === lineFeed) return at + 1;
  if (bytes[at] !== carriageReturn) throw malformed('a chunk does not end where it said');
  if (at + 1 === bytes.length) return -1;
  if (bytes[at + 1] !== lineFeed) throw malformed('a chunk does not end where it said');
  return at + 2;
}

/** Extensions are nobody's here, but a line end within the line would be one for others. */
function lengthOfChunk(bytes: Buffer, at: number, lineFeedAt: number): number {
  if (lineFeedAt - at > maxChunkLineBytes) throw malformed('the line of a chunk is too long');
  const end = lineFeedAt > at && bytes[lineFeedAt - 1] === carriageReturn ? lineFeedAt - 1 : lineFeedAt;
  let length = 0;
  let place = at;
  for (; place < end; place += 1) {
    const digit = hexadecimal(bytes[place] ?? 0);
    if (digit === -1) break;
    length = length * 16 + digit;
  }
  const hasLength = place > at && length <= Number.MAX_SAFE_INTEGER;
  if (!hasLength || (place < end && !isExtension(bytes, place, end)))
    throw malformed('the length of a chunk is none');
  return length;
}

/** Blanks alone, or whatever begins with a semicolon behind them. */
function isExtension(bytes: Buffer, from: number, end: number): boolean {
  let at = from;
  while (bytes[at] === 32 || bytes[at] === 9) at += 1;
  const isBegun = at >= end || bytes[at] === 59;
  return isBegun && bytes.subarray(at, end).indexOf(carriageReturn) === -1;
}

function hexadecimal(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const small = code | 32;
  return small >= 97 && small <= 102 ? small - 87 : -1;
}
