/**
 * Looks into the bytes of stream frames without reading them: which members a block of frames has, and how it ends.
 * Needles are bytes, since a text would be made bytes of for every search.
 */

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const colon = 0x3a;
const space = 0x20;
const letterN = 0x6e;
const quote = 0x22;
const closeBrace = 0x7d;

/** The name of a member as it stands in JSON, to be looked for. */
export const memberName = (name: string): Buffer => Buffer.from(`"${name}"`);

/**
 * Index of a member whose value is not null, or -1. A member name cannot be faked by generated text: inside a JSON
 * string its quotes are escaped.
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

/** Whether the last frame of a block ends in a closing brace, as every frame that carries an object does. */
export function endsInObject(block: Buffer): boolean {
  let at = block.length - 1;
  while (at >= 0 && (block[at] === lineFeed || block[at] === carriageReturn)) at -= 1;
  return block[at] === closeBrace;
}
