/** Whole answers of the messages protocol into the form. */
import { asText, isJsonObject } from '../json/fields.ts';
import { ComplaintError, UnreadableAnswerError } from '../translator.ts';
import type { TurnAnswer } from '../turn/answer.ts';
import { messagesComplaintIn } from './complaint.ts';
import { readAssistantBlocks } from './read-assistant.ts';
import { readMessagesStop } from './stop.ts';
import { readMessagesUsage } from './usage.ts';

/** @throws UnreadableAnswerError, ComplaintError */
export function readMessagesAnswer(json: unknown): TurnAnswer {
  if (!isJsonObject(json)) throw new UnreadableAnswerError('the answer is not a JSON object');
  const content = json['content'];
  if (!Array.isArray(content)) {
    const complaint = messagesComplaintIn(json);
    if (complaint !== null) throw new ComplaintError(complaint);
    throw new UnreadableAnswerError('the answer has no content');
  }
  const stop = readMessagesStop(asText(json['stop_reason']) ?? 'end_turn', json['stop_sequence']);
  return {
    id: asText(json['id']) ?? '',
    model: asText(json['model']) ?? '',
    choices: [{ content: readAssistantBlocks(content), stop }],
    usage: readMessagesUsage(json['usage']),
  };
}
