/** Whole responses, read into the form and written out of it. */

import type { Clock } from '../../base/clock.ts';
import { asCount, asObjects, asText, isJsonObject, type JsonObject } from '../json/fields.ts';
import { ComplaintError, type InferenceRequest, UnreadableAnswerError } from '../translator.ts';
import type { Choice, MadeImage, TokenLogprob, TurnAnswer } from '../turn/answer.ts';
import type { AssistantBlock, TextBlock, ToolUseBlock } from '../turn/blocks.ts';
import { shiftCitation } from '../turn/citations.ts';
import { readSources } from './citations.ts';
import { responsesComplaintIn } from './errors.ts';
import {
  callItem,
  type ItemType,
  imageItem,
  itemId,
  messageItem,
  readAssistantItem,
  readImage,
  reasoningItem,
  refusalPart,
  type ThoughtPlace,
  ToolSignatures,
  textPart,
  thoughtBreak,
  writeEncrypted,
  writeToolEncrypted,
} from './items.ts';
import type { CalledName } from './namespaces.ts';
import {
  type ResponseStatus,
  readLogprobs,
  readResponsesStop,
  readResponseUsage,
  writeResponsesStop,
} from './outcome.ts';
import { readNamespaces } from './read-request.ts';
import { ResponseObject, wantsSummary } from './response-object.ts';

/** @throws UnreadableAnswerError, ComplaintError */
export function readResponsesAnswer(json: unknown): TurnAnswer {
  const response = readResponse(json);
  const output = asObjects(response['output']);
  const signatures = new ToolSignatures();
  const content = readOutput(output, signatures);
  const images = output.flatMap((item) =>
    item['type'] === 'image_generation_call' ? (readImage(item) ?? []) : [],
  );
  const said = {
    toolUse: content.some(({ type }) => type === 'tool_use'),
    refusal: content.some(({ type }) => type === 'refusal'),
  };
  const logprobs = output.flatMap(readItemLogprobs);
  return {
    id: asText(response['id']) ?? '',
    model: asText(response['model']) ?? '',
    createdS: asCount(response['created_at']),
    choices: [
      {
        content,
        ...(images.length === 0 ? {} : { images }),
        stop: readResponsesStop(response, said),
        logprobs: logprobs.length === 0 ? undefined : logprobs,
      },
    ],
    usage: readResponseUsage(response),
  };
}

function setApart(block: TextBlock): TextBlock {
  const citations = block.citations?.map((citation) => shiftCitation(citation, thoughtBreak.length));
  const text = thoughtBreak + block.text;
  return citations === undefined ? { ...block, text } : { ...block, text, citations };
}

/** Messages that follow each other are told apart: in the form they are one, and so they are for most clients. */
function readOutput(output: readonly JsonObject[], signatures: ToolSignatures): readonly AssistantBlock[] {
  const content: AssistantBlock[] = [];
  let isBehindText = false;
  let sources = output.flatMap(readSources);
  for (const item of output) {
    const isMessage = item['type'] === 'message';
    const [said, ...others] = readAssistantItem(item, signatures) ?? [];
    if (said === undefined) continue;
    const isSourced = said.type === 'text' && said.citations === undefined && sources.length > 0;
    const first = isSourced ? { ...said, citations: sources } : said;
    if (said.type === 'text') sources = [];
    const isNext = isMessage && isBehindText && first.type === 'text';
    content.push(isNext ? setApart(first) : first, ...others);
    isBehindText = isMessage && content.at(-1)?.type === 'text';
  }
  return content;
}

/** Of a response that is none, whatever its HTTP status says. */
export const brokenStatuses: ReadonlySet<unknown> = new Set(['failed', 'cancelled']);

/** @throws UnreadableAnswerError, ComplaintError */
export function readResponse(json: unknown): JsonObject {
  if (!isJsonObject(json)) throw new UnreadableAnswerError('the answer is not a JSON object');
  if (!Array.isArray(json['output']) || brokenStatuses.has(json['status'])) {
    const complaint = responsesComplaintIn(json);
    if (complaint !== null) throw new ComplaintError(complaint);
    throw new UnreadableAnswerError('the answer has no output');
  }
  return json;
}

function readItemLogprobs(item: JsonObject): readonly TokenLogprob[] {
  if (item['type'] !== 'message') return [];
  return asObjects(item['content']).flatMap((part) => readLogprobs(part['logprobs']) ?? []);
}

const silence: Choice = { content: [], stop: { reason: 'end' } };

/** The protocol has one choice. */
export function writeResponsesAnswer(answer: TurnAnswer, request: InferenceRequest, clock: Clock): string {
  const response = new ResponseObject({ answer, request, clock });
  const choice = answer.choices[0] ?? silence;
  const hasRefusal = choice.content.some(({ type }) => type === 'refusal');
  const stop = writeResponsesStop(choice.stop, hasRefusal);
  const output = writeOutput(choice, {
    answerId: response.id,
    place: wantsSummary(request.json) ? 'summary' : 'content',
    namespaces: readNamespaces(request.json),
    status: stop.status,
  });
  const written = response.write({ ...stop, output, usage: answer.usage });
  request.keep?.(written);
  return written;
}

export interface OutputTerms {
  readonly answerId: string;
  readonly place: ThoughtPlace;
  /** Of tools that the caller grouped, by the name that the upstream knows. */
  readonly namespaces: ReadonlyMap<string, CalledName>;
  /** Of the whole; only the last item can be incomplete. */
  readonly status: ResponseStatus;
}

interface Draft {
  readonly type: ItemType;
  write(id: string, status: ResponseStatus): JsonObject;
}

function writeOutput(choice: Choice, terms: OutputTerms): readonly JsonObject[] {
  const drafts = [...draftItems(choice, terms), ...(choice.images ?? []).map(draftImage)];
  return drafts.map(({ type, write }, index) =>
    write(itemId(type, terms.answerId, index), index === drafts.length - 1 ? terms.status : 'completed'),
  );
}

const draftImage = (image: MadeImage): Draft => ({
  type: 'image_generation_call',
  write: (id) => imageItem(id, image),
});

/** Neighbouring texts and refusals are parts of one message. */
function draftItems({ content, logprobs }: Choice, terms: OutputTerms): readonly Draft[] {
  const drafts: Draft[] = [];
  const firstText = content.find(({ type }) => type === 'text');
  let parts: JsonObject[] | null = null;
  for (const block of content) {
    if (block.type !== 'text' && block.type !== 'refusal') {
      parts = null;
      drafts.push(...draftBlock(block, terms));
      continue;
    }
    if (parts === null) {
      const opened: JsonObject[] = [];
      parts = opened;
      drafts.push({ type: 'message', write: (id, status) => messageItem(id, opened, status) });
    }
    const ofPart = block === firstText ? logprobs : undefined;
    parts.push(block.type === 'text' ? textPart(block, ofPart) : refusalPart(block.text));
  }
  return drafts;
}

function draftBlock(
  block: Exclude<AssistantBlock, { type: 'text' | 'refusal' }>,
  terms: OutputTerms,
): readonly Draft[] {
  if (block.type === 'tool_use') return draftCall(block, terms);
  const text = block.type === 'thinking' ? block.text : null;
  return [draftReasoning(terms, { text, encrypted: block.signature && writeEncrypted(block.signature) })];
}

/** A signature on a tool use goes in front of it. */
function draftCall(block: ToolUseBlock, terms: OutputTerms): readonly Draft[] {
  const { id: callId, name, signature } = block;
  const custom = block.custom === true;
  const called = terms.namespaces.get(name) ?? { name };
  const input = !custom && block.input === '' ? '{}' : block.input;
  const call: Draft = {
    type: custom ? 'custom_tool_call' : 'function_call',
    write: (id, status) => callItem({ id, callId, called, input, custom, status }),
  };
  if (signature === undefined) return [call];
  return [draftReasoning(terms, { text: null, encrypted: writeToolEncrypted(callId, signature) }), call];
}

function draftReasoning(
  { place }: OutputTerms,
  thought: { readonly text: string | null; readonly encrypted: string | undefined },
): Draft {
  return { type: 'reasoning', write: (id) => reasoningItem({ id, place, ...thought }) };
}
