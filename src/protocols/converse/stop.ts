/** Why a Converse answer ended. */
import { asFilledText, asObject, type JsonObject } from '../json/fields.ts';
import type { Stop } from '../turn/answer.ts';

const reasons: Readonly<Record<string, Stop['reason']>> = {
  end_turn: 'end',
  max_tokens: 'max_tokens',
  stop_sequence: 'stop_sequence',
  tool_use: 'tool_use',
  content_filtered: 'refusal',
  guardrail_intervened: 'refusal',
  model_context_window_exceeded: 'context_window',
};

const words = {
  end: 'end_turn',
  max_tokens: 'max_tokens',
  stop_sequence: 'stop_sequence',
  tool_use: 'tool_use',
  pause: 'end_turn',
  refusal: 'content_filtered',
  context_window: 'model_context_window_exceeded',
} as const satisfies Record<Stop['reason'], string>;

/** @param from a whole answer, or the event that tells the stop. A word that is not known yet is an end like any other. */
export function readConverseStop(from: JsonObject): Stop {
  const reason = reasons[asFilledText(from['stopReason']) ?? ''] ?? 'end';
  const ofModel = asObject(from['additionalModelResponseFields']);
  const sequence =
    asFilledText(asObject(ofModel?.['delta'])?.['stop_sequence']) ?? asFilledText(ofModel?.['stop_sequence']);
  return { reason, sequence };
}

export function writeConverseStop({ reason, sequence }: Stop): JsonObject {
  return {
    stopReason: words[reason],
    additionalModelResponseFields:
      sequence === undefined ? undefined : { delta: { stop_sequence: sequence } },
  };
}
