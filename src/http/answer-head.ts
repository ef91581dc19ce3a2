/** The head of an answer of HTTP/1.1: its status, its fields, and what they say of where its body ends (RFC 9112). */
import type { HttpFields } from '../base/http-answer.ts';
import { AnswerError } from './errors.ts';

export interface AnswerHead {
  readonly status: number;
  readonly fields: HeadFields;
  /** By the lengths that it says: 0 where no body comes, null where that is not known. */
  readonly length: number | null;
  /** Other than `identity`; null for none. */
  readonly coding: string | null;
}

export interface ReadHead {
  readonly head: AnswerHead;
  readonly isChunked: boolean;
  /** For how long its connection may be idle and still be asked again; 0 where it is to end behind the answer. */
  readonly idleSeconds: number;
}

/** Most servers close a connection that is idle for a minute. */
const mostIdleSeconds = 55;
/** Real ones have some thirty. */
const mostFields = 256;

/**
 * Looks at every character, and takes out of the text only what says where the body ends: of the thirty fields that
 * vendors send hardly one is ever asked for.
 * @param text from the status on to the empty line, a character a byte.
 * @returns null for one that only tells that the answer is still to come.
 * @throws AnswerError for whatever two readers could understand differently.
 */
export function readHead(text: string): ReadHead | null {
  const status = statusOf(text);
  if (status >= 100 && status < 200) {
    if (status === 101) throw malformed('it changes the protocol, for which nobody asked');
    return null;
  }
  const start = text.indexOf('\n') + 1;
  const framing = new Framing(text.startsWith('HTTP/1.0'));
  let count = 0;
  for (let at = start; at < text.length; at = text.indexOf('\n', at) + 1) {
    const end = endOfLine(text, at);
    if (end === at) continue;
    count += 1;
    if (count > mostFields) throw new AnswerError('HeadTooLarge', 'its head has too many fields');
    const colon = endOfName(text, at);
    // A name with a space before its colon, and a line that continues the one before it, are read differently by others.
    if (colon === at || text.charCodeAt(colon) !== colonCode)
      throw malformed('a line of its head is no field');
    if (framingNameLengths.has(colon - at)) {
      framing.take(text.slice(at, colon).toLowerCase(), withoutBlanks(text, colon + 1, end));
    }
  }
  forbidden.lastIndex = start;
  if (forbidden.test(text)) throw malformed('a field of its head has a character that none may have');
  const isBodyless = status === 204 || status === 304;
  if (isBodyless) framing.leaveBody(status);
  const length = isBodyless ? 0 : framing.length();
  const { idleSeconds, isChunked, coding } = framing;
  return { head: { status, fields: new HeadFields(text, start), length, coding }, idleSeconds, isChunked };
}

/** The fields of a head, found in its text when they are asked for. */
export class HeadFields implements HttpFields {
  readonly #text: string;
  readonly #start: number;
  /** In lower case. */
  readonly #hidden: readonly string[];

  /** @param text of a head that was read. @param start of its first field. */
  constructor(text: string, start: number, hidden: readonly string[] = []) {
    this.#text = text;
    this.#start = start;
    this.#hidden = hidden;
  }

  get(wanted: string): string | null {
    const name = wanted.toLowerCase();
    if (this.#hidden.includes(name)) return null;
    const text = this.#text;
    let found: string | null = null;
    for (let at = this.#start; at < text.length; at = text.indexOf('\n', at) + 1) {
      const colon = at + name.length;
      if (text.charCodeAt(colon) !== colonCode || text.slice(at, colon).toLowerCase() !== name) continue;
      const value = withoutBlanks(text, colon + 1, endOfLine(text, at));
      found = found === null ? value : `${found}, ${value}`;
    }
    return found;
  }

  /** @param names in lower case. */
  without(names: readonly string[]): HeadFields {
    return new HeadFields(this.#text, this.#start, names);
  }
}

const colonCode = 58;
const carriageReturn = 13;

/** A token of RFC 9110, 5.6.2. */
export const fieldName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** By its code, whether a character may be of a name. */
const isOfName = Uint8Array.from({ length: 256 }, (_, code) =>
  fieldName.test(String.fromCharCode(code)) ? 1 : 0,
);

/** Where the name that begins here ends. */
function endOfName(text: string, from: number): number {
  let at = from;
  while (isOfName[text.charCodeAt(at)] === 1) at += 1;
  return at;
}

/** Lines end in CR LF, and in LF alone at some servers. */
function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end > from && text.charCodeAt(end - 1) === carriageReturn ? end - 1 : end;
}

/** Control characters, and a carriage return without its line feed: no field may hold them (RFC 9110, 5.5). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
const forbidden = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)/g;

/** What a head says of where its body ends, and of the connection behind it. */
class Framing {
  isChunked = false;
  coding: string | null = null;
  #length: number | null = null;
  readonly #isOld: boolean;
  #isLast: boolean;
  #mustEnd = false;
  #idleSeconds = mostIdleSeconds;

  /** @param isOld of HTTP/1.0, where connections end unless it says otherwise, and chunks are unknown. */
  constructor(isOld: boolean) {
    this.#isOld = isOld;
    this.#isLast = isOld;
  }

  get idleSeconds(): number {
    return this.#isLast || this.#mustEnd ? 0 : this.#idleSeconds;
  }

  /** @param name in lower case. */
  take(name: string, value: string): void {
    switch (name) {
      case 'content-length': {
        if (!value.includes(',')) this.#takeLength(value);
        // Repeated alike it is one length (RFC 9110, 8.6).
        else for (const text of value.split(',')) this.#takeLength(withoutBlanks(text));
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
        const seconds = Number(/\btimeout=(\d{1,6})/i.exec(value)?.[1] ?? mostIdleSeconds + 1) - 1;
        this.#idleSeconds = Math.max(0, Math.min(mostIdleSeconds, seconds));
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

/** Of the names that framing goes by. */
const framingNameLengths: ReadonlySet<number> = new Set(
  ['content-length', 'transfer-encoding', 'connection', 'keep-alive', 'content-encoding'].map(
    ({ length }) => length,
  ),
);

/** Spaces and tabs alone: what else `trim` takes away belongs to a value. */
function withoutBlanks(text: string, from = 0, to = text.length): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

const isBlank = (code: number): boolean => code === 32 || code === 9;

const statusLine = /^HTTP\/1\.[01] [1-5]\d\d(?: |\r?\n)/;

function statusOf(text: string): number {
  if (!statusLine.test(text)) throw malformed('it does not begin like an answer of HTTP/1.1');
  return Number(text.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
}

export const malformed = (why: string): AnswerError =>
  new AnswerError('MalformedAnswer', `the answer cannot be read: ${why}`);
