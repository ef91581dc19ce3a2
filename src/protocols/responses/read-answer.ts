/** Whole responses into the form. */
import { asCount, asObjects, asText, isJsonObject, type JsonObject } from '../json/fields.ts';
import { ComplaintError, UnreadableAnswerError } from '../translator.ts';
import type { TokenLogprob, TurnAnswer } from '../turn/answer.ts';
import { responsesComplaintIn } from './complaint.ts';
import { readLogprobs } from './logprobs.ts';
import { readAssistantItem } from './read-assistant.ts';
import { ToolSignatures } from './signature.ts';
import { readResponsesStop } from './stop.ts';
import { readResponsesUsage } from './usage.ts';

/** @throws UnreadableAnswerError, ComplaintError */
export function readResponsesAnswer(json: unknown): TurnAnswer {
  const response = readResponse(json);
  const output = asObjects(response['output']);
  const signatures = new ToolSignatures();
  const content = output.flatMap((item) => readAssistantItem(item, signatures) ?? []);
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
        stop: readResponsesStop(response, said),
        logprobs: logprobs.length === 0 ? undefined : logprobs,
      },
    ],
    usage: readResponsesUsage(response['usage']),
  };
}

/** @throws UnreadableAnswerError, ComplaintError */
export function readResponse(json: unknown): JsonObject {
  if (!isJsonObject(json)) throw new UnreadableAnswerError('the answer is not a JSON object');
  if (!Array.isArray(json['output']) || json['status'] === 'failed') {
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
