/** Whole answers of generateContent into the form. */
import {
  asCount,
  asFilledText,
  asObject,
  asObjects,
  asText,
  isJsonObject,
  type JsonObject,
} from '../json/fields.ts';
import { ComplaintError, UnreadableAnswerError } from '../translator.ts';
import type { Choice, TurnAnswer } from '../turn/answer.ts';
import { makeCallId } from '../turn/call-id.ts';
import { googleComplaintIn } from './complaint.ts';
import { readLogprobs } from './logprobs.ts';
import { readAssistantParts } from './read-assistant.ts';
import { readFailure, readGoogleStop } from './stop.ts';
import { readGoogleUsage } from './usage.ts';

/** @throws UnreadableAnswerError, ComplaintError */
export function readGoogleAnswer(json: unknown): TurnAnswer {
  const complaint = googleComplaintIn(json);
  if (complaint !== null) throw new ComplaintError(complaint);
  if (!isJsonObject(json)) throw new UnreadableAnswerError('the answer is not a JSON object');
  const head = readHead(json);
  return { ...head, choices: readChoices(json, head.id), usage: readGoogleUsage(json['usageMetadata']) };
}

/** What every piece of a streamed answer repeats. */
export function readHead(json: JsonObject): Pick<TurnAnswer, 'id' | 'model' | 'createdS'> {
  const createdMs = Date.parse(asText(json['createTime']) ?? '');
  return {
    id: asText(json['responseId']) ?? '',
    model: asText(json['modelVersion']) ?? '',
    createdS: Number.isNaN(createdMs) ? undefined : Math.floor(createdMs / 1000),
  };
}

/** A prompt that was blocked has no candidates: nothing was said, and that is a refusal. */
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
  // The vendor gives no ids to the calls of its older models.
  const nextId = () => {
    calls += 1;
    return makeCallId({ answerId, choice, at: calls - 1 });
  };
  const content = readAssistantParts(asObject(candidate['content'])?.['parts'], nextId);
  const hasCalls = content.some(({ type }) => type === 'tool_use');
  return {
    content,
    stop: readGoogleStop(asText(candidate['finishReason']) ?? 'STOP', hasCalls),
    logprobs: readLogprobs(candidate['logprobsResult']),
  };
}
