/** The body of an answer, as far as it has come, and the `Response` that it is given on in. */
import { AnswerError, type AnswerHead, malformed } from './answer-head.ts';

/** What waits to be read, beyond which the connection is not read; and below which it is again. */
const pauseBytes = 262_144;
/** What a piece takes besides its bytes. */
const pieceBytes = 128;

interface BodyFlow {
  pause(): void;
  resume(): void;
  /** Nobody reads it any more. */
  leave(): void;
}

export class AnswerBody {
  readonly #flow: BodyFlow;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #isPaused = false;
  #isWhole = false;
  #failure: { readonly reason: unknown } | undefined;
  /** Who reads waits for it. */
  #wake: (() => void) | undefined;

  constructor(flow: BodyFlow) {
    this.#flow = flow;
  }

  get isWhole(): boolean {
    return this.#isWhole;
  }

  push(bytes: Buffer): void {
    // A few bytes would keep all that came with them.
    const isSmall = bytes.length * 4 < bytes.buffer.byteLength;
    this.#pieces.push(isSmall ? Buffer.from(bytes) : bytes);
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
    const [first, second] = this.#pieces;
    const isAlone = second === undefined && first?.buffer instanceof ArrayBuffer;
    const all = isAlone
      ? new Uint8Array(first.buffer, first.byteOffset, first.byteLength)
      : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#bytes = 0;
    if (this.#isPaused) {
      this.#isPaused = false;
      this.#flow.resume();
    }
    return all;
  }

  /** In pieces as they come; what comes before it is read is one. */
  stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull: (controller) => {
          if (this.#hand(controller)) return;
          return new Promise<void>((resolve) => {
            this.#wake = () => {
              this.#wake = undefined;
              this.#hand(controller);
              resolve();
            };
          });
        },
        cancel: () => this.#flow.leave(),
      },
      { highWaterMark: 0 },
    );
  }

  /** @returns false where there is nothing to hand yet. */
  #hand(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): boolean {
    if (this.#bytes > 0) controller.enqueue(this.take());
    else if (this.#failure !== undefined) controller.error(this.#failure.reason);
    else if (this.#isWhole) controller.close();
    else return false;
    return true;
  }

  #tell(): void {
    this.#wake?.();
  }
}

/** @throws AnswerError for a coding that cannot be undone; TypeError for a head that is none. */
export function answerOf({ status, fields, length, coding }: AnswerHead, body: AnswerBody): Response {
  const headers = new Headers(fields as [string, string][]);
  if (isWithoutBody(status)) {
    body.leave();
    return new Response(null, { status, headers });
  }
  if (coding !== null && length !== 0)
    return new Response(decoded(body, coding, headers), { status, headers });
  if (body.isWhole) return new Response(length === 0 ? '' : body.take(), { status, headers });
  return new Response(body.stream(), { status, headers });
}

/** A `Response` of these takes none. */
const isWithoutBody = (status: number): boolean => status === 204 || status === 205 || status === 304;

/** Nobody asked for them, and some servers always send one. */
const formats: Readonly<Record<string, Bun.CompressionFormat>> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  br: 'brotli',
  zstd: 'zstd',
};

function decoded(body: AnswerBody, coding: string, headers: Headers): ReadableStream<Uint8Array> {
  const format = Object.hasOwn(formats, coding) ? formats[coding] : undefined;
  if (format === undefined) throw new AnswerError('UnknownCoding', `nobody asked for the coding ${coding}`);
  // They tell of what was sent, not of what is read.
  headers.delete('content-encoding');
  headers.delete('content-length');
  // The runtime knows more of them than the types of browsers do.
  const unpacking = new DecompressionStream(format as CompressionFormat);
  const reader = body.stream().pipeThrough(unpacking).getReader();
  return new ReadableStream<Uint8Array>(
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
