/**
 * JSON that passes through as text. Single members are changed in it and everything else keeps its bytes: number
 * spellings, big integers, member order and unknown fields survive, which a parse and a write would not guarantee. Of a
 * whole answer only the two ends are read.
 */
import { isJsonObject, type JsonObject, tryParseJson } from './fields.ts';

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;

/**
 * What becomes of a member: another JSON text, nothing (null), or what is made of its own text.
 * A name that the object has is edited wherever it stands, duplicates included; a new text for one that it lacks is
 * added in front.
 */
export type MemberEdit = string | null | ((own: string) => string);

/**
 * @param text a JSON object; it must be valid, as JSON.parse has already said. Anything else stays as it is, as in `editEntries`.
 * @param json the same object, parsed: with it most texts need not be walked through.
 */
export function editMembers(text: string, edits: ReadonlyMap<string, MemberEdit>, json?: JsonObject): string {
  const plain = json === undefined ? undefined : editPlain(text, edits, json);
  return plain ?? editWalking(text, edits);
}

/**
 * Most bodies spell no name with an escape, and have the few names that are edited once: then the one place where
 * `"name"` stands is the member, since the object is known to have it.
 * @returns undefined where that cannot be told without walking through the object.
 */
function editPlain(
  text: string,
  edits: ReadonlyMap<string, MemberEdit>,
  json: JsonObject,
): string | undefined {
  let added = '';
  let edited: { readonly start: number; readonly end: number; readonly value: string } | undefined;
  for (const [name, edit] of edits) {
    if (!Object.hasOwn(json, name)) {
      if (typeof edit === 'string') added += `"${name}":${edit},`;
      continue;
    }
    if (typeof edit !== 'string' || edited !== undefined) return undefined;
    const spelt = `"${name}"`;
    const at = text.indexOf(spelt);
    if (at === -1 || text.indexOf(spelt, at + spelt.length) !== -1 || text.includes('\\u')) return undefined;
    const start = skipSpace(text, skipSpace(text, at + spelt.length) + 1);
    edited = { start, end: endOfValue(text, start), value: edit };
  }
  // Without a member of its own the object may be empty, where nothing is to stand behind what is added.
  if (edited === undefined) return added === '' ? text : undefined;
  const { start, end, value } = edited;
  if (added === '') return text.slice(0, start) + value + text.slice(end);
  const open = text.indexOf('{') + 1;
  return text.slice(0, open) + added + text.slice(open, start) + value + text.slice(end);
}

function editWalking(text: string, edits: ReadonlyMap<string, MemberEdit>): string {
  const missing = new Set(edits.keys());
  const open = skipSpace(text, 0) + 1;
  if (text.charCodeAt(open - 1) !== openBrace) return text;
  const members: string[] = [];
  let at = skipSpace(text, open);
  let begin = open;
  let tail = open;
  while (text.charCodeAt(at) === quote) {
    const keyEnd = endOfString(text, at);
    const name = readKey(text, at, keyEnd);
    const valueStart = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const valueEnd = endOfValue(text, valueStart);
    at = skipSpace(text, valueEnd);
    tail = at;
    const edit = edits.get(name);
    missing.delete(name);
    // With the space around it, so that a text that is not edited stays as it is.
    if (edit === undefined) members.push(text.slice(begin, at));
    else if (edit !== null) {
      const own = text.slice(valueStart, valueEnd);
      const value = typeof edit === 'string' ? edit : edit(own);
      members.push(text.slice(begin, valueStart) + value + text.slice(valueEnd, at));
    }
    if (text.charCodeAt(at) !== comma) break;
    begin = at + 1;
    at = skipSpace(text, begin);
  }
  const added: string[] = [];
  for (const name of missing) {
    const edit = edits.get(name);
    if (typeof edit === 'string') added.push(`${JSON.stringify(name)}:${edit}`);
  }
  return text.slice(0, open) + [...added, ...members].join(',') + text.slice(tail);
}

/**
 * @param text a JSON list; it must be valid. Anything else stays as it is: of a name that an object has twice, whoever
 *   parsed it has seen the last value only.
 * @param edit is given the text of each entry and its place; null leaves the entry out.
 */
export function editEntries(text: string, edit: (own: string, at: number) => string | null): string {
  const entries: string[] = [];
  const open = skipSpace(text, 0);
  if (text.charCodeAt(open) !== openBracket) return text;
  let at = skipSpace(text, open + 1);
  for (let place = 0; text.charCodeAt(at) !== closeBracket; place += 1) {
    const end = endOfValue(text, at);
    const entry = edit(text.slice(at, end), place);
    if (entry !== null) entries.push(entry);
    at = skipSpace(text, end);
    if (text.charCodeAt(at) === comma) at = skipSpace(text, at + 1);
  }
  return `[${entries.join(',')}]`;
}

/**
 * A name that the object has more than once.
 * @param text a JSON object; it must be valid.
 * @param json the same object, parsed, in which the last of two has replaced the first.
 */
export function findRepeated(text: string, json: JsonObject): string | undefined {
  if (countCommas(text) < Object.keys(json).length) return undefined;
  const seen = new Set<string>();
  let at = skipSpace(text, text.indexOf('{') + 1);
  while (text.charCodeAt(at) === quote) {
    const end = endOfString(text, at);
    const name = readKey(text, at, end);
    if (seen.has(name)) return name;
    seen.add(name);
    at = skipSpace(text, endOfValue(text, skipSpace(text, skipSpace(text, end) + 1)));
    if (text.charCodeAt(at) === comma) at = skipSpace(text, at + 1);
  }
  return undefined;
}

/** Those between the object's own members: one fewer than there are members. Each request is counted through. */
function countCommas(text: string): number {
  let commas = 0;
  let depth = 1;
  for (let at = text.indexOf('{') + 1; depth > 0; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at) - 1;
    else if (code === openBrace || code === openBracket) depth += 1;
    else if (code === closeBrace || code === closeBracket) depth -= 1;
    else if (code === comma && depth === 1) commas += 1;
  }
  return commas;
}

function readKey(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end - 1);
  return raw.includes('\\') ? String(JSON.parse(text.slice(start, end))) : raw;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= 0x20) at += 1;
  return at;
}

/** Index just past the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (true) {
    at = text.indexOf('"', at);
    let before = at - 1;
    while (text.charCodeAt(before) === backslash) before -= 1;
    if ((at - 1 - before) % 2 === 0) return at + 1;
    at += 1;
  }
}

function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === quote) return endOfString(text, start);
  if (first === openBrace || first === openBracket) return endOfNested(text, start);
  let at = start + 1;
  while (!endsScalar(text.charCodeAt(at))) at += 1;
  return at;
}

function endOfNested(text: string, start: number): number {
  let depth = 0;
  let at = start;
  while (true) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = endOfString(text, at);
      continue;
    }
    if (code === openBrace || code === openBracket) depth += 1;
    if (code === closeBrace || code === closeBracket) depth -= 1;
    at += 1;
    if (depth === 0) return at;
  }
}

function endsScalar(code: number): boolean {
  return code === comma || code === closeBrace || code === closeBracket || code <= 0x20;
}

/** An end that is longer is no shortcut any more. */
const maxEndCharacters = 4096;
/** Objects inside the last members may have a member of the same name. */
const maxTries = 3;

export interface Ends {
  /** The member whose value is the list of what was generated. */
  readonly list: string;
  /** The member that begins the end. */
  readonly last: string;
  /** One that may stand between the two, or anywhere else: where the text has its name, the end begins with it. */
  readonly between?: string | undefined;
}

/**
 * Reads the two ends of a whole answer without what lies between them. An answer is as long as what was generated, of
 * which nobody here needs a word; its counts stand behind it and what tells an answer from an error in front of it.
 *
 * The ends are proven to be the object's own: what is in front of the list is an object once it is closed, and what
 * begins with the last member is one once it is opened, which deeper inside would be closed once too often. A name
 * inside generated text cannot be taken for a member, since its quotes are escaped there. Of the middle it is taken on
 * trust that it is JSON, as nothing of it is used.
 *
 * @returns the object with an empty list for the list and without what stands between the list and the end; null when
 * the text has another order or is no object, so that only reading it whole can tell.
 */
export function skimObject(text: string, { list, last, between }: Ends): JsonObject | null {
  const front = skimFront(text, list);
  if (front === null) return null;
  const back = readBack(text, last);
  if (back === null) return null;
  const ends = { ...front, ...back };
  if (between === undefined || between in ends || !text.includes(`"${between}"`)) return ends;
  const longer = readBack(text, between);
  return longer === null ? null : { ...ends, ...longer };
}

/** The front end alone: what stands before the list. Null as for both. */
export function skimFront(text: string, list: string): JsonObject | null {
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
