/**
 * Frames that repeat an earlier one of their stream, with another text in it. What is looked for in frames are members, and
 * a text has none, because its quotes are escaped: what is not in the one is not in the others. To compare them costs a
 * third of what the searches do.
 */
import { startOfFrame } from '../../base/sse.ts';
import { startOfMember } from './frame-bytes.ts';

/**
 * To learn a frame costs what some blocks gain that repeat it: those pay for it, and two are learned in advance. Frames of
 * some hosts differ in more than a text, and after a while nothing more is expected of them.
 */
const costOfLearning = 4;
const mostCredit = 2 * costOfLearning;
/** What a longer frame has beside its text would have to be kept. */
const mostFrameBytes = 4096;

const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const nothing = Buffer.alloc(0);

/** What a protocol says of its frames: names of members, and what is looked for. */
export interface FrameKind {
  /** The object that has the text. */
  readonly holder: Buffer;
  /** A member of it that says nothing. */
  readonly ignored: Buffer;
  /** A member behind it, which hides from listeners how long the text is. */
  readonly padding: Buffer;
  /** Whether nothing that anybody looks for is in a frame. */
  isQuiet(frame: Buffer): boolean;
}

interface Place {
  readonly from: number;
  readonly to: number;
}

export class RepeatedFrames {
  readonly #kind: FrameKind;
  #credit = mostCredit;
  /** Not looked at until a block begins like it. */
  #candidate: Buffer | null = null;
  /** What stands before the first text; empty until a frame is known. */
  #head: Buffer = nothing;
  /** What stands between text and padding, where a frame has both. */
  #between: Buffer | null = null;
  #tail: Buffer = nothing;
  /** The tail and the head of the next frame, since one comparison costs half of two. */
  #joint: Buffer = nothing;
  /** It is asked for twice: by those who split the stream, and by those who pass it on. */
  #counted: Buffer = nothing;
  #count = 0;

  constructor(kind: FrameKind) {
    this.#kind = kind;
  }

  /** @param block repeats nothing, and was looked at: the next may repeat its last frame. */
  learn(block: Buffer): void {
    if (this.#credit < 0) return;
    this.#credit -= costOfLearning;
    if (this.#credit < 0) this.#head = nothing;
    else this.#candidate = block.subarray(startOfFrame(block, block.length - 1));
  }

  /** How many frames a block has, each of which repeats the one that was learned, and has a text; 0 for any other block. */
  count(block: Buffer): number {
    // A part of a frame has come, and the rest of it may still begin like the candidate.
    if (block.length === 0) return 0;
    if (block !== this.#counted) {
      this.#counted = block;
      this.#count = this.#countIn(block);
      if (this.#count === 0 && this.#candidate !== null) {
        this.#consider(this.#candidate, block);
        this.#count = this.#countIn(block);
      }
      if (this.#count > 0 && this.#credit < mostCredit) this.#credit += 1;
    }
    return this.#count;
  }

  #countIn(block: Buffer): number {
    const head = this.#head;
    if (head.length === 0 || !isAt(block, 0, head)) return 0;
    const between = this.#between;
    let at = head.length;
    for (let frames = 1; ; frames += 1) {
      let end = endOfText(block, at);
      if (end <= at) return 0;
      if (between !== null) {
        if (!isAt(block, end, between)) return 0;
        at = end + between.length;
        end = endOfText(block, at);
        if (end <= at) return 0;
      }
      if (end + this.#tail.length === block.length) return isAt(block, end, this.#tail) ? frames : 0;
      if (!isAt(block, end, this.#joint)) return 0;
      at = end + this.#joint.length;
    }
  }

  #consider(frame: Buffer, block: Buffer): void {
    this.#candidate = null;
    const { holder, ignored, padding } = this.#kind;
    const object = startOfMember(frame, holder, 0);
    if (object === -1 || frame.length > mostFrameBytes) return;
    if (!isAt(block, 0, frame.subarray(0, object)) || !this.#kind.isQuiet(frame)) return;
    const text = lastTextIn(frame, object, ignored);
    if (text === null) return;
    const value = startOfMember(frame, padding, text.to);
    const hidden = value === -1 ? null : textAt(frame, value);
    const end = hidden === null ? text.to : hidden.to;
    // A part of a frame would keep in memory all that came with it.
    const copy = Buffer.concat([frame, frame.subarray(0, text.from)]);
    this.#head = copy.subarray(0, text.from);
    this.#between = hidden === null ? null : copy.subarray(text.to, hidden.from);
    this.#tail = copy.subarray(end, frame.length);
    this.#joint = copy.subarray(end);
  }
}

const isAt = (block: Buffer, at: number, part: Buffer): boolean =>
  part.equals(block.subarray(at, at + part.length));

/** The last text of an object that says something: what stands before it tells what it is. */
function lastTextIn(frame: Buffer, object: number, ignored: Buffer): Place | null {
  let last: Place | null = null;
  let isIgnored = false;
  let depth = 0;
  for (let at = object; at < frame.length; at += 1) {
    const byte = frame[at];
    if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) depth -= 1;
    else if (byte === quote) {
      const end = endOfText(frame, at + 1);
      if (end === -1) return null;
      const text = textAt(frame, at);
      if (text === null) isIgnored = ignored.equals(frame.subarray(at, end + 1));
      else if (!isIgnored) last = text;
      at = end;
    }
    if (depth === 0) return last;
  }
  return null;
}

/** A text that is a value and no name, and has something in it. */
function textAt(frame: Buffer, at: number): Place | null {
  const from = at + 1;
  const to = frame[at] === quote ? endOfText(frame, from) : -1;
  const next = frame[to + 1];
  const isValue = next === comma || next === closeBrace || next === closeBracket;
  return to > from && isValue ? { from, to } : null;
}

/** Index of the quote that ends a text, or -1. Texts are short: to go through one costs less than to search for its end. */
function endOfText(block: Buffer, from: number): number {
  for (let at = from; at < block.length; at += 1) {
    const byte = block[at];
    if (byte === quote) return at;
    if (byte === backslash) at += 1;
    // No text has line ends in it, which would make more frames of one.
    if ((block[at] ?? 0) < space) return -1;
  }
  return -1;
}
