/** Whole answers of the form as messages. */
import { noUsage } from '../../base/token-usage.ts';
import type { TurnAnswer } from '../turn/answer.ts';
import { writeMessagesStop } from './stop.ts';
import { writeMessagesUsage } from './usage.ts';
import { writeAnswerBlocks } from './write-assistant.ts';

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
