/** An assistant's blocks as the fields of a chat completion message, but for its text. */

import type { JsonObject } from '../json/fields.ts';
import type { AssistantBlock, ToolUseBlock } from '../turn/blocks.ts';
import { writeReasoningDetails } from './reasoning-details.ts';

export interface AssistantFields {
  readonly refusal: string | null;
  readonly reasoning_content: string | undefined;
  readonly reasoning_details: readonly JsonObject[] | undefined;
  readonly tool_calls: readonly JsonObject[] | undefined;
}

export function writeAssistantFields(blocks: readonly AssistantBlock[]): AssistantFields {
  const calls = blocks.filter((block) => block.type === 'tool_use').map(writeToolCall);
  return {
    refusal: joinTexts(blocks, 'refusal'),
    reasoning_content: joinTexts(blocks, 'thinking') ?? undefined,
    reasoning_details: writeReasoningDetails(blocks),
    tool_calls: calls.length > 0 ? calls : undefined,
  };
}

/** Null when there is none. */
export function joinTexts(
  blocks: readonly AssistantBlock[],
  type: 'text' | 'thinking' | 'refusal',
): string | null {
  let joined: string | null = null;
  for (const block of blocks) {
    if (block.type === type) joined = joined === null ? block.text : joined + block.text;
  }
  return joined;
}

function writeToolCall({ id, name, input, custom }: ToolUseBlock): JsonObject {
  if (custom) return { id, type: 'custom', custom: { name, input } };
  return { id, type: 'function', function: { name, arguments: input === '' ? '{}' : input } };
}
