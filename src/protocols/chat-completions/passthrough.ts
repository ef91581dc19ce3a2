/**
 * Chat completions to chat completions: the bytes pass through; only the control fields change. Of a stream each frame
 * is read until the first content; after it only frames that can carry usage, an error or the end are looked at, found
 * by their member names in the bytes. Those that repeat one before them are not even searched.
 */
import { endOfFrame, readData, startOfFrame } from '../../base/sse.ts';
import type { ExtrasSoFar, TokenUsage } from '../../base/token-usage.ts';
import {
  beginningOfName,
  endsInObject,
  findMember,
  framesOfEmpty,
  hasFilledMember,
  memberName,
} from '../frames/frame-bytes.ts';
import { GeneratedText, type TextSample } from '../frames/generated-text.ts';
import { type FrameKind, RepeatedFrames } from '../frames/repeated-frames.ts';
import { asObjects, isJsonObject, type JsonObject, tryParseJson } from '../json/fields.ts';
import { leaveOutRouting } from '../json/routing-metadata.ts';
import { editMembers, type MemberEdit } from '../json/text.ts';
import { readPassedAnswer } from '../passed-answer.ts';
import {
  brokenFrame,
  type InferenceRequest,
  type StreamTranslator,
  type Translator,
  type UpstreamComplaint,
  unfinishedAnswer,
  type WholeAnswer,
} from '../translator.ts';
import { efforts } from '../turn/request.ts';
import { type ChatDialect, type MaxTokensField, maxTokensFields, openaiDialect } from './dialect.ts';
import { fitMessages } from './earlier-messages.ts';
import { complaintIn, readChatComplaint } from './errors.ts';
import { effortInstead, fitEffort, refusesChatTools } from './models.ts';
import { inOfficialShape, OfficialShape } from './official-shape.ts';
import { contentOf, isEmptyArray, readChunkUsage, readToldTier, usageIn } from './outcome.ts';
import { asksForUsage, withUsageAsked } from './request.ts';

/** For a host's dialect: what the host would refuse is changed inside the text, and nothing else. */
export const chatPassthroughIn = (dialect: ChatDialect): Translator => ({
  writeRequest: (request, upstreamId) => writeRequest(request, upstreamId, dialect),
  readAnswer: dialect.ownShape ? (body) => readAnswer(inOfficialShape(body)) : readAnswer,
  readComplaint: readChatComplaint,
  openStream: (request) =>
    new ChatPassthroughStream({
      keepUsageFrame: request.wantsStreamUsage,
      oneChoice: (request.json['n'] ?? 1) === 1,
      shape: dialect.ownShape ? new OfficialShape() : null,
    }),
});

export const chatPassthrough: Translator = chatPassthroughIn(openaiDialect);

/** The upstream is always asked for usage, because the request is to be paid for. */
function writeRequest(request: InferenceRequest, upstreamId: string, dialect: ChatDialect): string {
  const { text, json } = request;
  const edits = new Map<string, MemberEdit>([['model', JSON.stringify(upstreamId)]]);
  leaveOutRouting(edits, json);
  if (dialect.streamUsage === 'always') edits.set('stream_options', null);
  else if (request.stream && !asksForUsage(request)) {
    edits.set('stream_options', withUsageAsked(json));
  }
  if (json['max_tokens'] != null || json['max_completion_tokens'] != null) {
    renameBound(edits, json, maxTokensFields(upstreamId, dialect));
  }
  const isAtRest = dialect === openaiDialect && refusesTools(request, upstreamId);
  const effort = isAtRest ? 'none' : effortInstead(upstreamId, json['reasoning_effort']);
  if (effort !== undefined) edits.set('reasoning_effort', effort && JSON.stringify(effort));
  fitMessages(edits, json, dialect);
  return editMembers(text, edits, json);
}

/** Whether the model behind it would refuse the request for its tools, which it takes in responses. */
export function refusesTools({ json }: InferenceRequest, upstreamId: string): boolean {
  const { tools, functions } = json;
  // Most requests have none, and need not have their model looked up.
  if (tools == null && functions == null) return false;
  const isCalled = ({ type }: JsonObject) => type === 'function' || type === 'custom';
  if (!asObjects(tools).some(isCalled) && asObjects(functions).length === 0) return false;
  const asked = efforts.find((known) => known === json['reasoning_effort']);
  return refusesChatTools(upstreamId, asked && fitEffort(upstreamId, asked));
}

/** A bound on the output whose name the host or the model does not know gets the one that it does. */
function renameBound(
  edits: Map<string, MemberEdit>,
  json: JsonObject,
  known: ChatDialect['maxTokensFields'],
): void {
  const { max_tokens, max_completion_tokens } = json;
  const isUnknown = (field: MaxTokensField) => json[field] != null && !known.includes(field);
  if (!isUnknown('max_tokens') && !isUnknown('max_completion_tokens')) return;
  edits.set('max_tokens', null).set('max_completion_tokens', null);
  edits.set(known[0], JSON.stringify(max_completion_tokens ?? max_tokens));
}

const passed = {
  ...{ list: 'choices', between: 'service_tier', isNeverEmpty: true },
  ...{ readUsage: readChunkUsage, complaintIn },
} as const;

function readAnswer(body: string): WholeAnswer {
  return readPassedAnswer(body, passed);
}

const nothing = new Uint8Array();
const doneFrame = new TextEncoder().encode('data: [DONE]\n\n');
/** Every form of an error has one of these, and hardly a sound chunk does. */
const errorMembers = ['error', 'message', 'detail'].map(beginningOfName);
const usageMember = memberName('usage');
const finishMember = memberName('finish_reason');
const lastWord = '[DONE]';
const lastWordBytes = Buffer.from(lastWord);
/** Of a chunk without its text, until one has been seen. */
const usualEnvelopeBytes = 180;

class ChatPassthroughStream implements StreamTranslator {
  hasContent = false;
  isComplete = false;
  isEnded = false;
  complaint: UpstreamComplaint | null = null;
  usageSoFar: TokenUsage | null = null;
  /** By a chunk of its own, and not with a piece of the answer. */
  #isCounted = false;
  extrasSoFar: ExtrasSoFar = {};
  /** An end alone is no answer. */
  #hasChunks = false;
  /** Of some choice. */
  #hasFinish = false;
  readonly repeated = new RepeatedFrames(chunks);
  readonly #generated = new GeneratedText(usualEnvelopeBytes);
  readonly #keepUsageFrame: boolean;
  readonly #oneChoice: boolean;
  readonly #shape: OfficialShape | null;

  constructor(options: {
    keepUsageFrame: boolean;
    oneChoice: boolean;
    shape: OfficialShape | null;
  }) {
    this.#shape = options.shape;
    this.#keepUsageFrame = options.keepUsageFrame;
    this.#oneChoice = options.oneChoice;
  }

  /** Hosts that count with each piece have counted a part of the answer until it ends. */
  get usage(): TokenUsage | null {
    return this.#isCounted || this.isComplete ? this.usageSoFar : null;
  }

  get generatedCharacters(): number {
    return this.#generated.characters;
  }

  sampleGenerated(): TextSample {
    return this.#generated.sample();
  }

  push(block: Buffer, frames?: number): Uint8Array {
    const repeated = this.repeated.count(block);
    if (repeated > 0) {
      this.#generated.add(block, undefined, repeated);
      return this.#completed(block);
    }
    const length = this.#soundLength(block);
    const isWhole = length === block.length;
    const sound = isWhole ? block : block.subarray(0, length);
    this.#generated.add(sound, silentChunks, isWhole ? frames : undefined);
    if (this.#isFinished(sound) && this.#oneChoice) this.isComplete = true;
    if (this.hasContent) this.repeated.learn(block);
    return this.#completed(this.#readUsage(sound));
  }

  #completed(block: Uint8Array): Uint8Array {
    return this.#shape === null ? block : this.#shape.of(block);
  }

  end(): Uint8Array {
    return this.isEnded ? nothing : doneFrame;
  }

  /** Up to the end, or the first frame that is an error or cannot be read: what follows is not for the client. */
  #soundLength(block: Buffer): number {
    if (this.hasContent && isPlain(block)) return block.length;
    let length = this.hasContent ? plainLength(block) : 0;
    let searched = 0;
    while (length < block.length) {
      const hadContent = this.hasContent;
      const end = endOfFrame(block, length);
      const frame = block.subarray(length, end);
      // The end is believed when the pieces before it said why. Each is searched once, since a text can say so in each.
      const saysLast = frame.indexOf(lastWordBytes) !== -1;
      if (saysLast && !this.#isFinished(block.subarray(searched, length))) searched = length;
      if (this.isEnded || !this.#isSound(frame)) break;
      // Once, since each time looks through all that is left.
      length = this.hasContent && !hadContent ? end + plainLength(block.subarray(end)) : end;
    }
    return length;
  }

  #isFinished(sound: Buffer): boolean {
    this.#hasFinish ||= hasFilledMember(sound, finishMember);
    return this.#hasFinish;
  }

  #isSound(frame: Buffer): boolean {
    if (this.hasContent && isPlain(frame)) return true;
    const data = readData(frame);
    if (data === null || data === '') return true;
    if (data === lastWord) {
      if (!this.#hasFinish) {
        this.complaint = this.#hasChunks ? unfinishedAnswer : brokenFrame;
        return false;
      }
      this.hasContent = true;
      this.isComplete = true;
      this.isEnded = true;
      return true;
    }
    const chunk = tryParseJson(data);
    this.complaint = complaintIn(chunk) ?? (isJsonObject(chunk) ? null : brokenFrame);
    if (this.complaint !== null) return false;
    this.#hasChunks = true;
    const tier = isJsonObject(chunk) ? readToldTier(chunk['service_tier']) : undefined;
    if (tier !== undefined) this.extrasSoFar = { tier };
    if (!this.hasContent) this.#lookForContent(frame, chunk);
    return true;
  }

  #lookForContent(frame: Buffer, chunk: unknown): void {
    const content = contentOf(chunk);
    this.hasContent = content.isThere;
    if (content.textBytes > 0) this.#generated.learn(frame.length, content.textBytes);
  }

  /** Takes the usage out of the frames that have it; a frame that has nothing else is dropped unless asked for. */
  #readUsage(block: Buffer): Uint8Array {
    let at = findMember(block, usageMember, 0);
    if (at === -1) return block;
    const kept: Buffer[] = [];
    let copiedTo = 0;
    while (at !== -1) {
      const start = startOfFrame(block, at);
      const end = endOfFrame(block, at);
      const chunk = tryParseJson(readData(block.subarray(start, end)) ?? '');
      if (isJsonObject(chunk) && usageIn(chunk) !== undefined) {
        const usage = readChunkUsage(chunk);
        this.usageSoFar = usage ?? this.usageSoFar;
        const isAlone = isEmptyArray(chunk['choices']);
        this.#isCounted ||= isAlone && usage !== null;
        if (!this.#keepUsageFrame && isAlone) {
          kept.push(block.subarray(copiedTo, start));
          copiedTo = end;
        }
      }
      at = findMember(block, usageMember, end);
    }
    if (copiedTo === 0) return block;
    return Buffer.concat([...kept, block.subarray(copiedTo)]);
  }
}

/** Neither an error nor the end is in it. A block that does not end like a frame ends in a comment or was cut short. */
function isPlain(block: Buffer): boolean {
  if (!endsInObject(block) || block.indexOf(lastWordBytes) !== -1) return false;
  for (const name of errorMembers) if (findMember(block, name, 0) !== -1) return false;
  return true;
}

/** Up to the first frame that may be an error or the end, or that is no object. */
function plainLength(block: Buffer): number {
  const found = [block.indexOf(lastWordBytes), ...errorMembers.map((name) => findMember(block, name, 0))];
  const suspect = Math.min(block.length, ...found.filter((at) => at !== -1));
  let length = 0;
  while (length < block.length) {
    const end = endOfFrame(block, length);
    if (end > suspect || !endsInObject(block, length, end)) break;
    length = end;
  }
  return length;
}

const chunks: FrameKind = {
  holder: memberName('delta'),
  ignored: memberName('role'),
  padding: memberName('obfuscation'),
  isQuiet: (frame) =>
    isPlain(frame) && !hasFilledMember(frame, finishMember) && findMember(frame, usageMember, 0) === -1,
};
/** Some hosts send chunks with deltas and nothing in any of them as a sign of life. */
const silentChunks = framesOfEmpty(chunks.holder, chunks.ignored);
