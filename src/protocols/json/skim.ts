/**
 * Reads the two ends of a whole answer without what lies between them. An answer is as long as what was generated, of
 * which nobody here needs a word; its counts stand behind it and what tells an answer from an error in front of it.
 */
import { isJsonObject, type JsonObject, tryParseJson } from './fields.ts';

/** An end that is longer is no shortcut any more. */
const maxEndCharacters = 4096;
/** Objects inside the last members may have a member of the same name. */
const maxTries = 3;

export interface Ends {
  /** The member whose value is the list of what was generated. */
  readonly list: string;
  /** The member that begins the end. */
  readonly last: string;
}

/**
 * The object of a text, with an empty list for the list and without what stands between the list and the last member.
 * Null when the text has another order or is no object, so that only reading it whole can tell.
 *
 * The ends are proven to be the object's own: what is in front of the list is an object once it is closed, and what
 * begins with the last member is one once it is opened, which deeper inside would be closed once too often. A name
 * inside generated text cannot be taken for a member, since its quotes are escaped there. Of the middle it is taken on
 * trust that it is JSON, as nothing of it is used.
 */
export function skimObject(text: string, { list, last }: Ends): JsonObject | null {
  const front = readFront(text, list);
  if (front === null) return null;
  const back = readBack(text, last);
  return back === null ? null : { ...front, ...back };
}

function readFront(text: string, list: string): JsonObject | null {
  const at = text.indexOf(`"${list}"`);
  if (at === -1 || at > maxEndCharacters) return null;
  const open = text.indexOf('[', at);
  if (open === -1 || open > maxEndCharacters) return null;
  const front = tryParseJson(`${text.slice(0, open)}[]}`);
  return isJsonObject(front) && Array.isArray(front[list]) ? front : null;
}

function readBack(text: string, last: string): JsonObject | null {
  const name = `"${last}"`;
  let at = text.length;
  for (let tries = 0; tries < maxTries; tries += 1) {
    at = text.lastIndexOf(name, at - 1);
    if (at <= 0 || text.length - at > maxEndCharacters) return null;
    if (text[at - 1] === '\\') continue;
    const back = tryParseJson(`{${text.slice(at)}`);
    if (isJsonObject(back)) return back;
  }
  return null;
}
