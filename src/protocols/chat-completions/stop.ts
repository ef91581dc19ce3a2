/** Why a chat completion ended. */
import type { Stop } from '../turn/answer.ts';

const reasons: Readonly<Record<string, Stop['reason']>> = {
  length: 'max_tokens',
  // Mistral's word for a context that is full.
  model_length: 'context_window',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
};

/** Some hosts say `stop` after tool calls, and a refusal in its own field ends with `stop` too. */
export function readChatStop(finish: string, said: { toolUse: boolean; refusal: boolean }): Stop {
  const reason = reasons[finish];
  if (reason !== undefined) return { reason };
  if (said.toolUse) return { reason: 'tool_use' };
  return { reason: said.refusal ? 'refusal' : 'end' };
}

export function writeChatStop({ reason }: Stop, hasRefusal: boolean): string {
  switch (reason) {
    case 'max_tokens':
    case 'context_window':
      return 'length';
    case 'tool_use':
      return 'tool_calls';
    case 'refusal':
      return hasRefusal ? 'stop' : 'content_filter';
    case 'end':
    case 'stop_sequence':
    case 'pause':
      return 'stop';
  }
}
