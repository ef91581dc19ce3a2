/**
 * Changes single members of a JSON object in its text. Everything else keeps its bytes: number spellings, big
 * integers, member order and unknown fields survive, which a parse and a write would not guarantee.
 */

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;

/**
 * @param text a JSON object; it must be valid, as JSON.parse has already said.
 * @param members JSON texts by member name. A name that the object has is replaced wherever it stands, duplicates
 *   included; one that it lacks is added in front.
 */
export function replaceMembers(text: string, members: ReadonlyMap<string, string>): string {
  const missing = new Set(members.keys());
  let out = '';
  let copiedTo = 0;
  const open = text.indexOf('{');
  let at = skipSpace(text, open + 1);
  const isEmptyObject = text.charCodeAt(at) === closeBrace;
  while (text.charCodeAt(at) === quote) {
    const keyEnd = endOfString(text, at);
    const name = readKey(text, at, keyEnd);
    const valueStart = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const valueEnd = endOfValue(text, valueStart);
    const replacement = members.get(name);
    if (replacement !== undefined) {
      out += text.slice(copiedTo, valueStart) + replacement;
      copiedTo = valueEnd;
      missing.delete(name);
    }
    at = skipSpace(text, valueEnd);
    if (text.charCodeAt(at) === comma) at = skipSpace(text, at + 1);
  }
  out += text.slice(copiedTo);
  if (missing.size === 0) return out;
  const added = [...missing].map((name) => `${JSON.stringify(name)}:${members.get(name)}`).join(',');
  return `${out.slice(0, open + 1)}${added}${isEmptyObject ? '' : ','}${out.slice(open + 1)}`;
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
  return code === comma || code === closeBrace || code <= 0x20;
}
