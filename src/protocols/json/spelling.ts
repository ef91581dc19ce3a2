/**
 * Numbers as they are spelled: `1.0`, `1e3`, `-0` and integers above 2^53 become others in a parse and a write. The
 * arguments of a call are the caller's own, so that they keep theirs.
 */
import { isJsonObject, type JsonObject, tryParseJson } from './fields.ts';

declare global {
  /** What the language has for the spelling of numbers, and its types here do not know yet. */
  interface JSON {
    parse(
      text: string,
      read: (name: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown;
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

/** A value that is written with the text it was read from. */
const asSpelled = (value: unknown, source: string | undefined): unknown =>
  typeof value === 'number' && source !== undefined && source !== String(value)
    ? JSON.rawJSON(source)
    : value;

/**
 * A number that a parse and a write would spell otherwise, where numbers stand: one of 16 characters or more, a tiny one,
 * one with an exponent or with zeros at its end, and a negative zero. What merely looks so costs time and nothing else.
 */
const oddNumber =
  /[:,[]\s*(?:-?[\d.]{16,}|-?0\.000000|-?[\d.]{1,15}[eE]|-?\d{1,14}\.\d{0,13}0\s*[,\]}]|-0\s*[,\]}])/;

/** To read a number by itself costs a call. What has more values than this is read as it always was. */
const mostValues = 200_000;

/** The JSON with its numbers as they are spelled, to be written again; undefined when it is none. */
export function tryParseSpelled(text: string): unknown {
  return oddNumber.test(text) && hasFewValues(text) ? parseSpelled(text) : tryParseJson(text);
}

function parseSpelled(text: string): unknown {
  try {
    return JSON.parse(text, (_name, value, { source }) => asSpelled(value, source));
  } catch {
    // What is nested too deep to be walked through can still be parsed.
    return tryParseJson(text);
  }
}

function hasFewValues(text: string): boolean {
  let values = 0;
  for (let at = text.indexOf(','); at !== -1; at = text.indexOf(',', at + 1)) {
    values += 1;
    if (values > mostValues) return false;
  }
  return true;
}

/**
 * A JSON object whose numbers are as they are spelled where they stand in an object below a member of one of these
 * names; all others are numbers. Undefined where no number is spelled so that it matters, and for what is no object.
 */
export function readSpelledBelow(text: string, names: readonly string[]): JsonObject | undefined {
  if (!names.some((name) => text.includes(`"${name}"`)) || !oddNumber.test(text)) return undefined;
  try {
    const settled = settle(tryParseSpelled(text), names);
    return isJsonObject(settled) ? settled : undefined;
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

/** In place, since nobody else has it yet. */
function settle(value: unknown, names: readonly string[]): unknown {
  if (JSON.isRawJSON(value)) return tryParseJson(JSON.stringify(value));
  if (Array.isArray(value)) {
    for (const [at, entry] of value.entries()) value[at] = settle(entry, names);
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (!names.includes(name) || !isJsonObject(member) || JSON.isRawJSON(member)) {
        value[name] = settle(member, names);
      }
    }
  }
  return value;
}
