/**
 * Looks into the bytes of stream frames without reading them: which members a block of frames has, and how it ends.
 * Needles are bytes, since a text would be made bytes of for every search.
 */

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const colon = 0x3a;
const space = 0x20;
const comma = 0x2c;
const letterN = 0x6e;
const quote = 0x22;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const backslash = 0x5c;

/** The name of a member as it stands in JSON, to be looked for. */
export const memberName = (name: string): Buffer => Buffer.from(`"${name}"`);

/**
 * Index of a member whose value is not null, or -1. A member name cannot be faked by generated text: inside a JSON
 * string its quotes are escaped. The members of an object that was generated are found like any others.
 */
export function findMember(block: Buffer, name: Buffer, from: number): number {
  let at = block.indexOf(name, from);
  while (at !== -1) {
    const value = startOfValue(block, at + name.length);
    if (value !== -1 && block[value] !== letterN) return at;
    at = block.indexOf(name, at + name.length);
  }
  return -1;
}

/** Index of the value of the first member of a name, or -1. */
export function startOfMember(block: Buffer, name: Buffer, from: number): number {
  let at = block.indexOf(name, from);
  while (at !== -1) {
    const value = startOfValue(block, at + name.length);
    if (value !== -1) return value;
    at = block.indexOf(name, at + name.length);
  }
  return -1;
}

/** Whether each value of an object is empty: null, "", {} or []. What follows the first that is not is not looked at. */
export function isEmptyObject(block: Buffer, from: number, ignored: Buffer): boolean {
  let at = from + 1;
  while (at < block.length) {
    while (block[at] === space || block[at] === comma) at += 1;
    if (block[at] === closeBrace) return true;
    const closing = block[at] === quote ? block.indexOf(quote, at + 1) : -1;
    if (closing === -1) return false;
    const isIgnored = ignored.equals(block.subarray(at, closing + 1));
    const value = startOfValue(block, closing + 1);
    const end = value === -1 ? -1 : endOfEmpty(block, value, isIgnored);
    if (end === -1) return false;
    at = end;
  }
  return false;
}

/** Index just past an empty value, or past a string that is to be ignored; -1 for any other. */
function endOfEmpty(block: Buffer, from: number, isIgnored: boolean): number {
  const [first, second] = [block[from], block[from + 1]];
  if (first === letterN) return from + 4;
  if (first === quote && isIgnored) return block.indexOf(quote, from + 1) + 1 || -1;
  if (first === quote && second === quote) return from + 2;
  if (first === openBrace && second === closeBrace) return from + 2;
  return first === openBracket && second === closeBracket ? from + 2 : -1;
}

/** Whether a member has a string that is not empty for its value. */
export function hasFilledMember(block: Buffer, name: Buffer): boolean {
  let at = block.indexOf(name);
  while (at !== -1) {
    const value = startOfValue(block, at + name.length);
    if (value !== -1 && block[value] === quote && block[value + 1] !== quote) return true;
    at = block.indexOf(name, at + name.length);
  }
  return false;
}

/** Index of the value after a member's name, or -1 when no colon follows, so that it was no name. */
function startOfValue(block: Buffer, afterName: number): number {
  let at = afterName;
  while (block[at] === space) at += 1;
  if (block[at] !== colon) return -1;
  at += 1;
  while (block[at] === space) at += 1;
  return at;
}

/**
 * Whether a member stands in the outermost object of a frame: what follows it then closes one thing more than it opens.
 * The arguments of a call are objects of their own, in which any name can stand.
 * @param afterName index just past the member's name.
 * @param end of the frame.
 */
export function isOutermost(block: Buffer, afterName: number, end: number): boolean {
  let closed = 0;
  let isInString = false;
  for (let at = afterName; at < end; at += 1) {
    const byte = block[at];
    if (byte === quote) isInString = !isInString;
    else if (isInString) {
      if (byte === backslash) at += 1;
    } else if (byte === closeBrace || byte === closeBracket) closed += 1;
    else if (byte === openBrace || byte === openBracket) closed -= 1;
  }
  return closed === 1;
}

/** Whether the last frame of a block ends in a closing brace, as every frame that carries an object does. */
export function endsInObject(block: Buffer): boolean {
  let at = block.length - 1;
  while (at >= 0 && (block[at] === lineFeed || block[at] === carriageReturn)) at -= 1;
  return block[at] === closeBrace;
}
