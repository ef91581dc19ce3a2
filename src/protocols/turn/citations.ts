/** Where what a model said comes from: pages that it searched, documents that it was given, files of a vendor. */

export interface Citation {
  readonly source: CitedSource;
  /** What is said with the source, in code points of its block's text; absent: the source is of all of it. */
  readonly span?: Span | undefined;
  /** Of the source's own words. */
  readonly quote?: string | undefined;
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

export type CitedSource =
  | { readonly kind: 'url'; readonly url: string; readonly title?: string | undefined }
  | {
      readonly kind: 'document';
      readonly title?: string | undefined;
      /** Among the documents of the request. */
      readonly index?: number | undefined;
      readonly fileId?: string | undefined;
      readonly place?: DocumentPlace | undefined;
    };

/** The end is behind the last; pages begin at 1, the others at 0. */
export interface DocumentPlace extends Span {
  readonly unit: 'char' | 'page' | 'block';
}

/** A text with all that is cited in it, of which a protocol's spans are told. */
export interface CitedText {
  readonly text: string;
  readonly citations?: readonly Citation[] | undefined;
}

/** Spans of several texts as those of the one that they make together. */
export function joinCitations(texts: readonly CitedText[]): readonly Citation[] {
  if (texts.every(({ citations }) => citations === undefined)) return [];
  const joined: Citation[] = [];
  let before = 0;
  for (const { text, citations = [] } of texts) {
    const length = countCodePoints(text);
    for (const citation of citations) {
      const { start, end } = citation.span ?? { start: 0, end: length };
      joined.push({ ...citation, span: { start: before + start, end: before + end } });
    }
    before += length;
  }
  return joined;
}

/** For a text that something was put in front of. */
export function shiftCitation(citation: Citation, by: number): Citation {
  const { span } = citation;
  return span === undefined || by === 0
    ? citation
    : { ...citation, span: { start: span.start + by, end: span.end + by } };
}

export function countCodePoints(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 0xdc00 && code <= 0xdfff && at > 0) count -= 1;
  }
  return count;
}

/** For protocols that count bytes of UTF-8: each turn of the list is one look at the text. */
export class TextBytes {
  /** Where each code point begins, and the end. */
  readonly #begins: number[] = [];

  constructor(text: string) {
    let bytes = 0;
    for (const character of text) {
      this.#begins.push(bytes);
      bytes += Buffer.byteLength(character);
    }
    this.#begins.push(bytes);
  }

  byteAt(codePoint: number): number {
    return this.#begins[Math.min(Math.max(0, codePoint), this.#begins.length - 1)] ?? 0;
  }

  /** The code point that begins at a byte, or contains it. */
  codePointAt(byte: number): number {
    let low = 0;
    let high = this.#begins.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#begins[middle] ?? 0) <= byte) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
