/** Whole answers of the form as chat completions. */
import type { Clock } from '../../base/clock.ts';
import type { JsonObject } from '../json/fields.ts';
import type { Choice, TurnAnswer } from '../turn/answer.ts';
import { writeLogprobs } from './logprobs.ts';
import { writeChatStop } from './stop.ts';
import { joinTexts, writeAssistantFields } from './write-assistant.ts';
import { writeChatUsage } from './write-usage.ts';

export function writeChatAnswer(answer: TurnAnswer, clock: Clock): string {
  return JSON.stringify({
    id: answer.id,
    object: 'chat.completion',
    created: answer.createdS ?? Math.floor(clock.nowMs() / 1000),
    model: answer.model,
    choices: answer.choices.map(writeChoice),
    usage: answer.usage === null ? undefined : writeChatUsage(answer.usage),
  });
}

function writeChoice({ content, stop, logprobs }: Choice, index: number): JsonObject {
  const fields = writeAssistantFields(content);
  const text = joinTexts(content, 'text');
  const isSilent = fields.tool_calls === undefined && fields.refusal === null;
  return {
    index,
    message: { role: 'assistant', content: text ?? (isSilent ? '' : null), ...fields },
    logprobs: writeLogprobs(logprobs),
    finish_reason: writeChatStop(stop, fields.refusal !== null),
  };
}
