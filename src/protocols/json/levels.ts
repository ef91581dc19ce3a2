/**
 * Holds JSON to a depth. Whatever goes through a value calls itself at each level of it, and so do the runtime's own
 * writers: 80 KB of brackets, which are parsed without complaint, would end them in the middle.
 */

/** Lists and objects within each other: more than any request or answer has that means something. */
export const mostLevels = 200;

/** Parsing brackets alone takes a second for some megabytes: texts longer than this are looked at before. */
const longText = 131_072;

export class TooDeepError extends Error {
  constructor() {
    super(`it has more than ${mostLevels} levels of lists and objects within each other`);
    this.name = 'TooDeepError';
  }
}

/** @throws SyntaxError when the text is no JSON, TooDeepError when it is nested deeper than `mostLevels`. */
export function parseWithinLevels(text: string): unknown {
  if (text.length > longText && opensTooMany(text)) throw new TooDeepError();
  const value: unknown = JSON.parse(text);
  // Each level takes two characters, so that most frames of a stream need no look. A look at the value is a hundredth
  // of the parse, since it goes past the characters of its texts.
  if (text.length > 2 * mostLevels && isDeeper(value, mostLevels)) throw new TooDeepError();
  return value;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (!isNested(value)) return false;
  if (levels === 0) return true;
  if (isList(value)) {
    for (let at = 0; at < value.length; at += 1) {
      const entry = value[at];
      if (typeof entry === 'object' && isDeeper(entry, levels - 1)) return true;
    }
    return false;
  }
  for (const name in value) if (isDeeper(value[name], levels - 1)) return true;
  return false;
}

type Nested = readonly unknown[] | Readonly<Record<string, unknown>>;

const isNested = (value: unknown): value is Nested => typeof value === 'object' && value !== null;
const isList = (value: Nested): value is readonly unknown[] => Array.isArray(value);

const quote = 0x22;
const backslash = 0x5c;

/** Whether more brackets stand open at one place than there may be levels; of text that is no JSON it may say either. */
function opensTooMany(text: string): boolean {
  let open = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = lastOfString(text, at);
        break;
      case 0x5b:
      case 0x7b:
        open += 1;
        if (open > mostLevels) return true;
        break;
      case 0x5d:
      case 0x7d:
        open -= 1;
    }
  }
  return false;
}

/** Index of the closing quote of the string that opens at `start`; of the text's end when there is none. */
function lastOfString(text: string, start: number): number {
  let at = start;
  while (true) {
    at = text.indexOf('"', at + 1);
    if (at === -1) return text.length;
    let before = at - 1;
    while (text.charCodeAt(before) === backslash) before -= 1;
    if ((at - before) % 2 === 1) return at;
  }
}
