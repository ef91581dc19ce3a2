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
 * Its beginning, for `findMember`. A search compares wherever the first and the last byte of what it looks for may stand:
 * without the second quote, which is everywhere, it takes a third less time.
 */
export const beginningOfName = (name: string): Buffer => Buffer.from(`"${name}`);

/**
 * Index of a member whose value is not null, or -1. A member name cannot be faked by generated text: inside a JSON
 * string its quotes are escaped. The members of an object that was generated are found like any others.
 */
export function findMember(block: Buffer, name: Buffer, from: number): number {
  const lacksQuote = name[name.length - 1] !== quote;
  let at = block.indexOf(name, from);
  while (at !== -1) {
    const end = at + name.length;
    const isName = !lacksQuote || block[end] === quote;
    const value = isName ? startOfValue(block, lacksQuote ? end + 1 : end) : -1;
    if (value !== -1 && block[value] !== letterN) return at;
    at = block.indexOf(name, end);
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

/** Frames that are known to bring nothing, such as pings, which are to keep no stream alive. */
export interface SilentFrames {
  /**
   * Index of what each of them has, and few others, so that most frames need not be looked at by themselves; or -1, also
   * where a frame shows that something is said: whether more of the block is silent then changes little.
   */
  find(block: Buffer, from: number): number;
  isSilent(frame: Buffer): boolean;
}

/**
 * Frames that have members of a name, and nothing in the object of any of them.
 * @param ignored the name of a member that may have a text all the same.
 */
export function framesOfEmpty(name: Buffer, ignored: Buffer): SilentFrames {
  const isEmpty = (block: Buffer, value: number) =>
    block[value] === openBrace && isEmptyObject(block, value, ignored);
  return {
    find(block, from) {
      const at = startOfMember(block, name, from);
      return at !== -1 && isEmpty(block, at) ? at : -1;
    },
    isSilent(frame) {
      let at = startOfMember(frame, name, 0);
      if (at === -1) return false;
      while (at !== -1 && isEmpty(frame, at)) at = startOfMember(frame, name, at);
      return at === -1;
    },
  };
}

/** Whether each value of an object is empty: null, "", {} or []. What follows the first that is not is not looked at. */
function isEmptyObject(block: Buffer, from: number, ignored: Buffer): boolean {
  let at = from + 1;
  while (at < block.length) {
    while (block[at] === space || block[at] === comma) at += 1;
    if (block[at] === closeBrace) return true;
    if (block[at] !== quote) return false;
    const start = at;
    // Names are short: to go through one costs less than to search for its end.
    for (at += 1; at < block.length && block[at] !== quote; ) at += 1;
    const value = startOfValue(block, at + 1);
    if (value === -1) return false;
    const mayBeIgnored = at + 1 - start === ignored.length && block[value] === quote;
    const isIgnored = mayBeIgnored && ignored.equals(block.subarray(start, at + 1));
    const end = isIgnored ? block.indexOf(quote, value + 1) + 1 : endOfEmpty(block, value);
    if (end <= 0) return false;
    at = end;
  }
  return false;
}

/** Index just past an empty value; -1 for any other. */
function endOfEmpty(block: Buffer, from: number): number {
  const first = block[from];
  if (first === letterN) return from + 4;
  const second = block[from + 1];
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

/** Whether the last frame of a block, or of a part of it, ends in a closing brace, as all do that carry an object. */
export function endsInObject(block: Buffer, start = 0, end = block.length): boolean {
  let at = end - 1;
  while (at >= start && (block[at] === lineFeed || block[at] === carriageReturn)) at -= 1;
  return at >= start && block[at] === closeBrace;
}
