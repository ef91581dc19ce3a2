/** Looks into the bytes of stream frames without reading them: which members a block of frames has, and how it ends. */

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const colon = 0x3a;
const space = 0x20;
const letterN = 0x6e;
const closeBrace = 0x7d;

/**
 * Index of a member whose value is not null, or -1. A member name cannot be faked by generated text: inside a JSON
 * string its quotes are escaped.
 */
export function findMember(block: Buffer, quotedName: string, from: number): number {
  let at = block.indexOf(quotedName, from, 'latin1');
  while (at !== -1) {
    let after = at + quotedName.length;
    while (block[after] === space) after += 1;
    if (block[after] === colon) {
      after += 1;
      while (block[after] === space) after += 1;
      if (block[after] !== letterN) return at;
    }
    at = block.indexOf(quotedName, after, 'latin1');
  }
  return -1;
}

/** Whether the last frame of a block ends in a closing brace, as every frame that carries an object does. */
export function endsInObject(block: Buffer): boolean {
  let at = block.length - 1;
  while (at >= 0 && (block[at] === lineFeed || block[at] === carriageReturn)) at -= 1;
  return block[at] === closeBrace;
}
