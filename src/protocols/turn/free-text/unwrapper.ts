/**
 * Takes the free text out of a call's arguments while they arrive, in whatever pieces. What a model wrote instead of
 * the one text of an object is handed on as it is.
 */
import { tryParseJson } from '../../json-body.ts';
import { asObject } from '../../json-fields.ts';
import { readEscape } from './read-escape.ts';

/** With any white space between them. */
const opening = ['{', '"input"', ':', '"'] as const;

/** What may still become the end of the object. */
const closing = /^"\s*\}?\s*$/;

const special = /["\\]/g;
const endsInHalf = /[\uD800-\uDBFF]$/;

export class FreeTextUnwrapper {
  /** `object`: another one than was asked for, which is only known when it is whole. `bare`: no wrapping at all. */
  #state: 'opening' | 'text' | 'closing' | 'object' | 'bare' = 'opening';
  /** What came and cannot be told yet. */
  #held = '';
  /** Half of a character, which clients could not show. */
  #half = '';

  /** What of the text this piece makes known. */
  push(piece: string): string {
    this.#held += piece;
    if (this.#state === 'opening') this.#open();
    let text = this.#state === 'text' ? this.#readText() : '';
    if (this.#state === 'closing' && !closing.test(this.#held)) this.#state = 'bare';
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

  #open(): void {
    let at = 0;
    for (const token of opening) {
      at = skipBlanks(this.#held, at);
      const found = this.#held.slice(at, at + token.length);
      if (found !== token) {
        if (at + found.length === this.#held.length && token.startsWith(found)) return;
        this.#state = this.#held.trimStart().startsWith('{') ? 'object' : 'bare';
        return;
      }
      at += token.length;
    }
    this.#held = this.#held.slice(at);
    this.#state = 'text';
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

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (' \t\r\n'.includes(text[at] ?? '.')) at += 1;
  return at;
}
