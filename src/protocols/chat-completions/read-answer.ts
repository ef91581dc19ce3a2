/** Whole chat completion answers into the form. */
import { asCount, asObject, asObjects, asText, isJsonObject, type JsonObject } from '../json/fields.ts';
import { ComplaintError, UnreadableAnswerError } from '../translator.ts';
import type { Choice, TurnAnswer } from '../turn/answer.ts';
import { type CallPlace, makeCallId } from '../turn/call-id.ts';
import { complaintIn } from './complaint.ts';
import { readLogprobs } from './logprobs.ts';
import { readAssistantContent } from './read-assistant.ts';
import { readChatStop } from './stop.ts';
import { readChatUsage } from './usage.ts';

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
  return {
    id,
    model: asText(json['model']) ?? '',
    createdS: asCount(json['created']),
    choices: choices.map((choice, at) =>
      readChoice(choice, { answerId: id, choice: asCount(choice['index']) ?? at }),
    ),
    usage: readChatUsage(json['usage']),
  };
}

function readChoice(choice: JsonObject, place: Omit<CallPlace, 'at'>): Choice {
  const content = readAssistantContent(asObject(choice['message']) ?? {}, (at) =>
    makeCallId({ ...place, at }),
  );
  const said = {
    toolUse: content.some((block) => block.type === 'tool_use'),
    refusal: content.some((block) => block.type === 'refusal'),
  };
  return {
    content,
    stop: readChatStop(asText(choice['finish_reason']) ?? 'stop', said),
    logprobs: readLogprobs(choice['logprobs']),
  };
}
