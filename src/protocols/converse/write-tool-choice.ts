/**
 * Tools together with their choice in Converse requests. The API has no `none` and no word for one tool at most. Claude
 * has both in a field of its own, and refuses a request that then says `toolChoice` too.
 */

import type { JsonObject } from '../json/fields.ts';
import type { TurnRequest } from '../turn/request.ts';
import type { ModelTraits } from './model-traits.ts';
import { offeredTools, usesTools, writeTools } from './write-tools.ts';

export interface WrittenTools {
  readonly toolConfig?: JsonObject;
  /** `tool_choice` among Claude's own fields. */
  readonly claudeChoice?: JsonObject;
}

type Choice =
  | { readonly type: 'auto' }
  | { readonly type: 'any' }
  | { readonly type: 'tool'; readonly name: string };

export function writeToolUse(turn: TurnRequest, traits: ModelTraits): WrittenTools {
  const offered = offeredTools(turn);
  if (offered.length === 0) return {};
  const tools = writeTools(offered, traits);
  if (turn.tools.length === 0 || turn.toolChoice?.type === 'none') {
    if (traits.claude !== null) return { toolConfig: { tools }, claudeChoice: { type: 'none' } };
    // Only leaving them out forbids them, which a conversation that has used some does not allow.
    return usesTools(turn.messages) ? { toolConfig: { tools } } : {};
  }
  const choice = choiceOf(turn);
  if (traits.claude === null || turn.parallelToolUse) {
    return { toolConfig: { tools, toolChoice: writeChoice(choice) } };
  }
  return { toolConfig: { tools }, claudeChoice: { ...choice, disable_parallel_tool_use: true } };
}

function choiceOf({ toolChoice }: TurnRequest): Choice {
  switch (toolChoice?.type) {
    case 'required':
      return { type: 'any' };
    case 'tool':
      return { type: 'tool', name: toolChoice.name };
    case 'allowed':
      return { type: toolChoice.required ? 'any' : 'auto' };
    default:
      return { type: 'auto' };
  }
}

function writeChoice(choice: Choice): JsonObject | undefined {
  switch (choice.type) {
    case 'auto':
      return undefined;
    case 'any':
      return { any: {} };
    case 'tool':
      return { tool: { name: choice.name } };
  }
}
