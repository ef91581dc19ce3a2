/**
 * Takes the free text out of a call's arguments while they arrive, in whatever pieces. What a model wrote instead of
 * the one text of an object is handed on as it is.
 */
import { asObject, tryParseJson } from '../../json/fields.ts';

const special = /["\\]/g;
const endsInHalf = /[\uD800-\uDBFF]$/;

export class FreeTextUnwrapper {
  /** `object`: another one than was asked for, which is only known when it is whole. `bare`: no wrapping at all. */
  #state: 'opening' | 'text' | 'closing' | 'object' | 'bare' = 'opening';
  /** What came and cannot be told yet. */
  #held = '';
  /** Half of a character, which clients could not show. */
  #half = '';
  readonly #opening = new OpeningReader();
  readonly #closing = new ClosingReader();

  /** What of the text this piece makes known. */
  push(piece: string): string {
    this.#held += piece;
    if (this.#state === 'opening') this.#open(piece);
    let text = '';
    let fresh = piece;
    if (this.#state === 'text') {
      text = this.#readText();
      fresh = this.#held;
    }
    if (this.#state === 'closing' && !this.#closing.push(fresh)) this.#state = 'bare';
    if (this.#state === 'bare') text += this.#takeHeld();
    return text;
  }

  /** The rest, when no more is to come. */
  end(): string {
    switch (this.#state) {
      case 'opening':
      case 'object':
        return onlyText(this.#takeHeld());
      case 'text':
        return this.#half;
      case 'closing':
      case 'bare':
        return '';
    }
  }

  #open(piece: string): void {
    const read = this.#opening.push(piece);
    if (read === 'more') return;
    if (typeof read === 'number') this.#held = piece.slice(read);
    this.#state = typeof read === 'number' ? 'text' : read;
  }

  #readText(): string {
    const held = this.#held;
    let text = this.#half;
    let at = 0;
    for (;;) {
      special.lastIndex = at;
      const next = special.exec(held)?.index ?? held.length;
      text += held.slice(at, next);
      at = next;
      if (held[at] !== '\\') break;
      const sequence = readEscape(held, at);
      if (sequence === null) break;
      text += sequence.text;
      at += sequence.length;
    }
    this.#held = held.slice(at);
    if (held[at] === '"') this.#state = 'closing';
    this.#half = this.#state === 'text' ? (endsInHalf.exec(text)?.[0] ?? '') : '';
    return text.slice(0, text.length - this.#half.length);
  }

  #takeHeld(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }
}

/** The text in the arguments of a whole call. */
export function unwrapFreeText(input: string): string {
  const unwrapper = new FreeTextUnwrapper();
  return unwrapper.push(input) + unwrapper.end();
}

/** Models find other names for the one text; no arguments at all are no text. */
function onlyText(input: string): string {
  const object = asObject(tryParseJson(input));
  if (object === undefined) return input;
  const values = Object.values(object);
  const [only = ''] = values;
  return values.length < 2 && typeof only === 'string' ? only : input;
}

/** With any blanks between them. */
const opening = ['{', '"input"', ':', '"'] as const;

/** Models indent with a few blanks; what holds more of them than this is text. */
const maxClosingLength = 1024;

/** What stands in front of the text, in whatever pieces. */
class OpeningReader {
  #token = 0;
  /** Characters of the token that have come. */
  #matched = 0;

  /**
   * @returns where in this piece the text begins, `more` when the opening is not whole yet, `object` when another
   * object came than was asked for, and `bare` when it is no object at all.
   */
  push(piece: string): number | 'more' | 'object' | 'bare' {
    for (let at = 0; at < piece.length; at += 1) {
      const character = piece[at];
      if (this.#matched === 0 && isBlank(character)) continue;
      const token = opening[this.#token] ?? '';
      if (character !== token[this.#matched]) return this.#token > 0 ? 'object' : 'bare';
      this.#matched += 1;
      if (this.#matched < token.length) continue;
      this.#matched = 0;
      this.#token += 1;
      if (this.#token === opening.length) return at + 1;
    }
    return 'more';
  }
}

/** A quote, blanks, a brace and blanks, of which all but the quote may be missing. */
class ClosingReader {
  #awaited: 'quote' | 'brace' | 'nothing' = 'quote';
  #length = 0;

  /** Whether all that came may still be the end of the object. */
  push(piece: string): boolean {
    this.#length += piece.length;
    if (this.#length > maxClosingLength) return false;
    for (const character of piece) {
      if (this.#awaited === 'quote') {
        if (character !== '"') return false;
        this.#awaited = 'brace';
      } else if (character === '}' && this.#awaited === 'brace') this.#awaited = 'nothing';
      else if (!isBlank(character)) return false;
    }
    return true;
  }
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\n' || character === '\r' || character === '\t';
}

const letters: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

interface Escape {
  readonly text: string;
  /** Of the sequence. */
  readonly length: number;
}

/**
 * @param at where the backslash stands. One that begins no sequence stands for itself.
 * @returns null when the sequence is not whole.
 */
function readEscape(json: string, at: number): Escape | null {
  const letter = json[at + 1];
  if (letter === undefined) return null;
  if (letter !== 'u') {
    const text = letters[letter];
    return text === undefined ? { text: '\\', length: 1 } : { text, length: 2 };
  }
  const digits = json.slice(at + 2, at + 6);
  if (!/^[\da-f]*$/i.test(digits)) return { text: '\\', length: 1 };
  return digits.length < 4 ? null : { text: String.fromCharCode(Number.parseInt(digits, 16)), length: 6 };
}
