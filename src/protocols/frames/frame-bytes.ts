/** Looks into the bytes of stream frames without reading them: which members a block of frames has, and how it ends. */

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const colon = 0x3a;
const space = 0x20;
const letterN = 0x6e;
const quote = 0x22;
const closeBrace = 0x7d;

/**
 * Index of a member whose value is not null, or -1. A member name cannot be faked by generated text: inside a JSON
 * string its quotes are escaped.
 */
export function findMember(block: Buffer, quotedName: string, from: number): number {
  let at = block.indexOf(quotedName, from, 'latin1');
  while (at !== -1) {
    const value = startOfValue(block, at + quotedName.length);
    if (value !== -1 && block[value] !== letterN) return at;
    at = block.indexOf(quotedName, at + quotedName.length, 'latin1');
  }
  return -1;
}

/** Whether a member has a string that is not empty for its value. */
export function hasFilledMember(block: Buffer, quotedName: string): boolean {
  let at = block.indexOf(quotedName, 0, 'latin1');
  while (at !== -1) {
    const value = startOfValue(block, at + quotedName.length);
    if (value !== -1 && block[value] === quote && block[value + 1] !== quote) return true;
    at = block.indexOf(quotedName, at + quotedName.length, 'latin1');
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
