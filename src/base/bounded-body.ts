/** Bodies read whole, never beyond a bound, and held to a pace while they arrive. */

import type { HeldBytes } from './byte-budget.ts';
import type { Deadline, Deadlines } from './deadlines.ts';
import { AppError } from './errors.ts';
import { type HttpAnswer, readerOf } from './http-answer.ts';

export class BodyTooLargeError extends Error {
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    super(`a body is larger than ${maxBytes} bytes`);
    this.name = 'BodyTooLargeError';
    this.maxBytes = maxBytes;
  }
}

/** One that is shorter comes in a packet or a few, so that its progress is not worth looking at. */
const shortBytes = 65_536;

export interface BodyBounds {
  readonly maxBytes: number;
  /** Takes what is read, as it comes; a short body that says how long it is at once. */
  readonly held: HeldBytes;
  /** Refuses what is no UTF-8; else U+FFFD stands for it in the text. */
  readonly mustBeUtf8?: boolean;
  /** Called as pieces of a long body, or of one of unknown length, arrive. What it throws ends the reading. */
  onProgress(receivedBytes: number): void;
}

/**
 * The body as text. A declared length is trusted as far as it is small enough, since the HTTP layer holds the sender to
 * it; the length of a compressed body says nothing of what it unpacks to, nor does one beside chunks.
 * Rejects with BodyTooLargeError as soon as the bound is known to be passed, with AppError server_busy where there is no
 * room for the body, and with malformed_request for what must be UTF-8 and is not.
 */
export function readTextWithin(message: Request | HttpAnswer, bounds: BodyBounds): Promise<string> {
  // No async function: nearly all bodies are short, and each wait is a turn more and some objects.
  try {
    const length = declaredLength(message);
    const isCertain = length !== null && message.headers.get('content-encoding') === null;
    const isOther = bounds.mustBeUtf8 === true || !isCertain || length > shortBytes;
    if (isOther) return readLongText(message, isCertain ? length : null, bounds);
    if (length > bounds.maxBytes) throw new BodyTooLargeError(bounds.maxBytes);
    bounds.held.take(length);
    return message.text();
  } catch (thrown) {
    return Promise.reject(thrown);
  }
}

const decoder = new TextDecoder();

/**
 * The same at once, where all of it has come already, so that nothing is declared and nothing awaited; null where not.
 * @throws BodyTooLargeError, and AppError server_busy.
 */
export function takeTextWithin(message: HttpAnswer, { maxBytes, held }: BodyBounds): string | null {
  const whole = message.takeWhole?.() ?? null;
  if (whole === null) return null;
  if (whole.byteLength > maxBytes) throw new BodyTooLargeError(maxBytes);
  held.take(whole.byteLength);
  return decoder.decode(whole);
}

/** @param length null where it is not known. */
async function readLongText(
  message: Request | HttpAnswer,
  length: number | null,
  bounds: BodyBounds,
): Promise<string> {
  const { maxBytes, held } = bounds;
  if (length === null) {
    const pieces: Uint8Array[] = [];
    await readPieces(message, bounds, (piece) => {
      held.take(piece.byteLength);
      pieces.push(piece);
    });
    return decode(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces), bounds);
  }
  try {
    if (length > maxBytes) throw new BodyTooLargeError(maxBytes);
    // What is only declared keeps nobody else out.
    held.requireRoom(length);
  } catch (thrown) {
    // An upstream would keep its connection open for what nobody takes; a client has yet to be told.
    if (!(message instanceof Request))
      readerOf(message)
        ?.cancel()
        .catch(() => undefined);
    throw thrown;
  }
  const whole = Buffer.allocUnsafeSlow(length);
  let at = 0;
  await readPieces(message, bounds, (piece) => {
    held.take(piece.byteLength);
    whole.set(piece, at);
    at += piece.byteLength;
  });
  return decode(at === length ? whole : whole.subarray(0, at), bounds);
}

function decode(bytes: Uint8Array | undefined, { mustBeUtf8 = false }: BodyBounds): string {
  try {
    return new TextDecoder('utf-8', { fatal: mustBeUtf8 }).decode(bytes);
  } catch (cause) {
    throw new AppError({ code: 'malformed_request', public: 'The body is not valid UTF-8.', cause });
  }
}

/**
 * Null where the sender does not say, or not in a way that can be relied on: an upstream that says it twice, or sends
 * chunks all the same.
 * @throws AppError malformed_request for a client that says it in two ways.
 */
export function declaredLength(message: Request | HttpAnswer): number | null {
  const declared = message.headers.get('content-length');
  if (declared === null) return null;
  if (/^\d{1,15}$/.test(declared)) {
    const isCertain = message instanceof Request || message.headers.get('transfer-encoding') === null;
    return isCertain ? Number(declared) : null;
  }
  if (!(message instanceof Request)) return null;
  throw new AppError({
    code: 'malformed_request',
    public: 'The Content-Length header must be one whole number.',
  });
}

async function readPieces(
  message: Request | HttpAnswer,
  { maxBytes, onProgress }: BodyBounds,
  keep: (piece: Uint8Array) => void,
): Promise<void> {
  const reader = readerOf(message);
  if (reader === null) return;
  let total = 0;
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      total += value.byteLength;
      if (total > maxBytes) throw new BodyTooLargeError(maxBytes);
      // Ahead of it, since who waits no longer for what came late has given back what was held.
      onProgress(total);
      keep(value);
    }
  } catch (thrown) {
    // Whoever gave up does not take in the rest.
    reader.cancel().catch(() => undefined);
    throw thrown;
  }
}

/** Longer silences inside a body are those of a sender that has gone, or that wants to keep a place. */
const longestSilenceMs = 30_000;
/** A body has this long, and what its length takes at the lowest rate. */
const graceMs = 60_000;
const lowestBytesPerMs = 16;

/** Says so when a body comes too slowly: nothing for a while, or less in all than the slowest line brings. */
export class BodyPace {
  readonly #deadline: Deadline;
  readonly #deadlines: Deadlines;
  readonly #beganAtMs: number;
  #isLate = false;

  constructor(deadlines: Deadlines, onLate: () => void) {
    this.#deadlines = deadlines;
    this.#deadline = deadlines.start(longestSilenceMs, () => {
      this.#isLate = true;
      onLate();
    });
    this.#beganAtMs = deadlines.nowMs;
  }

  /** True from `onLate` on. */
  get isLate(): boolean {
    return this.#isLate;
  }

  progressed(receivedBytes: number): void {
    if (this.#isLate) return;
    const endsAtMs = this.#beganAtMs + graceMs + receivedBytes / lowestBytesPerMs;
    this.#deadline.extend(Math.min(longestSilenceMs, endsAtMs - this.#deadlines.nowMs));
  }

  stop(): void {
    this.#deadline.stop();
  }
}

const slowest = `nothing came for ${longestSilenceMs / 1000} s, or less than ${lowestBytesPerMs} kB a second in all`;

/** For whoever sends a body that is late. */
export function tooSlow(sent: 'request body' | 'upload'): AppError {
  return new AppError({ code: 'request_timeout', public: `The ${sent} came too slowly: ${slowest}.` });
}

export function brokenOff(cause: unknown): AppError {
  return new AppError({ code: 'malformed_request', public: 'The request body broke off.', cause });
}
