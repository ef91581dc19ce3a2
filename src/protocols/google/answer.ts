/** This file reads and writes whole answers of generateContent. */
import {
  asCount,
  asFilledText,
  asObject,
  asObjects,
  asText,
  isJsonObject,
  type JsonObject,
} from '../json/fields.ts';
import { tryParseSpelled } from '../json/spelling.ts';
import { ComplaintError, UnreadableAnswerError } from '../translator.ts';
import type { Choice, MadeImage, TurnAnswer } from '../turn/answer.ts';
import type { AssistantBlock, ToolUseBlock } from '../turn/blocks.ts';
import { argumentsOf } from '../turn/free-text/as-function.ts';
import type { Signature } from '../turn/signature.ts';
import { TextGaps } from '../turn/text-gaps.ts';
import { makeCallId } from '../turn/tools.ts';
import { readCitations, writeGrounding } from './citations.ts';
import { googleComplaintIn } from './errors.ts';
import {
  countSearches,
  readFailure,
  readGoogleStop,
  readGoogleUsage,
  readLogprobs,
  readThoughtSignature,
  withSearches,
  writeGoogleStop,
  writeGoogleUsage,
  writeLogprobs,
  writeThoughtSignature,
} from './outcome.ts';

/** @throws UnreadableAnswerError, ComplaintError */
export function readGoogleAnswer(json: unknown): TurnAnswer {
  const complaint = googleComplaintIn(json);
  if (complaint !== null) throw new ComplaintError(complaint);
  if (!isJsonObject(json)) throw new UnreadableAnswerError('the answer is not a JSON object');
  const head = readHead(json);
  const usage = withSearches(readGoogleUsage(json['usageMetadata']), countSearches(json));
  return { ...head, choices: readChoices(json, head.id), usage };
}

/** Reads what every piece of a streamed answer repeats. */
export function readHead(json: JsonObject): Pick<TurnAnswer, 'id' | 'model' | 'createdS'> {
  const createdMs = Date.parse(asText(json['createTime']) ?? '');
  return {
    id: asText(json['responseId']) ?? '',
    model: asText(json['modelVersion']) ?? '',
    createdS: Number.isNaN(createdMs) ? undefined : Math.floor(createdMs / 1000),
  };
}

/** A prompt that was blocked gets no candidates: the model said nothing, which is a refusal. */
export function isBlocked(json: JsonObject): boolean {
  return asFilledText(asObject(json['promptFeedback'])?.['blockReason']) !== undefined;
}

function readChoices(json: JsonObject, answerId: string): readonly Choice[] {
  const candidates = asObjects(json['candidates']);
  if (candidates.length > 0) return candidates.map((candidate) => readChoice(candidate, answerId));
  if (isBlocked(json)) return [{ content: [], stop: { reason: 'refusal' } }];
  throw new UnreadableAnswerError('the answer has no candidates');
}

function readChoice(candidate: JsonObject, answerId: string): Choice {
  const failure = readFailure(candidate);
  if (failure !== null) throw new ComplaintError(failure);
  const choice = asCount(candidate['index']) ?? 0;
  let calls = 0;
  // Google’s older models give no ids to their calls.
  const nextId = () => {
    calls += 1;
    return makeCallId({ answerId, choice, at: calls - 1 });
  };
  const gaps = new TextGaps();
  const parts = asObjects(asObject(candidate['content'])?.['parts']);
  const said = parts.flatMap((part) => {
    if (isTrace(part)) gaps.passOver();
    return readAssistantPart(part, nextId).map((block) => gaps.keepApart(block));
  });
  const content = withCitations(said, candidate);
  const images = parts.flatMap((part) => readImage(part) ?? []);
  const hasCalls = content.some(({ type }) => type === 'tool_use');
  return {
    content,
    ...(images.length === 0 ? {} : { images }),
    stop: readGoogleStop(asText(candidate['finishReason']) ?? 'STOP', hasCalls),
    logprobs: readLogprobs(candidate['logprobsResult']),
  };
}

/** Segments are counted within all that was said; what is said in several pieces is cited as a whole. */
function withCitations(content: readonly AssistantBlock[], candidate: JsonObject): readonly AssistantBlock[] {
  const texts = content.filter((block) => block.type === 'text');
  const last = texts.at(-1);
  if (last === undefined) return content;
  const said = texts.length === 1 ? last.text : '';
  const citations = readCitations(candidate, said);
  if (citations.length === 0) return content;
  return content.map((block) => (block === last ? { ...last, citations } : block));
}

const traces = ['executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse'] as const;

/** Of what Google ran for the model: nobody else can make use of it. */
export const isTrace = (part: JsonObject): boolean => traces.some((name) => part[name] != null);

/** Images among the parts of a model; undefined for any other part. */
export function readImage(part: JsonObject): MadeImage | undefined {
  const data = asObject(part['inlineData']) ?? asObject(part['inline_data']);
  const mediaType = asFilledText(data?.['mimeType']) ?? asFilledText(data?.['mime_type']);
  const bytes = asFilledText(data?.['data']);
  if (bytes === undefined || mediaType?.startsWith('image/') !== true || part['thought'] === true)
    return undefined;
  return { kind: 'base64', mediaType, data: bytes };
}

export function writeImage(image: MadeImage): JsonObject {
  return image.kind === 'url'
    ? { fileData: { fileUri: image.url } }
    : { inlineData: { mimeType: image.mediaType, data: image.data } };
}

/** @param nextId Makes the id of a call that has none. */
export function readAssistantParts(parts: unknown, nextId: () => string): readonly AssistantBlock[] {
  return asObjects(parts).flatMap((part) => readAssistantPart(part, nextId));
}

/** Code that Google ran and sound that its model made are passed over: the form has no place for them. */
function readAssistantPart(part: JsonObject, nextId: () => string): readonly AssistantBlock[] {
  const call = readCall(part, nextId);
  if (call !== undefined) return [call];
  const text = asText(part['text']);
  const signature = readThoughtSignature(part);
  if (text === undefined) return [];
  if (part['thought'] === true) {
    return text === '' && signature === undefined ? [] : [{ type: 'thinking', text, signature }];
  }
  const said: AssistantBlock[] = text === '' ? [] : [{ type: 'text', text }];
  // A signature on text belongs to the thinking before it, which nobody but Google can read.
  return signature === undefined ? said : [...said, { type: 'redacted_thinking', signature }];
}

/** Undefined when the part is no call. */
export function readCall(part: JsonObject, nextId: () => string): ToolUseBlock | undefined {
  const call = asObject(part['functionCall']);
  const name = asFilledText(call?.['name']);
  if (call === undefined || name === undefined) return undefined;
  return {
    type: 'tool_use',
    id: asFilledText(call['id']) ?? nextId(),
    name,
    input: readArguments(asObject(call['args'])),
    signature: readThoughtSignature(part),
  };
}

/** Where the arguments of a call stand as an object. */
export const argumentMembers: readonly string[] = ['args'];

function readArguments(args: JsonObject | undefined): string {
  return args === undefined || Object.keys(args).length === 0 ? '' : JSON.stringify(args);
}

export function writeGoogleAnswer(answer: TurnAnswer, how: { readonly hidesThoughts: boolean }): string {
  const choices = how.hidesThoughts ? answer.choices.map(withoutThoughts) : answer.choices;
  return JSON.stringify({
    candidates: choices.map(writeCandidate),
    usageMetadata: answer.usage === null ? undefined : writeGoogleUsage(answer.usage),
    ...writeHead(answer),
  });
}

export function writeHead({
  id,
  model,
  createdS,
}: Pick<TurnAnswer, 'id' | 'model' | 'createdS'>): JsonObject {
  return {
    modelVersion: model,
    createTime: createdS === undefined ? undefined : new Date(createdS * 1000).toISOString(),
    responseId: id,
  };
}

/** A signature stays: the conversation may go on with it. */
function withoutThoughts(choice: Choice): Choice {
  const content = choice.content.flatMap((block): readonly AssistantBlock[] => {
    if (block.type !== 'thinking') return [block];
    return block.signature === undefined ? [] : [{ ...block, text: '' }];
  });
  return { ...choice, content };
}

function writeCandidate({ content, images = [], stop, logprobs }: Choice, index: number): JsonObject {
  const parts = [...writeAssistantParts(content, writeThoughtSignature), ...images.map(writeImage)];
  return {
    content: { parts, role: 'model' },
    finishReason: writeGoogleStop(stop),
    index,
    logprobsResult: writeLogprobs(logprobs),
    groundingMetadata: writeGrounding(content.filter((block) => block.type === 'text')),
  };
}

/** Writes a signature; undefined when it is of no use to the reader. */
export type WriteSignature = (signature: Signature | undefined) => string | undefined;

/** Redacted thinking is a signature alone. It stands on the text in front of it where there is one. */
export function writeAssistantParts(
  content: readonly AssistantBlock[],
  sign: WriteSignature,
): readonly JsonObject[] {
  const parts: JsonObject[] = [];
  let isBareText = false;
  for (const block of content) {
    const text = isBareText && block.type === 'redacted_thinking' ? parts.pop()?.['text'] : '';
    parts.push(
      block.type === 'redacted_thinking'
        ? { text, thoughtSignature: sign(block.signature) }
        : writePart(block, sign),
    );
    isBareText = block.type === 'text' || block.type === 'refusal';
  }
  return parts;
}

function writePart(
  block: Exclude<AssistantBlock, { type: 'redacted_thinking' }>,
  sign: WriteSignature,
): JsonObject {
  switch (block.type) {
    case 'text':
    case 'refusal':
      return { text: block.text };
    case 'thinking':
      return { text: block.text, thought: true, thoughtSignature: sign(block.signature) };
    case 'tool_use':
      return { functionCall: writeCall(block), thoughtSignature: sign(block.signature) };
  }
}

/** The arguments must be an object. Arguments that are none are kept as text inside one. */
export function writeCall(call: Pick<ToolUseBlock, 'id' | 'name' | 'input' | 'custom'>): JsonObject {
  const { id, name } = call;
  const input = argumentsOf(call);
  const value = input === '' ? {} : tryParseSpelled(input);
  return { id, name, args: isJsonObject(value) ? value : { INVALID_JSON: input } };
}
