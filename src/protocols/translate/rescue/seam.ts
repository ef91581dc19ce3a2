/**
 * Where the rest of a broken answer is joined to what its client has. Either the model goes on from a prefill, or it was
 * asked to repeat the last words first: then nothing is joined before these have come, so that no word is lost, doubled
 * or taken from another answer.
 */

import type { RescueNote } from '../../turn/events.ts';

/** What a provider is asked for: to go on from the text, to repeat its last words first, or to begin where nothing was said. */
export type ContinuedBy = RescueNote['how'];

const usualAnchor = 80;
/** Of a text that repeats itself. */
const longestAnchor = 640;
/** What is shorter may well stand twice in an answer. */
const surelyRepeated = 24;

/** The last words of a text, as many as stand there only once where that can be. */
export function lastWords(text: string): string {
  const end = text.trimEnd();
  for (let length = usualAnchor; ; length *= 2) {
    const words = fromWholeWord(end, Math.max(0, end.length - length));
    const isOnce = end.indexOf(words) === end.length - words.length;
    if (isOnce || length >= longestAnchor || words.length === end.length) return words;
  }
}

function fromWholeWord(text: string, from: number): string {
  if (from === 0) return text.trimStart();
  const space = text.slice(from, from + usualAnchor / 2).search(/\s/);
  const at = space === -1 ? from : from + space;
  // Not between the halves of a character.
  const code = text.charCodeAt(at);
  return text.slice(code >= 0xdc00 && code <= 0xdfff ? at + 1 : at).trimStart();
}

const isSpace = (character: string | undefined): boolean =>
  character !== undefined && character.trim() === '';

/** Follows a text for as long as it says the same as a pattern; how it is spaced does not matter. */
class Repeating {
  isOpen = true;
  isWhole = false;
  readonly #pattern: string;
  #at = 0;

  /** @param pattern not empty. */
  constructor(pattern: string) {
    this.#pattern = pattern.trim();
  }

  /** @returns how much of the text belongs to the pattern. */
  push(text: string): number {
    let at = 0;
    for (; at < text.length && this.isOpen; at += 1) {
      if (isSpace(text[at])) continue;
      while (isSpace(this.#pattern[this.#at])) this.#at += 1;
      const isSame = text[at] === this.#pattern[this.#at];
      this.#at += 1;
      this.isWhole = isSame && this.#at === this.#pattern.length;
      this.isOpen = isSame && !this.isWhole;
    }
    return at;
  }
}

/** `open`: not decided yet, and the text is held. `apart`: it does not go on from what was said. */
type SeamState = 'open' | 'joined' | 'apart';

export class Seam {
  state: SeamState = 'open';
  readonly #mustRepeat: boolean;
  readonly #repeating: Repeating[];
  #held = '';
  /** Spaces that the client has already. */
  #spaces: string;

  /** @param shown all of the text that the client has. */
  constructor(shown: string, by: ContinuedBy) {
    this.#mustRepeat = by === 'repetition';
    this.#spaces = shown.slice(shown.trimEnd().length);
    const whole = shown.trim();
    // A model may begin anew all the same, and some hosts repeat the prefill.
    const isTelling = whole.length >= surelyRepeated;
    this.#repeating = [
      ...(this.#mustRepeat ? [new Repeating(lastWords(shown))] : []),
      ...(isTelling ? [new Repeating(whole)] : []),
    ];
    if (this.#repeating.length === 0) this.state = 'joined';
  }

  /** @returns what is for the client. */
  push(text: string): string {
    if (this.state === 'joined') return this.#withoutSpaces(text);
    if (this.state === 'apart') return '';
    this.#held += text;
    let isOpen = false;
    for (const repeating of this.#repeating) {
      if (!repeating.isOpen) continue;
      const used = repeating.push(text);
      if (repeating.isWhole) return this.#join(text.slice(used));
      isOpen ||= repeating.isOpen;
    }
    return isOpen ? '' : this.#decide();
  }

  /** The text is over. @returns what was held of it. */
  end(): string {
    return this.state === 'open' ? this.#decide() : '';
  }

  #decide(): string {
    if (!this.#mustRepeat) return this.#join(this.#held);
    this.state = 'apart';
    return '';
  }

  #join(text: string): string {
    this.state = 'joined';
    this.#held = '';
    return this.#withoutSpaces(text);
  }

  #withoutSpaces(text: string): string {
    if (this.#spaces === '') return text;
    let same = 0;
    while (same < text.length && same < this.#spaces.length && text[same] === this.#spaces[same]) same += 1;
    this.#spaces = same === text.length ? this.#spaces.slice(same) : '';
    return text.slice(same);
  }
}
