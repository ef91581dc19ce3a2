/** Whole answers of the messages protocol, read from upstreams and written for clients. */
import { noUsage } from '../../base/token-usage.ts';
import { asText, isJsonObject } from '../json/fields.ts';
import { ComplaintError, UnreadableAnswerError } from '../translator.ts';
import type { TurnAnswer } from '../turn/answer.ts';
import { messagesComplaintIn } from './errors.ts';
import { readMessagesStop, readMessageUsage, writeMessagesStop, writeMessagesUsage } from './outcome.ts';
import { readAssistantBlocks } from './read-messages.ts';
import { writeAnswerBlocks } from './write-messages.ts';

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
    choices: [{ content: readAssistantBlocks(content, true), stop }],
    usage: readMessageUsage(json),
  };
}

/** The protocol has one choice, and always counts. */
export function writeMessagesAnswer({ id, model, choices, usage }: TurnAnswer): string {
  const [choice] = choices;
  return JSON.stringify({
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: writeAnswerBlocks(choice?.content ?? []),
    ...writeMessagesStop(choice?.stop ?? { reason: 'end' }),
    usage: writeMessagesUsage(usage ?? noUsage),
  });
}
