/** Why a message ended. */
import type { Stop } from '../turn/answer.ts';

const reasons: Readonly<Record<string, Stop['reason']>> = {
  end_turn: 'end',
  max_tokens: 'max_tokens',
  stop_sequence: 'stop_sequence',
  tool_use: 'tool_use',
  pause_turn: 'pause',
  refusal: 'refusal',
  model_context_window_exceeded: 'context_window',
};

const words = {
  end: 'end_turn',
  max_tokens: 'max_tokens',
  stop_sequence: 'stop_sequence',
  tool_use: 'tool_use',
  pause: 'pause_turn',
  refusal: 'refusal',
  context_window: 'model_context_window_exceeded',
} as const satisfies Record<Stop['reason'], string>;

/** A word that is not known yet is an end like any other. */
export function readMessagesStop(reason: string, sequence: unknown): Stop {
  return {
    reason: reasons[reason] ?? 'end',
    sequence: typeof sequence === 'string' ? sequence : undefined,
  };
}

export function writeMessagesStop(stop: Stop): { stop_reason: string; stop_sequence: string | null } {
  return { stop_reason: words[stop.reason], stop_sequence: stop.sequence ?? null };
}
