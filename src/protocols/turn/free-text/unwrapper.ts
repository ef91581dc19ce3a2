/**
 * Takes the free text out of a call's arguments while they arrive, in whatever pieces. What a model wrote instead of
 * the one text of an object is handed on as it is.
 */
import { asObject, tryParseJson } from '../../json/fields.ts';
import { readEscape } from './read-escape.ts';
import { ClosingReader, OpeningReader } from './read-wrapping.ts';

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
