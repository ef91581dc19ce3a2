/** What stands around free text, read piece by piece: nothing that came before is looked at again. */

/** With any blanks between them. */
const opening = ['{', '"input"', ':', '"'] as const;

/** Models indent with a few blanks; what holds more of them than this is text. */
const maxClosingLength = 1024;

export class OpeningReader {
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
export class ClosingReader {
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
