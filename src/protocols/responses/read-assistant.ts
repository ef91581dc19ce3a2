/** Items that a model made into blocks of the form, for requests and for answers. */
import { asFilledText, asObject, asObjects, asText, type JsonObject } from '../json/fields.ts';
import type { AssistantBlock, RefusalBlock, TextBlock, ToolUseBlock } from '../turn/blocks.ts';
import { calledNameOf, joinName } from './namespaces.ts';
import { readEncrypted, type ToolSignatures } from './signature.ts';

/** Null for items of other kinds. */
export function readAssistantItem(
  item: JsonObject,
  signatures: ToolSignatures,
): readonly AssistantBlock[] | null {
  switch (item['type']) {
    case 'message':
      return readSaid(item['content']);
    case 'reasoning':
      return readReasoning(item, signatures);
    case 'function_call':
    case 'custom_tool_call':
      return [readCall(item, signatures)];
    default:
      return null;
  }
}

/** A string stands for one text, as in messages that callers write themselves. */
export function readSaid(content: unknown): readonly (TextBlock | RefusalBlock)[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return asObjects(content).flatMap((part) => readSaidPart(part) ?? []);
}

function readSaidPart(part: JsonObject): TextBlock | RefusalBlock | undefined {
  const isRefusal = part['type'] === 'refusal';
  const text = asFilledText(part[isRefusal ? 'refusal' : 'text']);
  if (text === undefined) return undefined;
  return isRefusal ? { type: 'refusal', text } : { type: 'text', text };
}

export function readReasoning(item: JsonObject, signatures: ToolSignatures): readonly AssistantBlock[] {
  const { isThere, text } = readThought(item);
  const encrypted = asFilledText(item['encrypted_content']);
  if (encrypted === undefined) return text === '' ? [] : [{ type: 'thinking', text }];
  if (signatures.take(encrypted)) return [];
  const signature = readEncrypted(encrypted);
  return [isThere ? { type: 'thinking', text, signature } : { type: 'redacted_thinking', signature }];
}

export const thoughtBreak = '\n\n';

/** Hosts of open models show the thinking itself, OpenAI a summary of it. */
function readThought(item: JsonObject): { isThere: boolean; text: string } {
  const content = asObjects(item['content']);
  const parts = content.length > 0 ? content : asObjects(item['summary']);
  return {
    isThere: parts.length > 0,
    text: parts.map((part) => asText(part['text']) ?? '').join(thoughtBreak),
  };
}

export function readCall(item: JsonObject, signatures: ToolSignatures): ToolUseBlock {
  const id = callIdOf(item);
  const name = joinName(calledNameOf(item));
  const signature = signatures.of(id);
  if (isCustom(item))
    return { type: 'tool_use', id, name, input: callInputOf(item), custom: true, signature };
  const input = callInputOf(item);
  return { type: 'tool_use', id, name, input: input === '{}' ? '' : input, signature };
}

const isCustom = (item: JsonObject): boolean => item['type'] === 'custom_tool_call';

/** What the result of a call refers to. */
const callIdOf = (item: JsonObject): string => asFilledText(item['call_id']) ?? asText(item['id']) ?? '';

/** Text by the protocol; some hosts send the object itself. */
export function callInputOf(item: JsonObject): string {
  const given = item[isCustom(item) ? 'input' : 'arguments'];
  const object = asObject(given);
  return object === undefined ? (asText(given) ?? '') : JSON.stringify(object);
}
