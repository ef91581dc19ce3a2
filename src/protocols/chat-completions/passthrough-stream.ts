/**
 * A chat completion stream on its way through. Until the first content each frame is read; after it only frames that
 * can carry usage, an error or the end are looked at, found by their member names in the bytes.
 */
import { endOfFrame, framesOf, readData, startOfFrame } from '../../base/sse.ts';
import type { TokenUsage } from '../../base/token-usage.ts';
import { brokenFrame } from '../broken-frame.ts';
import type { StreamTranslator, UpstreamComplaint } from '../exchange.ts';
import { endsInObject, findMember } from '../frame-bytes.ts';
import { isJsonObject, tryParseJson } from '../json-body.ts';
import { complaintIn } from './complaint.ts';
import { readChatUsage } from './usage.ts';

const nothing = new Uint8Array();
const doneFrame = new TextEncoder().encode('data: [DONE]\n\n');
/** What a chunk spends on everything but its text: an estimate for streams that end without usage. */
const frameOverheadBytes = 180;

export class ChatPassthroughStream implements StreamTranslator {
  hasContent = false;
  isComplete = false;
  complaint: UpstreamComplaint | null = null;
  usage: TokenUsage | null = null;
  generatedCharacters = 0;
  #sawDone = false;
  readonly #keepUsageFrame: boolean;
  readonly #oneChoice: boolean;

  constructor(options: { keepUsageFrame: boolean; oneChoice: boolean }) {
    this.#keepUsageFrame = options.keepUsageFrame;
    this.#oneChoice = options.oneChoice;
  }

  push(block: Buffer): Uint8Array {
    if (!this.hasContent) this.#lookForContent(block);
    this.generatedCharacters += Math.max(1, block.length - frameOverheadBytes);
    if (!this.isComplete && this.#oneChoice && hasFinishReason(block)) this.isComplete = true;
    if (!endsInObject(block)) this.#readLooseEnds(block);
    if (findMember(block, '"error"', 0) !== -1) this.#readErrors(block);
    return this.#readUsage(block);
  }

  end(): Uint8Array {
    return this.#sawDone ? nothing : doneFrame;
  }

  /** Reads frame by frame until one has content or is an error, whichever comes first. */
  #lookForContent(block: Buffer): void {
    for (const frame of framesOf(block)) {
      if (this.hasContent || this.complaint !== null) return;
      const data = readData(frame);
      if (data === null || data === '') continue;
      const chunk = data === '[DONE]' ? null : tryParseJson(data);
      this.complaint = chunk === undefined ? brokenFrame : complaintIn(chunk);
      this.hasContent = data === '[DONE]' || carriesContent(chunk);
    }
  }

  /** For blocks that do not end like a chunk: the end of the stream, a comment, or a chunk that was cut short. */
  #readLooseEnds(block: Buffer): void {
    for (const frame of framesOf(block)) {
      if (endsInObject(frame)) continue;
      const data = readData(frame);
      if (data === null || data === '') continue;
      if (data === '[DONE]') {
        this.isComplete = true;
        this.#sawDone = true;
      } else if (tryParseJson(data) === undefined) {
        this.complaint ??= brokenFrame;
      }
    }
  }

  #readErrors(block: Buffer): void {
    for (const frame of framesOf(block)) {
      this.complaint ??= complaintIn(tryParseJson(readData(frame) ?? ''));
    }
  }

  /** Takes the usage out of the frames that have it; a frame that has nothing else is dropped unless asked for. */
  #readUsage(block: Buffer): Uint8Array {
    let at = findMember(block, '"usage"', 0);
    if (at === -1) return block;
    const kept: Buffer[] = [];
    let copiedTo = 0;
    while (at !== -1) {
      const start = startOfFrame(block, at);
      const end = endOfFrame(block, at);
      const chunk = tryParseJson(readData(block.subarray(start, end)) ?? '');
      const usage = isJsonObject(chunk) ? readChatUsage(chunk['usage']) : null;
      if (usage !== null) {
        this.usage = usage;
        if (!this.#keepUsageFrame && isJsonObject(chunk) && isEmptyArray(chunk['choices'])) {
          kept.push(block.subarray(copiedTo, start));
          copiedTo = end;
        }
      }
      at = findMember(block, '"usage"', end);
    }
    if (copiedTo === 0) return block;
    return Buffer.concat([...kept, block.subarray(copiedTo)]);
  }
}

const hasFinishReason = (block: Buffer): boolean => findMember(block, '"finish_reason"', 0) !== -1;

const isEmptyArray = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** Whether a chunk shows the client anything: text, reasoning, a refusal, a tool call, audio, or an end. */
function carriesContent(chunk: unknown): boolean {
  if (!isJsonObject(chunk) || !Array.isArray(chunk['choices'])) return false;
  return chunk['choices'].some((choice: unknown) => {
    if (!isJsonObject(choice)) return false;
    if (typeof choice['finish_reason'] === 'string') return true;
    const delta = choice['delta'];
    if (!isJsonObject(delta)) return false;
    return Object.entries(delta).some(([name, value]) => name !== 'role' && isFilled(value));
  });
}

const isFilled = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== '' && !isEmptyArray(value);
