/**
 * A stream's frames without those that are no JSON: they are dropped and counted, wherever the packets were cut. After a
 * few of them, or one of a call, whose arguments would be carried out with a hole in them, the stream is no longer
 * believed.
 */
import { endOfFrame, FrameSplitter, readData } from '../../base/sse.ts';
import { tryParseJson } from '../json/fields.ts';
import type { RepeatedFrames } from './repeated-frames.ts';

/** Proxies and overloaded hosts spoil a frame now and then; a stream that has more of them is no answer. */
const mostUnreadableFrames = 3;
const lastWord = '[DONE]';
/**
 * Of frames that have a piece of a call, or tell that there was one, in all protocols. Generated text cannot have them,
 * because its quotes are escaped.
 */
const ofCall =
  /"tool_calls"\s*:\s*(?:\[\s*)?\{|"function_?[cC]all"\s*:\s*\{|"type"\s*:\s*"(?:tool_use|input_json_delta|function_call|custom_tool_call|tool-call-[a-z]+|response\.(?:function_call_arguments|custom_tool_call_input)\.[a-z]+)"|"toolUse"\s*:\s*\{|"(?:finish|stop)_?[rR]eason"\s*:\s*"(?:tool_calls?|tool_use|function_call|TOOL_CALL)"/;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const quote = 0x22;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const closeBracket = 0x5d;
const dataField = Buffer.from('data:');
const nothing = Buffer.alloc(0);
const blankLine = Buffer.from('\n\n');
/** As many closing bytes as a number holds. */
const longestTail = 6;
/** Streams have a handful of kinds of frames. */
const mostTails = 16;
/** So many show what a stream is: an upstream that writes all of it at once would have all of it parsed. */
const mostExact = 8;

/** Pings and comments say nothing, so that they are no neighbours of what was dropped: those are behind them. */
type Verdict = 'unreadable' | 'idle' | 'sound';

/** Only frames that are as short are looked at for one. */
const longestPing = 64;
const ping = /^\s*\{\s*"type"\s*:\s*"(?:ping|keepalive)"/;

export class ReadableFrames {
  /** Frames that were dropped. */
  unreadable = 0;
  /**
   * How many frames the last block has; undefined where one of them says nothing or was dropped, since what each reader
   * counts would not be told by it.
   */
  count: number | undefined;
  readonly #splitter: FrameSplitter;
  readonly #onUnreadable: () => void;
  readonly #mostUnreadable: number;
  /** How frames end that were parsed. */
  readonly #tails: number[] = [];
  #parsed = 0;
  #isExact = true;
  /** A piece of a call was dropped. */
  #hasHole = false;
  /** The last frame that said something and was not dropped, in its block. */
  #before: Buffer = nothing;
  #beforeFrom = 0;
  #beforeTo = 0;
  /** What was dropped stood before the frame to come. */
  #isBehindDropped = false;

  /**
   * @param onUnreadable called for each frame that is dropped.
   * @param isStrict none may be: somebody else can be asked for what is missing.
   */
  constructor(maxFrameBytes: number, onUnreadable: () => void, isStrict = false) {
    this.#splitter = new FrameSplitter(maxFrameBytes);
    this.#onUnreadable = onUnreadable;
    this.#mostUnreadable = isStrict ? 0 : mostUnreadableFrames;
  }

  /** More was dropped than a stream may have, or what it must not lack; what followed was dropped too. */
  get isSpoilt(): boolean {
    return this.#hasHole || this.unreadable > this.#mostUnreadable;
  }

  /**
   * The whole frames that the chunk completes.
   * @param isExact the first frames of the stream are parsed. Otherwise a frame that begins like an object, and ends like
   * one that was parsed before, is taken for JSON unread: parsing each costs a stream that passes through more than all
   * the rest.
   * @param repeated knows frames that repeat one of this stream's, which was taken for JSON.
   * @throws FrameTooLargeError
   */
  push(chunk: Uint8Array, isExact: boolean, repeated?: RepeatedFrames): Buffer {
    this.#isExact = isExact;
    this.count = undefined;
    const block = this.#splitter.push(chunk);
    const count = repeated === undefined || this.#isBehindDropped ? 0 : repeated.count(block);
    if (count === 0 || this.isSpoilt) return this.#sift(block);
    this.count = count;
    // Whether a frame is of a call, all of them tell.
    this.#before = block;
    this.#beforeFrom = 0;
    this.#beforeTo = block.length;
    return block;
  }

  /** What is left at the end of the stream: a last frame without its blank line, or nothing. */
  close(): Buffer {
    this.count = undefined;
    return this.isSpoilt ? nothing : closingBlock(this.#splitter);
  }

  #sift(block: Buffer): Buffer {
    if (this.isSpoilt) return nothing;
    let kept: Buffer[] | null = null;
    let keptFrom = 0;
    let start = 0;
    let count = 0;
    let hasIdle = false;
    while (start < block.length) {
      // Most frames are one line, whose end is the only thing that is searched for.
      const lineEnd = block.indexOf(lineFeed, start);
      const isOneLine = lineEnd !== -1 && block[lineEnd + 1] === lineFeed;
      const end = isOneLine ? lineEnd + 2 : endOfFrame(block, start);
      const verdict = this.#judge(block, start, end, isOneLine);
      if (verdict === 'unreadable') {
        kept ??= [];
        kept.push(block.subarray(keptFrom, start));
        keptFrom = end;
        this.unreadable += 1;
        this.#onUnreadable();
        this.#isBehindDropped = true;
        this.#hasHole = this.#isOfCall(this.#before, this.#beforeFrom, this.#beforeTo);
        if (this.isSpoilt) return Buffer.concat(kept);
      } else if (verdict === 'sound') {
        if (this.#isBehindDropped) {
          this.#isBehindDropped = false;
          this.#hasHole = this.#isOfCall(block, start, end);
          if (this.#hasHole) return Buffer.concat([...(kept ?? []), block.subarray(keptFrom, start)]);
        }
        this.#before = block;
        this.#beforeFrom = start;
        this.#beforeTo = end;
        count += 1;
      } else hasIdle = true;
      start = end;
    }
    if (kept === null) {
      if (!hasIdle) this.count = count;
      return block;
    }
    kept.push(block.subarray(keptFrom));
    return Buffer.concat(kept);
  }

  /** Asked of the neighbours of what was dropped, which can say nothing itself. */
  #isOfCall(block: Buffer, start: number, end: number): boolean {
    return ofCall.test(block.toString('latin1', start, end));
  }

  #judge(block: Buffer, start: number, end: number, isOneLine: boolean): Verdict {
    let last = end - 1;
    while (last > start && (block[last] === lineFeed || block[last] === carriageReturn)) last -= 1;
    const tail = readTail(block, start, last);
    const mustParse = this.#isExact && this.#parsed < mostExact;
    if (!mustParse && tail !== 0 && this.#tails.includes(tail)) {
      const lastLine = isOneLine ? start : Math.max(start, block.lastIndexOf(lineFeed, last) + 1);
      if (isObjectBegun(block, lastLine)) {
        if (last - lastLine > longestPing) return 'sound';
        return ping.test(block.toString('latin1', lastLine + dataField.length, last + 1)) ? 'idle' : 'sound';
      }
    }
    const data = readData(block.subarray(start, end));
    if (data === null || data === '') return 'idle';
    if (data === lastWord) return 'sound';
    this.#parsed += 1;
    if (tryParseJson(data) === undefined) return 'unreadable';
    if (tail !== 0 && this.#tails.length < mostTails && !this.#tails.includes(tail)) this.#tails.push(tail);
    return data.length <= longestPing && ping.test(data) ? 'idle' : 'sound';
  }
}

/** The closing braces, brackets and quotes at the end of a frame as one number; 0 for what does not end in a brace. */
function readTail(block: Buffer, start: number, last: number): number {
  if (block[last] !== closeBrace) return 0;
  let tail = 0;
  for (let at = last; at > start && at > last - longestTail; at -= 1) {
    const byte = block[at];
    if (byte !== closeBrace && byte !== closeBracket && byte !== quote) break;
    tail = tail * 256 + byte;
  }
  return tail;
}

/** Whether a line is data, and that an object with members. */
function isObjectBegun(block: Buffer, line: number): boolean {
  for (let at = 0; at < dataField.length; at += 1) if (block[line + at] !== dataField[at]) return false;
  const value = line + dataField.length;
  const begin = block[value] === space ? value + 1 : value;
  return block[begin] === openBrace && block[begin + 1] === quote;
}

/** The last frame if it came whole, as not every host ends it; a piece of one is nothing: the connection was cut. */
export function closingBlock(splitter: FrameSplitter): Buffer {
  const rest = splitter.rest();
  const data = readData(rest);
  if (data === null || (data !== '[DONE]' && tryParseJson(data) === undefined)) return nothing;
  return Buffer.concat([rest, blankLine]);
}
