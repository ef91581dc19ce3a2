/** The head of an answer of HTTP/1.1: its status, its fields, and what they say of where its body ends (RFC 9112). */

/** What a server sent is no answer, or not all of one: it has begun to answer, and may have worked. */
export class AnswerError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'AnswerError';
    this.code = code;
  }
}

export interface AnswerHead {
  readonly status: number;
  /** In the order they came; names in lower case. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** By the lengths that it says: 0 where no body comes, null where that is not known. */
  readonly length: number | null;
  /** Other than `identity`; null for none. */
  readonly coding: string | null;
}

export interface ReadHead {
  readonly head: AnswerHead;
  readonly isChunked: boolean;
  /** For how long its connection may rest to be asked again; 0 where it is to end behind the answer. */
  readonly restSeconds: number;
}

/** Most servers close what rests for a minute. */
const mostRestSeconds = 55;
/** Real ones have some thirty. */
const mostFields = 256;

/**
 * @param text from the status on to the empty line, a character a byte.
 * @returns null for one that only tells that the answer is still to come.
 * @throws AnswerError for whatever two readers could understand differently.
 */
export function readHead(text: string): ReadHead | null {
  const lines = text.split('\n');
  if (lines.length > mostFields) throw new AnswerError('HeadTooLarge', 'its head has too many fields');
  const first = lineAt(lines, 0);
  const status = statusOf(first);
  if (status >= 100 && status < 200) {
    if (status === 101) throw malformed('it changes the protocol, for which nobody asked');
    return null;
  }
  const framing = new Framing(first.startsWith('HTTP/1.0'));
  const fields: [string, string][] = [];
  for (let number = 1; number < lines.length; number += 1) {
    const line = lineAt(lines, number);
    if (line === '') continue;
    const colon = line.indexOf(':');
    const name = line.slice(0, colon);
    // A name with a space before its colon, and a line that continues the one before it, are read differently by others.
    if (colon < 1 || !fieldName.test(name)) throw malformed('a line of its head is no field');
    const value = withoutBlanks(line.slice(colon + 1));
    if (controlCharacter.test(value))
      throw malformed('a field of its head has a character that none may have');
    const lower = name.toLowerCase();
    framing.take(lower, value);
    fields.push([lower, value]);
  }
  const isBodyless = status === 204 || status === 304;
  if (isBodyless) framing.leaveBody(status);
  const length = isBodyless ? 0 : framing.length();
  const { restSeconds, isChunked, coding } = framing;
  return { head: { status, fields, length, coding }, restSeconds, isChunked };
}

/** A token of RFC 9110, 5.6.2. */
export const fieldName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** What a head says of where its body ends, and of the connection behind it. */
class Framing {
  isChunked = false;
  coding: string | null = null;
  #length: number | null = null;
  readonly #isOld: boolean;
  #isLast: boolean;
  #mustEnd = false;
  #restSeconds = mostRestSeconds;

  /** @param isOld of HTTP/1.0, where connections end unless it says otherwise, and chunks are unknown. */
  constructor(isOld: boolean) {
    this.#isOld = isOld;
    this.#isLast = isOld;
  }

  get restSeconds(): number {
    return this.#isLast || this.#mustEnd ? 0 : this.#restSeconds;
  }

  take(name: string, value: string): void {
    switch (name) {
      case 'content-length': {
        // Repeated alike it is one length (RFC 9110, 8.6).
        for (const text of value.split(',')) this.#takeLength(withoutBlanks(text));
        break;
      }
      case 'transfer-encoding':
        if (this.isChunked || value.toLowerCase() !== 'chunked') {
          throw malformed('its transfer coding is unknown');
        }
        this.isChunked = true;
        if (this.#isOld) this.#mustEnd = true;
        break;
      case 'connection': {
        const options = value.toLowerCase();
        if (options.includes('close')) this.#mustEnd = true;
        else if (options.includes('keep-alive')) this.#isLast = false;
        break;
      }
      case 'keep-alive': {
        // A request that leaves in the last second could meet the end of the connection.
        const seconds = Number(/\btimeout=(\d{1,6})/i.exec(value)?.[1] ?? mostRestSeconds + 1) - 1;
        this.#restSeconds = Math.max(0, Math.min(mostRestSeconds, seconds));
        break;
      }
      case 'content-encoding':
        if (value !== '' && value.toLowerCase() !== 'identity') this.coding = value.toLowerCase();
        break;
      default:
    }
  }

  /** Chunks count before a length; who sends both is not asked again (RFC 9112, 6.3). */
  length(): number | null {
    if (!this.isChunked) return this.#length;
    if (this.#length !== null) this.#mustEnd = true;
    return null;
  }

  /** Of an answer that has none. A server that speaks of one all the same may send it. */
  leaveBody(status: number): void {
    if (this.isChunked || (status === 204 && this.#length !== null && this.#length > 0)) this.#mustEnd = true;
  }

  #takeLength(text: string): void {
    const length = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!Number.isSafeInteger(length) || (this.#length !== null && this.#length !== length)) {
      throw malformed('its length is no number, or more than one');
    }
    this.#length = length;
  }
}

/** Line ends and what they are taken for. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
const controlCharacter = /[\0-\x08\x0a-\x1f\x7f]/;

/** Spaces and tabs alone: what else `trim` takes away belongs to a value. */
function withoutBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

const isBlank = (code: number): boolean => code === 32 || code === 9;

function statusOf(line: string): number {
  const status = /^HTTP\/1\.[01] ([1-5]\d\d)(?: |$)/.exec(line)?.[1];
  if (status === undefined) throw malformed('it does not begin like an answer of HTTP/1.1');
  return Number(status);
}

/** Lines end in CR LF, and in LF alone at some servers. */
function lineAt(lines: readonly string[], number: number): string {
  const line = lines[number] ?? '';
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

export const malformed = (why: string): AnswerError =>
  new AnswerError('MalformedAnswer', `the answer cannot be read: ${why}`);
