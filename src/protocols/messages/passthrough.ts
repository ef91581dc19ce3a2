/** From a messages client to a messages upstream: the bytes pass through. What a request loses is in `pass-request.ts`. */

import { framesOf, readData } from '../../base/sse.ts';
import type { ExtrasSoFar, TokenUsage } from '../../base/token-usage.ts';
import { endsInObject, type SilentFrames, startOfMember } from '../frames/frame-bytes.ts';
import { GeneratedText, type TextSample } from '../frames/generated-text.ts';
import {
  asCount,
  asFilledText,
  asObject,
  asObjects,
  isJsonObject,
  type JsonObject,
  tryParseJson,
} from '../json/fields.ts';
import { readPassedAnswer } from '../passed-answer.ts';
import { declaresHosted } from '../priced-features.ts';
import {
  brokenFrame,
  type InferenceRequest,
  type StreamTranslator,
  type Translator,
  type UpstreamComplaint,
  type WholeAnswer,
} from '../translator.ts';
import { messagesComplaintIn, readMessagesComplaint } from './errors.ts';
import { containerOf, MessageExtras, mergeUsage, readMessagesUsage, readMessageUsage } from './outcome.ts';
import { passRequest } from './pass-request.ts';
import { deltaFrame, emptyDeltasByType, frame, ping } from './write-stream.ts';

export const messagesPassthrough: Translator = {
  writeRequest: passRequest,
  readAnswer,
  readComplaint: readMessagesComplaint,
  openStream: ({ json }) => new MessagesPassthroughStream(json),
};

const passed = {
  list: 'content',
  readUsage: readMessageUsage,
  complaintIn: messagesComplaintIn,
} as const;

/** A container can stand anywhere in the answer. */
function readAnswer(body: string, { json }: InferenceRequest): WholeAnswer {
  return readPassedAnswer(body, passed, declaresHosted(json));
}

const nothing = new Uint8Array();
const encoder = new TextEncoder();
const stopFrame = encoder.encode(frame('message_stop', '{"type":"message_stop"}'));
/** Of a frame without its text. */
const usualEnvelopeBytes = 110;
/** Until the first content each frame is read; after it only frames that can carry usage, an error or the end are. */
class MessagesPassthroughStream implements StreamTranslator {
  hasContent = false;
  isComplete = false;
  complaint: UpstreamComplaint | null = null;
  isEnded = false;
  readonly #generated = new GeneratedText(usualEnvelopeBytes);
  /** Of the block at hand, before the first content: it opens the message and generates nothing. */
  #silentBytes = 0;
  /** The last that came, pings aside: it tells which block is open. */
  #last: Buffer = Buffer.alloc(0);
  #counts: JsonObject = {};
  #hasFinalCounts = false;
  readonly #extras: MessageExtras;
  readonly #hasHosted: boolean;

  constructor(asked: JsonObject) {
    this.#extras = new MessageExtras(asked);
    this.#hasHosted = declaresHosted(asked);
  }

  get generatedCharacters(): number {
    return this.#generated.characters;
  }

  sampleGenerated(): TextSample {
    return this.#generated.sample();
  }

  get usage(): TokenUsage | null {
    return this.#hasFinalCounts ? this.usageSoFar : null;
  }

  get usageSoFar(): TokenUsage | null {
    return readMessagesUsage(this.#counts);
  }

  get extrasSoFar(): ExtrasSoFar {
    return this.#extras.soFar;
  }

  push(block: Buffer): Uint8Array {
    if (this.hasContent && this.#isPlain(block)) {
      this.#add(block);
      return block;
    }
    this.#silentBytes = this.hasContent ? 0 : block.length;
    const sound = block.subarray(0, this.#soundLength(block));
    this.#add(sound.subarray(this.#silentBytes));
    return sound;
  }

  end(): Uint8Array {
    return this.isEnded ? nothing : stopFrame;
  }

  /** Some clients show a stall in spite of pings, so that an open block gets a piece of nothing. */
  idle(): Uint8Array {
    return encoder.encode(emptyDeltaAfter(this.#last));
  }

  #add(block: Buffer): void {
    const { characters } = this.#generated;
    this.#generated.add(block, pings);
    // All but pings counts as generated.
    if (this.#generated.characters > characters) this.#last = block;
  }

  /** Up to the end, or the first frame that is an error or cannot be read: what follows is not for the client. */
  #soundLength(block: Buffer): number {
    let length = 0;
    for (const whole of framesOf(block)) {
      const wasSilent = !this.hasContent;
      if (wasSilent || !this.#isPlain(whole)) this.#readFrame(whole);
      if (wasSilent && this.hasContent) this.#silentBytes = length;
      if (this.complaint !== null) break;
      length += whole.length;
      if (this.isEnded) break;
    }
    return length;
  }

  /** Where the vendor runs tools of its own, what they found is looked at too. */
  #isPlain(block: Buffer): boolean {
    return isPlain(block) && !(this.#hasHosted && block.indexOf(toolResultEnd) !== -1);
  }

  #readFrame(whole: Buffer): void {
    const data = readData(whole);
    if (data === null || data === '') return;
    const event = tryParseJson(data);
    if (!isJsonObject(event)) {
      this.complaint ??= brokenFrame;
      return;
    }
    switch (event['type']) {
      case 'message_start':
        this.#readStart(asObject(event['message']) ?? {});
        break;
      case 'content_block_start':
        this.#extras.noteBlock(asObject(event['content_block']) ?? {});
        this.hasContent ||= carriesContent(event);
        break;
      case 'content_block_delta':
        this.hasContent ||= carriesContent(event);
        break;
      case 'message_delta':
        this.#readMessageDelta(event);
        break;
      case 'message_stop':
        this.isComplete = true;
        this.isEnded = true;
        break;
      case 'error':
        this.complaint ??= messagesComplaintIn(event) ?? brokenFrame;
        break;
      case undefined:
        // Hosts in front of the protocol leave out the type.
        this.complaint ??= messagesComplaintIn(event);
    }
  }

  /** Calls that code of the model's own makes come whole with the start, and often with the reason for the end. */
  #readStart(message: JsonObject): void {
    this.#extras.noteStart(message);
    this.#counts = mergeUsage(mergeUsage(this.#counts, message['usage']), containerOf(message));
    const isOver = asFilledText(message['stop_reason']) !== undefined;
    this.hasContent ||= isOver || asObjects(message['content']).length > 0;
    this.#hasFinalCounts ||= isOver && asObject(message['usage']) !== undefined;
  }

  #readMessageDelta(event: JsonObject): void {
    const delta = asObject(event['delta']) ?? {};
    this.#counts = mergeUsage(mergeUsage(this.#counts, event['usage']), containerOf(delta));
    this.#hasFinalCounts ||= asObject(event['usage']) !== undefined;
    if (asFilledText(asObject(event['delta'])?.['stop_reason']) === undefined) return;
    this.hasContent = true;
    this.isComplete = true;
  }
}

/** How the types of blocks end that hold what a tool of the vendor's found. */
const toolResultEnd = Buffer.from('_tool_result"');
const typeName = Buffer.from('"type"');
const pingType = Buffer.from('"ping"');

/** The first type in a frame is the event's own. */
const pings: SilentFrames = {
  find: (block, from) => block.indexOf(pingType, from),
  isSilent(frame) {
    const at = startOfMember(frame, typeName, 0);
    return at !== -1 && pingType.equals(frame.subarray(at, at + pingType.length));
  },
};

/** For the block that is open behind these frames; a ping where none is, or one of a kind that has no pieces. */
function emptyDeltaAfter(frames: Buffer): string {
  const last = [...framesOf(frames)].findLast((each) => readData(each) !== null && !pings.isSilent(each));
  const event = asObject(tryParseJson((last && readData(last)) ?? ''));
  const { type } = asObject(event?.['content_block']) ?? asObject(event?.['delta']) ?? {};
  const delta = emptyDeltasByType.get(type);
  return delta === undefined ? ping : deltaFrame(asCount(event?.['index']) ?? 0, delta);
}

const errorName = Buffer.from('"error"');
const detailName = Buffer.from('"detail"');
/** Begins `"message"`, `"message_start"`, `"message_delta"` and `"message_stop"`: one search in place of four. */
const messageName = Buffer.from('"message');
const quote = 0x22;
const underscore = 0x5f;

/**
 * Whether nothing in a block can be usage, an error or the end, so that it need not be read. Those have one of these
 * names in them, as a member or as a type, and generated text has no quote behind a name that is not escaped. A block
 * that does not end like a frame ends in a comment, or was cut short.
 */
function isPlain(block: Buffer): boolean {
  if (!endsInObject(block) || block.indexOf(errorName) !== -1 || block.indexOf(detailName) !== -1)
    return false;
  let at = block.indexOf(messageName);
  while (at !== -1) {
    const behind = block[at + messageName.length];
    if (behind === quote || behind === underscore) return false;
    at = block.indexOf(messageName, at + messageName.length);
  }
  return true;
}

/** Whether an event shows the client anything: a block that begins with nothing in it does not. */
function carriesContent(event: JsonObject): boolean {
  const content = asObject(event['content_block']) ?? asObject(event['delta']) ?? {};
  const { type } = content;
  if (type !== 'text' && type !== 'thinking' && event['type'] === 'content_block_start') return true;
  return ['text', 'thinking', 'partial_json', 'signature', 'citation'].some((name) => {
    const value = content[name];
    return value !== undefined && value !== '';
  });
}
