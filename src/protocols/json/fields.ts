/**
 * Reads JSON that nobody has checked: each value is what was expected, or undefined. Its depth is held to a bound, and
 * what it takes as objects is told: whatever goes through a value calls itself at each level of it, and so do the
 * runtime's own writers: 80 KB of brackets, which are parsed without complaint, would end them in the middle.
 */

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as JSON, or undefined when it is none, or deeper than anything is read here. */
export function tryParseJson(text: string): unknown {
  try {
    return parseWithinLevels(text);
  } catch {
    return undefined;
  }
}

const emptyList: readonly unknown[] = [];

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Text that says something. */
export function asFilledText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

export function asCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** More than any model reads or writes: a count above it is a mistake of the host, and nobody is to pay for it. */
const mostTokens = 100_000_000;

export function asTokenCount(value: unknown): number | undefined {
  const count = asCount(value);
  return count === undefined || count > mostTokens ? undefined : count;
}

export function asBoolean(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

export function asObject(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

/** Empty when it is no list. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : emptyList;
}

/** The objects of a list; anything else in it is passed over. */
export function asObjects(value: unknown): readonly JsonObject[] {
  const list = asList(value);
  return list.every(isJsonObject) ? list : list.filter(isJsonObject);
}

export function asTexts(value: unknown): readonly string[] {
  return asList(value).filter((item) => typeof item === 'string');
}

/** Those that say something: an empty stop sequence would end an answer before it begins. */
export const filledTexts = (value: unknown): readonly string[] =>
  asTexts(value).filter((text) => text !== '');

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

/**
 * What JSON takes as objects, beside its text: `[{},{},…]` takes 24 times its bytes. The weights are those of Bun 1.4.5 on
 * x64, measured on 2026-11-22 by the growth of the heap at the parse of 4 MB of each shape: an empty object or list 64
 * bytes and its place 8, an object with up to six members no more than that, a text in a list 20 to 40 with its place, a
 * name that was not there before 60 to 290, one that is a number up to 360. The letters of texts are not counted, which
 * are kept as often as the text itself is.
 */
const bytesOf = {
  nested: 64,
  place: 8,
  text: 24,
  /** Between the names that many objects share, which take nothing, and those that are new. */
  name: 64,
  numberedName: 360,
} as const;

/** The most that the lists and objects of one text may take: more is not parsed. */
export const mostParsedBytes = 268_435_456;

/** As objects it would take more memory than any request or answer may. */
export class TooManyValuesError extends Error {
  constructor() {
    super('it has too many lists, objects and values');
    this.name = 'TooManyValuesError';
  }
}

/**
 * @throws SyntaxError when the text is no JSON, TooDeepError when it is nested deeper than `mostLevels`,
 *   TooManyValuesError when it is far more as objects than as text.
 */
export function parseWithinLevels(text: string): unknown {
  if (text.length > longText) lookOver(text);
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

/**
 * What a value takes as objects, in bytes. It is looked at once, which is some hundredth of what its parse took.
 * @param value no deeper than is parsed here.
 */
export function parsedBytes(value: unknown): number {
  if (typeof value === 'string') return bytesOf.text;
  return isNested(value) ? bytesIn(value) : 0;
}

function bytesIn(nested: Nested): number {
  let bytes: number = bytesOf.nested;
  if (isList(nested)) {
    bytes += bytesOf.place * nested.length;
    for (let at = 0; at < nested.length; at += 1) bytes += parsedBytes(nested[at]);
    return bytes;
  }
  for (const name in nested) {
    const first = name.charCodeAt(0);
    const isNumbered = first >= 0x30 && first <= 0x39;
    bytes += (isNumbered ? bytesOf.numberedName : bytesOf.name) + parsedBytes(nested[name]);
  }
  return bytes;
}

type Nested = readonly unknown[] | Readonly<Record<string, unknown>>;

const isNested = (value: unknown): value is Nested => typeof value === 'object' && value !== null;
const isList = (value: Nested): value is readonly unknown[] => Array.isArray(value);

const quote = 0x22;
const backslash = 0x5c;

/**
 * Throws for brackets that open within each other at more levels, and for more of them, than there may be. Of text that
 * is no JSON it may say either.
 */
function lookOver(text: string): void {
  let open = 0;
  let bytes = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = lastOfString(text, at);
        break;
      case 0x2c:
        bytes += bytesOf.place;
        break;
      case 0x5b:
      case 0x7b:
        open += 1;
        bytes += bytesOf.nested;
        if (open > mostLevels) throw new TooDeepError();
        if (bytes > mostParsedBytes) throw new TooManyValuesError();
        break;
      case 0x5d:
      case 0x7d:
        open -= 1;
    }
  }
  if (bytes > mostParsedBytes) throw new TooManyValuesError();
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
