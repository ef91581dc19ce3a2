/**
 * The bytes pass through from generateContent to generateContent: model and streaming stand in the URL anyway. A request
 * loses only what is meant for the gateway, and signatures that Google would refuse.
 */
import { endOfFrame, framesOf, readData, startOfFrame } from '../../base/sse.ts';
import type { ExtrasSoFar, TokenUsage } from '../../base/token-usage.ts';
import { endsInObject, findMember, isOutermost, memberName } from '../frames/frame-bytes.ts';
import { GeneratedText, generatedTextIn, type TextSample } from '../frames/generated-text.ts';
import {
  asCount,
  asFilledText,
  asObject,
  asObjects,
  isJsonObject,
  type JsonObject,
  tryParseJson,
} from '../json/fields.ts';
import { leaveOutRouting } from '../json/routing-metadata.ts';
import { tryParseSpelled } from '../json/spelling.ts';
import { editMembers, type MemberEdit } from '../json/text.ts';
import {
  brokenFrame,
  type InferenceRequest,
  type StreamTranslator,
  type Translator,
  type UpstreamComplaint,
  type WholeAnswer,
} from '../translator.ts';
import type { TurnEvent } from '../turn/events.ts';
import { readGoogleAnswer } from './answer.ts';
import { readGoogleComplaint } from './errors.ts';
import { inOneSpelling } from './field-names.ts';
import { readGeminiModel } from './models.ts';
import { foreignCall, packedStart, readGoogleUsage, withSearches } from './outcome.ts';

import { GoogleEventReader } from './read-stream.ts';
import { idleCandidate, writeFrame } from './write-stream.ts';

export const googlePassthrough: Translator = {
  writeRequest,
  readAnswer,
  readComplaint: readGoogleComplaint,
  openStream: ({ json }: InferenceRequest) => {
    const choices = asCount(asObject(json['generationConfig'])?.['candidateCount']) ?? 1;
    return new GooglePassthroughStream({ oneCandidate: choices <= 1 });
  },
};

/** Google refuses what other vendors have signed, and calls of other models, unless they are marked as such. */
function writeRequest({ text: given, json }: InferenceRequest, upstreamId: string): string {
  const text = withoutOwn(given, json);
  const passed = text.includes(packedStart) ? withoutForeign(text) : text;
  if (!readGeminiModel(upstreamId).demandsSignatures) return passed;
  if (signCalls(json) === json) return passed;
  const spelled = inOneSpelling(asObject(tryParseSpelled(text)) ?? json, text);
  return withoutForeign(JSON.stringify(signCalls(spelled)));
}

/** The address names the model, and so it does at Google; a host in front of it may look here. */
function withoutOwn(text: string, json: JsonObject): string {
  const edits = new Map<string, MemberEdit>();
  if ('model' in json) edits.set('model', null);
  leaveOutRouting(edits, json, 'metadata');
  leaveOutRouting(edits, json, 'labels');
  return edits.size === 0 ? text : editMembers(text, edits, json);
}

/** The same request where its calls are signed. */
function signCalls(json: JsonObject): JsonObject {
  const contents = asObjects(json['contents']);
  const start = startOfTurn(contents);
  let isStepBegun = false;
  const signed = contents.map((content, at) => {
    // Contents of the model that follow each other are pieces of one step, and only its first call is signed.
    const isFirst = !isStepBegun && content['role'] === 'model';
    isStepBegun = content['role'] === 'model' && (isStepBegun || hasCall(content));
    return isFirst && at > start ? withSignedCall(content) : content;
  });
  return signed.some((content, at) => content !== contents[at]) ? { ...json, contents: signed } : json;
}

/** The index of the last content in which the user did more than answer calls; -1 when there is none. */
const startOfTurn = (contents: readonly JsonObject[]): number =>
  contents.findLastIndex(
    ({ role, parts }) =>
      role !== 'model' && asObjects(parts).every(({ functionResponse }) => functionResponse == null),
  );

const hasCall = (content: JsonObject): boolean =>
  asObjects(content['parts']).some(({ functionCall }) => functionCall != null);

/** The same content where its first call is signed, or where it has none. */
function withSignedCall(content: JsonObject): JsonObject {
  const parts = asObjects(content['parts']);
  const first = parts.findIndex(({ functionCall }) => functionCall != null);
  const call = parts[first];
  if (call === undefined || asFilledText(call['thoughtSignature']) !== undefined) return content;
  return { ...content, parts: parts.with(first, { ...call, thoughtSignature: foreignCall }) };
}

const foreignSignature = new RegExp(`("thought_?[sS]ignature"\\s*:\\s*)"${packedStart}[\\w+/=-]*"`, 'g');

const withoutForeign = (text: string): string => text.replace(foreignSignature, `$1"${foreignCall}"`);

function readAnswer(body: string): WholeAnswer {
  const { choices, usage } = readGoogleAnswer(tryParseJson(body));
  return { body, usage, generated: usage === null ? generatedTextIn(choices) : '' };
}

const nothing = new Uint8Array();
/** The length of a frame without its text, until one has been seen. */
const usualEnvelopeBytes = 320;
/** The frames that matter after the first content have one of these members: an end, a prompt refused, an error. */
const watched = ['finishReason', 'promptFeedback', 'error', 'groundingMetadata'].map(memberName);
const usageMember = memberName('usageMetadata');

/**
 * Until the first content each frame is read. After it only frames that can carry an error or the end are, found by
 * their members' names in the bytes; of the counts, which every frame repeats, only the last are read.
 */
const idleFrame = Buffer.from(writeFrame({ candidates: [idleCandidate] }));

class GooglePassthroughStream implements StreamTranslator {
  hasContent = false;
  complaint: UpstreamComplaint | null = null;
  isEnded = false;
  readonly #reader = new GoogleEventReader();
  readonly #events: TurnEvent[] = [];
  readonly #generated = new GeneratedText(usualEnvelopeBytes);
  /** Where several candidates come, each must be seen to end. */
  readonly #oneCandidate: boolean;
  #usage: TokenUsage | null = null;
  /** As the frames before have told. */
  #searches = 0;
  /** The last frame with counts that has not been read. */
  #usageFrame: Buffer | null = null;

  constructor({ oneCandidate }: { oneCandidate: boolean }) {
    this.#oneCandidate = oneCandidate;
  }

  get isComplete(): boolean {
    return this.#reader.isComplete;
  }

  idle(): Uint8Array {
    return idleFrame;
  }

  /** Searches and the tier stand in frames that are read. */
  get extrasSoFar(): ExtrasSoFar {
    return this.#reader.extrasSoFar;
  }

  get generatedCharacters(): number {
    return this.#generated.characters;
  }

  sampleGenerated(): TextSample {
    return this.#generated.sample();
  }

  /** Counts before the end are of a part of the answer, or of the prompt alone. */
  get usage(): TokenUsage | null {
    return this.isComplete ? this.usageSoFar : null;
  }

  get usageSoFar(): TokenUsage | null {
    if (this.#usageFrame !== null) this.#readUsage(this.#usageFrame);
    return this.#usage;
  }

  /** Passes on what comes before the first frame that is an error or cannot be read; the rest is not for the client. */
  push(block: Buffer): Uint8Array {
    if (this.#canSkip(block)) {
      this.#skip(block);
      return block;
    }
    let length = 0;
    for (const frame of framesOf(block)) {
      if (this.#canSkip(frame)) this.#skip(frame);
      else this.#read(frame);
      if (this.complaint !== null) break;
      length += frame.length;
    }
    return block.subarray(0, length);
  }

  end(): Uint8Array {
    this.isEnded = true;
    return nothing;
  }

  /** A frame that does not end like an object is a comment, or was cut short. */
  #canSkip(frames: Buffer): boolean {
    if (!this.hasContent || !this.#oneCandidate || !endsInObject(frames)) return false;
    return watched.every((name) => findMember(frames, name, 0) === -1);
  }

  #skip(frames: Buffer): void {
    this.#generated.add(frames);
    const at = frames.lastIndexOf(usageMember);
    if (at === -1) return;
    const end = endOfFrame(frames, at);
    if (isOutermost(frames, at + usageMember.length, end)) {
      this.#usageFrame = frames.subarray(startOfFrame(frames, at), end);
      return;
    }
    // A call has an argument of this name, so that only reading tells which frames have counts.
    if (this.#usageFrame !== null) this.#readUsage(this.#usageFrame);
    for (const frame of framesOf(frames)) if (frame.indexOf(usageMember) !== -1) this.#readUsage(frame);
  }

  #readUsage(frame: Buffer): void {
    this.#usageFrame = null;
    const piece = tryParseJson(readData(frame) ?? '');
    if (isJsonObject(piece)) {
      this.#usage = withSearches(readGoogleUsage(piece['usageMetadata']), this.#searches) ?? this.#usage;
    }
  }

  #read(frame: Buffer): void {
    const data = readData(frame);
    if (data === null || data === '') return;
    try {
      this.#reader.read(data, this.#events);
    } catch (thrown) {
      // What is nested deep enough can be parsed, but not written again.
      if (!(thrown instanceof RangeError)) throw thrown;
      this.complaint = brokenFrame;
      return;
    }
    this.complaint = this.#reader.complaint;
    this.#note(frame);
  }

  #note(frame: Buffer): void {
    let textBytes = 0;
    for (const event of this.#events) {
      if (event.type === 'delta') textBytes += Buffer.byteLength(event.text);
      if (event.type === 'usage') {
        this.#usage = event.usage;
        this.#searches = event.usage.extras?.web_search ?? 0;
        this.#usageFrame = null;
      } else if (showsSomething(event)) this.hasContent = true;
    }
    this.#events.length = 0;
    if (textBytes === 0) return;
    this.#generated.learn(frame.length, textBytes);
    this.#generated.add(frame);
  }
}

/** Whether an event shows the client anything: a block that begins with nothing in it does not. */
function showsSomething(event: TurnEvent): boolean {
  if (event.type === 'open') return event.head.kind === 'tool_use' || event.head.kind === 'redacted_thinking';
  return (
    event.type === 'image' || event.type === 'delta' || event.type === 'signature' || event.type === 'stop'
  );
}
