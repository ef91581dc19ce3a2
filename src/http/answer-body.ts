/** The body of an answer, as far as it has come, and the answer that it is given on in. */
import {
  type BodyPiece,
  type BodyReader,
  type HttpAnswer,
  type HttpFields,
  readerOf,
} from '../base/http-answer.ts';
import { type AnswerHead, malformed } from './answer-head.ts';
import { AnswerError } from './errors.ts';

/** With more bytes than this unread the connection is not read; it is again once they are taken. */
const pauseBytes = 262_144;
/** What a piece takes besides its bytes. */
const pieceBytes = 128;

/** Whoever brings the body. */
export interface BodyFlow {
  pause(): void;
  resume(): void;
  /** Nobody reads it any more. */
  leave(): void;
}

/** Read in pieces as they come; what comes before it is read is one. */
export class AnswerBody implements BodyReader {
  readonly #flow: BodyFlow;
  /** Most of what is taken is a single piece, which needs no list. */
  #first: Buffer | undefined;
  /** All of them, the first too, where there are several. */
  #pieces: Buffer[] | undefined;
  #bytes = 0;
  #isPaused = false;
  #isWhole = false;
  #failure: { readonly reason: unknown } | undefined;
  /** Whoever reads has been told of it. */
  #isFailed = false;
  /** Those who wait for what has not come, each for another piece. */
  readonly #readings: PromiseWithResolvers<BodyPiece>[] = [];

  constructor(flow: BodyFlow) {
    this.#flow = flow;
  }

  get isWhole(): boolean {
    return this.#isWhole;
  }

  push(bytes: Buffer): void {
    // A few bytes would keep all that came with them.
    const isSmall = bytes.length * 4 < bytes.buffer.byteLength;
    const piece = isSmall ? Buffer.from(bytes) : bytes;
    if (this.#first === undefined) this.#first = piece;
    else if (this.#pieces === undefined) this.#pieces = [this.#first, piece];
    else this.#pieces.push(piece);
    this.#bytes += bytes.length + pieceBytes;
    if (this.#bytes > pauseBytes && !this.#isPaused) {
      this.#isPaused = true;
      this.#flow.pause();
    }
    this.#tell();
  }

  end(): void {
    this.#isWhole = true;
    this.#tell();
  }

  fail(reason: unknown): void {
    this.#failure = { reason };
    this.#tell();
  }

  /** Nobody will read it. */
  leave(): void {
    this.#flow.leave();
  }

  /** All that has come and was not read. */
  take(): Uint8Array<ArrayBuffer> {
    const first = this.#first;
    const isAlone = this.#pieces === undefined && first?.buffer instanceof ArrayBuffer;
    const all = isAlone
      ? new Uint8Array(first.buffer, first.byteOffset, first.byteLength)
      : Buffer.concat(this.#pieces ?? (first === undefined ? [] : [first]));
    this.#first = undefined;
    this.#pieces = undefined;
    this.#bytes = 0;
    if (this.#isPaused) {
      this.#isPaused = false;
      this.#flow.resume();
    }
    return all;
  }

  read(): Promise<BodyPiece> {
    const reading = Promise.withResolvers<BodyPiece>();
    if (!this.#hand(reading)) this.#readings.push(reading);
    return reading.promise;
  }

  /** Nobody will read the rest; as a stream has it, who waits for more is told that there is none. */
  cancel(): Promise<void> {
    if (this.#isFailed) return Promise.reject(this.#failure?.reason);
    this.#first = undefined;
    this.#pieces = undefined;
    this.#bytes = 0;
    this.#failure = undefined;
    this.end();
    this.#flow.leave();
    return Promise.resolve();
  }

  stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull: async (controller) => {
          const { done, value } = await this.read();
          if (done) controller.close();
          else controller.enqueue(value);
        },
        cancel: () => this.leave(),
      },
      { highWaterMark: 0 },
    );
  }

  /** @returns false where there is nothing to hand yet. */
  #hand(reading: PromiseWithResolvers<BodyPiece>): boolean {
    if (this.#bytes > 0) reading.resolve({ done: false, value: this.take() });
    else if (this.#failure !== undefined) {
      this.#isFailed = true;
      reading.reject(this.#failure.reason);
    } else if (this.#isWhole) reading.resolve({ done: true });
    else return false;
    return true;
  }

  #tell(): void {
    for (let first = this.#readings[0]; first !== undefined && this.#hand(first); first = this.#readings[0]) {
      this.#readings.shift();
    }
  }
}

/** @throws AnswerError for a coding that cannot be undone. */
export function answerOf({ status, fields, length, coding }: AnswerHead, body: AnswerBody): HttpAnswer {
  if (isWithoutBody(status)) {
    body.leave();
    return new Answer(status, fields, null);
  }
  if (coding === null || length === 0) return new Answer(status, fields, body);
  // They tell of what was sent, not of what is read.
  return new Answer(status, fields.without(['content-encoding', 'content-length']), decoded(body, coding));
}

/** Whatever is said of a body, none comes. */
const isWithoutBody = (status: number): boolean => status === 204 || status === 205 || status === 304;

const decoder = new TextDecoder();

type Body = AnswerBody | ReadableStream<Uint8Array<ArrayBuffer>> | null;

/** Nothing is made before it is asked for: of most answers the body is read whole, and a field or two. */
class Answer implements HttpAnswer {
  readonly status: number;
  readonly headers: HttpFields;
  /** A stream once it was asked for as one. */
  #body: Body;

  constructor(status: number, fields: HttpFields, body: Body) {
    this.status = status;
    this.headers = fields;
    this.#body = body;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (this.#body instanceof AnswerBody) this.#body = this.#body.stream();
    return this.#body;
  }

  reader(): BodyReader | null {
    return this.#body instanceof AnswerBody ? this.#body : null;
  }

  async text(): Promise<string> {
    const whole = this.takeWhole();
    if (whole !== null) return decoder.decode(whole);
    const pieces: Uint8Array[] = [];
    const reader = readerOf(this);
    for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read()) {
      pieces.push(piece.value);
    }
    return decoder.decode(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces));
  }

  takeWhole(): Uint8Array | null {
    if (this.#body === null) return new Uint8Array();
    return this.#body instanceof AnswerBody && this.#body.isWhole ? this.#body.take() : null;
  }
}

/** Nobody asked for them, and some servers always send one. */
const formats: Readonly<Record<string, Bun.CompressionFormat>> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  br: 'brotli',
  zstd: 'zstd',
};

function decoded(body: AnswerBody, coding: string): ReadableStream<Uint8Array<ArrayBuffer>> {
  const format = Object.hasOwn(formats, coding) ? formats[coding] : undefined;
  if (format === undefined) throw new AnswerError('UnknownCoding', `nobody asked for the coding ${coding}`);
  // The runtime knows more of them than the types of browsers do.
  const unpacking = new DecompressionStream(format as CompressionFormat);
  const reader = body.stream().pipeThrough(unpacking).getReader();
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (thrown) {
          // The runtime's words for it have no code, and look like a mistake of this program.
          throw thrown instanceof TypeError ? malformed(`it is no ${coding}`) : thrown;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
