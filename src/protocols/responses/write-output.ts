/** The blocks of a whole answer as output items. */

import type { JsonObject } from '../json/fields.ts';
import type { Choice } from '../turn/answer.ts';
import type { AssistantBlock, ToolUseBlock } from '../turn/blocks.ts';
import type { CalledName } from './namespaces.ts';
import {
  callItem,
  type ItemType,
  itemId,
  messageItem,
  reasoningItem,
  refusalPart,
  type ThoughtPlace,
  textPart,
} from './output-items.ts';
import { writeEncrypted, writeToolEncrypted } from './signature.ts';
import type { ResponseStatus } from './stop.ts';

export interface OutputTerms {
  readonly answerId: string;
  readonly place: ThoughtPlace;
  /** Of tools that the caller grouped, by the name that the upstream knows. */
  readonly namespaces: ReadonlyMap<string, CalledName>;
  /** Of the whole; only the last item can be incomplete. */
  readonly status: ResponseStatus;
}

interface Draft {
  readonly type: ItemType;
  write(id: string, status: ResponseStatus): JsonObject;
}

export function writeOutput(choice: Choice, terms: OutputTerms): readonly JsonObject[] {
  const drafts = draftItems(choice, terms);
  return drafts.map(({ type, write }, index) =>
    write(itemId(type, terms.answerId, index), index === drafts.length - 1 ? terms.status : 'completed'),
  );
}

/** Neighbouring texts and refusals are parts of one message. */
function draftItems({ content, logprobs }: Choice, terms: OutputTerms): readonly Draft[] {
  const drafts: Draft[] = [];
  const firstText = content.find(({ type }) => type === 'text');
  let parts: JsonObject[] | null = null;
  for (const block of content) {
    if (block.type !== 'text' && block.type !== 'refusal') {
      parts = null;
      drafts.push(...draftBlock(block, terms));
      continue;
    }
    if (parts === null) {
      const opened: JsonObject[] = [];
      parts = opened;
      drafts.push({ type: 'message', write: (id, status) => messageItem(id, opened, status) });
    }
    const likely = block === firstText ? logprobs : undefined;
    parts.push(block.type === 'text' ? textPart(block.text, likely) : refusalPart(block.text));
  }
  return drafts;
}

function draftBlock(
  block: Exclude<AssistantBlock, { type: 'text' | 'refusal' }>,
  terms: OutputTerms,
): readonly Draft[] {
  if (block.type === 'tool_use') return draftCall(block, terms);
  const text = block.type === 'thinking' ? block.text : null;
  return [draftReasoning(terms, { text, encrypted: block.signature && writeEncrypted(block.signature) })];
}

/** A signature on a tool use goes in front of it. */
function draftCall(block: ToolUseBlock, terms: OutputTerms): readonly Draft[] {
  const { id: callId, name, signature } = block;
  const custom = block.custom === true;
  const called = terms.namespaces.get(name) ?? { name };
  const input = !custom && block.input === '' ? '{}' : block.input;
  const call: Draft = {
    type: custom ? 'custom_tool_call' : 'function_call',
    write: (id, status) => callItem({ id, callId, called, input, custom, status }),
  };
  if (signature === undefined) return [call];
  return [draftReasoning(terms, { text: null, encrypted: writeToolEncrypted(callId, signature) }), call];
}

function draftReasoning(
  { place }: OutputTerms,
  thought: { readonly text: string | null; readonly encrypted: string | undefined },
): Draft {
  return { type: 'reasoning', write: (id) => reasoningItem({ id, place, ...thought }) };
}
