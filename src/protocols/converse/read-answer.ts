/** Whole answers of the Converse API into the form. */
import { asObject, asText, isJsonObject } from '../json/fields.ts';
import { ComplaintError, UnreadableAnswerError } from '../translator.ts';
import type { TurnAnswer } from '../turn/answer.ts';
import { converseComplaintIn, failedStopIn } from './complaint.ts';
import { readAssistantBlocks } from './read-assistant.ts';
import { readConverseStop } from './stop.ts';
import { readConverseUsage } from './usage.ts';

/**
 * The API itself tells neither id nor model in its answer; they are there when the provider has put them in.
 * @throws UnreadableAnswerError, ComplaintError
 */
export function readConverseAnswer(json: unknown): TurnAnswer {
  if (!isJsonObject(json)) throw new UnreadableAnswerError('the answer is not a JSON object');
  const message = asObject(asObject(json['output'])?.['message']);
  const complaint = message === undefined ? converseComplaintIn(json) : failedStopIn(json);
  if (complaint !== null) throw new ComplaintError(complaint);
  if (!Array.isArray(message?.['content'])) throw new UnreadableAnswerError('the answer has no content');
  return {
    id: asText(json['id']) ?? '',
    model: asText(json['model']) ?? '',
    choices: [{ content: readAssistantBlocks(message['content']), stop: readConverseStop(json) }],
    usage: readConverseUsage(json['usage']),
  };
}
