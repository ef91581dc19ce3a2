/** Whole answers of the form as Converse answers. */
import type { TurnAnswer } from '../turn/answer.ts';
import { writeConverseStop } from './stop.ts';
import { writeConverseUsage } from './usage.ts';
import { writeAnswerBlocks } from './write-assistant.ts';

/** The protocol has one choice. */
export function writeConverseAnswer({ id, model, choices, usage }: TurnAnswer): string {
  const [choice] = choices;
  return JSON.stringify({
    id,
    model,
    output: { message: { role: 'assistant', content: writeAnswerBlocks(choice?.content ?? []) } },
    ...writeConverseStop(choice?.stop ?? { reason: 'end' }),
    usage: usage === null ? undefined : writeConverseUsage(usage),
  });
}
