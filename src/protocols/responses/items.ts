/** Items that a model made, as answers have them and callers send them back: written as plain objects, read into blocks. */
import { asFilledText, asObject, asObjects, asText, type JsonObject } from '../json/fields.ts';
import type { MadeImage, TokenLogprob } from '../turn/answer.ts';
import type { AssistantBlock, RefusalBlock, TextBlock, ToolUseBlock } from '../turn/blocks.ts';
import type { CitedText } from '../turn/citations.ts';
import {
  packSignature,
  packToolSignature,
  type Signature,
  unpackSignature,
  unpackToolSignature,
} from '../turn/signature.ts';
import { readAnnotations, writeAnnotations } from './citations.ts';
import { type CalledName, calledNameOf, joinName } from './namespaces.ts';
import { type ResponseStatus, writeLogprobs } from './outcome.ts';

/** Upstreams that know the items of their own answers would look for others in vain; made-up ids say what they are. */
export const madeUpReasoningId = 'rs_sluice_';

const prefixes = {
  message: 'msg_sluice_',
  reasoning: madeUpReasoningId,
  function_call: 'fc_sluice_',
  custom_tool_call: 'ctc_sluice_',
  image_generation_call: 'ig_sluice_',
} as const;

export type ItemType = keyof typeof prefixes;

/** Ids longer than 64 characters are refused; what tells answers apart stands at the end of an id. */
const maxAnswerIdLength = 40;

/** Whether `itemId` may have made it: then no upstream knows it. */
export const isMadeUpItem = (id: string): boolean =>
  Object.values(prefixes).some((prefix) => id.startsWith(prefix));

/** The same item has the same id wherever it stands. */
export function itemId(type: ItemType, answerId: string, index: number): string {
  const answer = answerId.replaceAll(/[^\w-]/g, '_').slice(-maxAnswerIdLength);
  return `${prefixes[type]}${answer}_${index}`;
}

export function textPart(part: CitedText, logprobs?: readonly TokenLogprob[]): JsonObject {
  const { text } = part;
  const annotations = writeAnnotations(part);
  return { type: 'output_text', text, annotations, logprobs: writeLogprobs(logprobs) };
}

export const refusalPart = (refusal: string): JsonObject => ({ type: 'refusal', refusal });

export function messageItem(id: string, content: readonly JsonObject[], status: ResponseStatus): JsonObject {
  return { type: 'message', id, status, role: 'assistant', content };
}

/** Where thinking is shown: as a summary to callers who asked for one, else as the thinking itself. */
export type ThoughtPlace = 'summary' | 'content';

export function thoughtPart(text: string, place: ThoughtPlace): JsonObject {
  return { type: place === 'summary' ? 'summary_text' : 'reasoning_text', text };
}

export interface ReasoningTerms {
  readonly id: string;
  readonly place: ThoughtPlace;
  /** Null when there is nothing to show. */
  readonly text: string | null;
  readonly encrypted: string | undefined;
}

export function reasoningItem({ id, place, text, encrypted }: ReasoningTerms): JsonObject {
  const parts = text === null ? [] : [thoughtPart(text, place)];
  return {
    type: 'reasoning',
    id,
    summary: place === 'summary' ? parts : [],
    content: place === 'content' ? parts : undefined,
    encrypted_content: encrypted,
  };
}

export interface CallTerms {
  readonly id: string;
  readonly callId: string;
  readonly called: CalledName;
  readonly input: string;
  readonly custom: boolean;
  readonly status: ResponseStatus;
}

export function callItem({ id, callId, called, input, custom, status }: CallTerms): JsonObject {
  const call = { id, status, call_id: callId, ...called };
  return custom
    ? { type: 'custom_tool_call', ...call, input }
    : { type: 'function_call', ...call, arguments: input };
}

/** The protocol has bytes alone, so that an address stands where they would. */
export function imageItem(id: string, image: MadeImage): JsonObject {
  const made = { type: 'image_generation_call', id, status: 'completed' };
  if (image.kind === 'url') return { ...made, result: image.url };
  const format = image.mediaType.replace(/^image\//, '');
  return { ...made, output_format: format, result: image.data };
}

/** Undefined for one that was not finished. */
export function readImage(item: JsonObject): MadeImage | undefined {
  const data = asFilledText(item['result']);
  if (data === undefined) return undefined;
  if (/^https?:/.test(data)) return { kind: 'url', url: data };
  return { kind: 'base64', mediaType: `image/${asFilledText(item['output_format']) ?? 'png'}`, data };
}

/** Null for items of other kinds. */
export function readAssistantItem(
  item: JsonObject,
  signatures: ToolSignatures,
): readonly AssistantBlock[] | null {
  switch (item['type']) {
    case 'message':
      return readSaid(item['content'], true);
    case 'reasoning':
      return readReasoning(item, signatures);
    case 'function_call':
    case 'custom_tool_call':
      return [readCall(item, signatures)];
    default:
      return null;
  }
}

/**
 * A string stands for one text, as in messages that callers write themselves.
 * @param isAnswer what is cited belongs to an answer alone.
 */
export function readSaid(content: unknown, isAnswer = false): readonly (TextBlock | RefusalBlock)[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return asObjects(content).flatMap((part) => readSaidPart(part, isAnswer) ?? []);
}

function readSaidPart(part: JsonObject, isAnswer: boolean): TextBlock | RefusalBlock | undefined {
  const isRefusal = part['type'] === 'refusal';
  const text = asFilledText(part[isRefusal ? 'refusal' : 'text']);
  if (text === undefined) return undefined;
  if (isRefusal) return { type: 'refusal', text };
  const citations = isAnswer ? readAnnotations(part['annotations']) : [];
  return citations.length === 0 ? { type: 'text', text } : { type: 'text', text, citations };
}

export function readReasoning(item: JsonObject, signatures: ToolSignatures): readonly AssistantBlock[] {
  const { isThere, text } = readThought(item);
  const encrypted = asFilledText(item['encrypted_content']);
  if (encrypted === undefined) return text === '' ? [] : [{ type: 'thinking', text }];
  if (signatures.take(encrypted)) return [];
  const signature = readEncrypted(encrypted);
  return [isThere ? { type: 'thinking', text, signature } : { type: 'redacted_thinking', signature }];
}

export const thoughtBreak = '\n\n';

/** Hosts of open models show the thinking itself, OpenAI a summary of it. */
function readThought(item: JsonObject): { isThere: boolean; text: string } {
  const content = asObjects(item['content']);
  const parts = content.length > 0 ? content : asObjects(item['summary']);
  return {
    isThere: parts.length > 0,
    text: parts.map((part) => asText(part['text']) ?? '').join(thoughtBreak),
  };
}

export function readCall(item: JsonObject, signatures: ToolSignatures): ToolUseBlock {
  const id = callIdOf(item);
  const name = joinName(calledNameOf(item));
  const signature = signatures.of(id);
  if (isCustom(item))
    return { type: 'tool_use', id, name, input: callInputOf(item), custom: true, signature };
  const input = callInputOf(item);
  return { type: 'tool_use', id, name, input: input === '{}' ? '' : input, signature };
}

const isCustom = (item: JsonObject): boolean => item['type'] === 'custom_tool_call';

/** What the result of a call refers to. */
const callIdOf = (item: JsonObject): string => asFilledText(item['call_id']) ?? asText(item['id']) ?? '';

/** Where some hosts send the arguments of a call as an object. */
export const argumentMembers: readonly string[] = ['arguments'];

/** Text by the protocol; some hosts send the object itself. */
export function callInputOf(item: JsonObject): string {
  const given = item[isCustom(item) ? 'input' : 'arguments'];
  const object = asObject(given);
  return object === undefined ? (asText(given) ?? '') : JSON.stringify(object);
}

/**
 * `encrypted_content` of reasoning items: the signature of thinking. A foreign one is written with its origin in front.
 * The signature of a tool use has no place of its own and travels in a reasoning item before the call.
 */
export const writeEncrypted = (signature: Signature): string => packSignature(signature, 'openai');
export const readEncrypted = (text: string): Signature => unpackSignature(text, 'openai');

export function writeToolEncrypted(callId: string, signature: Signature): string {
  return packToolSignature({ toolId: keyOf(callId), signature });
}

/** Signatures of tool uses, from when they are read until their call is. */
export class ToolSignatures {
  readonly #byCall = new Map<string, Signature>();

  /** False when the text signs thinking. */
  take(encrypted: string): boolean {
    const ofTool = unpackToolSignature(encrypted);
    if (ofTool === null) return false;
    this.#byCall.set(ofTool.toolId, ofTool.signature);
    return true;
  }

  of(callId: string): Signature | undefined {
    return this.#byCall.get(keyOf(callId));
  }
}

/** A colon would end the id too early. */
const keyOf = (callId: string): string => callId.replaceAll(':', '_');

/** What an answer can hold beyond its usual parts, by the names under which it is asked for. */
export const encryptedPart = 'reasoning.encrypted_content';
export const logprobsPart = 'message.output_text.logprobs';
