/** Whole chat completion answers, read into the form and written out of it. */
import type { Clock } from '../../base/clock.ts';
import { asCount, asObject, asObjects, asText, isJsonObject, type JsonObject } from '../json/fields.ts';
import { ComplaintError, UnreadableAnswerError } from '../translator.ts';
import type { Choice, TurnAnswer } from '../turn/answer.ts';
import type { AssistantBlock } from '../turn/blocks.ts';
import type { Citation } from '../turn/citations.ts';
import { type CallPlace, makeCallId } from '../turn/tools.ts';
import { readAnnotations, readSources, saidTexts, writeAnnotations } from './citations.ts';
import { complaintIn } from './errors.ts';
import { readImages, writeImages } from './images.ts';
import {
  readChatStop,
  readChunkUsage,
  readFailure,
  readLogprobs,
  writeChatStop,
  writeChatUsage,
  writeLogprobs,
} from './outcome.ts';
import { readAssistantContent } from './read-messages.ts';
import { joinSaid, writeAssistantFields } from './write-messages.ts';

/** @throws UnreadableAnswerError, ComplaintError */
export function readChatAnswer(json: unknown): TurnAnswer {
  if (!isJsonObject(json)) throw new UnreadableAnswerError('the answer is not a JSON object');
  const choices = asObjects(json['choices']);
  if (choices.length === 0) {
    const complaint = complaintIn(json);
    if (complaint !== null) throw new ComplaintError(complaint);
    throw new UnreadableAnswerError('the answer has no choices');
  }
  const id = asText(json['id']) ?? '';
  const sources = readSources(json);
  return {
    id,
    model: asText(json['model']) ?? '',
    createdS: asCount(json['created']),
    choices: choices.map((choice, at) =>
      readChoice(choice, { answerId: id, choice: asCount(choice['index']) ?? at }, sources),
    ),
    usage: readChunkUsage(json),
  };
}

function readChoice(choice: JsonObject, place: Omit<CallPlace, 'at'>, sources: readonly Citation[]): Choice {
  const failure = readFailure(choice);
  if (failure !== null) throw new ComplaintError(failure);
  const message = asObject(choice['message']) ?? {};
  const annotated = readAnnotations(message['annotations']);
  const content = withCitations(
    readAssistantContent(message, (at) => makeCallId({ ...place, at })),
    annotated.length > 0 ? annotated : sources,
  );
  const said = {
    toolUse: content.some((block) => block.type === 'tool_use'),
    refusal: content.some((block) => block.type === 'refusal'),
  };
  const images = readImages(message['images']);
  return {
    content,
    ...(images.length === 0 ? {} : { images }),
    stop: readChatStop(asText(choice['finish_reason']) ?? 'stop', said),
    logprobs: readLogprobs(choice['logprobs']),
  };
}

/** A message's text is one, though some hosts send it in parts. */
function withCitations(
  content: readonly AssistantBlock[],
  citations: readonly Citation[],
): readonly AssistantBlock[] {
  const first = content.find(({ type }) => type === 'text');
  if (citations.length === 0 || first === undefined) return content;
  return content.map((block) => (block === first && block.type === 'text' ? { ...block, citations } : block));
}

export function writeChatAnswer(
  answer: TurnAnswer,
  { clock, isLegacy }: { clock: Clock; isLegacy: boolean },
): string {
  return JSON.stringify({
    id: answer.id,
    object: 'chat.completion',
    created: answer.createdS ?? Math.floor(clock.nowMs() / 1000),
    model: answer.model,
    choices: answer.choices.map((choice, index) => {
      const written = writeChoice(choice, index);
      return isLegacy ? asFunctionCall(written) : written;
    }),
    usage: answer.usage === null ? undefined : writeChatUsage(answer.usage),
  });
}

function writeChoice({ content, images, stop, logprobs }: Choice, index: number): WrittenChoice {
  const fields = writeAssistantFields(content);
  const text = joinSaid(content);
  const isSilent = fields.tool_calls === undefined && fields.refusal === null;
  return {
    index,
    message: {
      role: 'assistant',
      content: text ?? (isSilent ? '' : null),
      ...fields,
      images: writeImages(images),
      annotations: writeAnnotations(saidTexts(content)),
    },
    logprobs: writeLogprobs(logprobs),
    finish_reason: writeChatStop(stop, fields.refusal !== null),
  };
}

interface WrittenChoice {
  readonly message: JsonObject;
  readonly finish_reason: string;
  readonly [other: string]: unknown;
}

/** The older spelling has a place for one call. */
function asFunctionCall(choice: WrittenChoice): WrittenChoice {
  const { tool_calls, ...message } = choice.message;
  const function_call = asObject(asObjects(tool_calls)[0]?.['function']);
  if (function_call === undefined) return choice;
  return {
    ...choice,
    message: { ...message, function_call },
    finish_reason: choice.finish_reason === 'tool_calls' ? 'function_call' : choice.finish_reason,
  };
}
