/** Parts of the model into blocks of the form, for requests and for answers. */
import { asFilledText, asObject, asObjects, asText, type JsonObject } from '../json/fields.ts';
import type { AssistantBlock, ToolUseBlock } from '../turn/blocks.ts';
import { readThoughtSignature } from './thought-signature.ts';

/** @param nextId makes the id of a call that has none. */
export function readAssistantParts(parts: unknown, nextId: () => string): readonly AssistantBlock[] {
  return asObjects(parts).flatMap((part) => readAssistantPart(part, nextId));
}

/** Code that the vendor ran and media that its model made are passed over: the form has no place for them. */
function readAssistantPart(part: JsonObject, nextId: () => string): readonly AssistantBlock[] {
  const call = readCall(part, nextId);
  if (call !== undefined) return [call];
  const text = asText(part['text']);
  const signature = readThoughtSignature(part);
  if (text === undefined) return [];
  if (part['thought'] === true) {
    return text === '' && signature === undefined ? [] : [{ type: 'thinking', text, signature }];
  }
  const said: AssistantBlock[] = text === '' ? [] : [{ type: 'text', text }];
  // A signature on text is of the thinking before it, which nobody but the vendor can read.
  return signature === undefined ? said : [...said, { type: 'redacted_thinking', signature }];
}

/** Undefined when the part is no call. */
export function readCall(part: JsonObject, nextId: () => string): ToolUseBlock | undefined {
  const call = asObject(part['functionCall']);
  const name = asFilledText(call?.['name']);
  if (call === undefined || name === undefined) return undefined;
  return {
    type: 'tool_use',
    id: asFilledText(call['id']) ?? nextId(),
    name,
    input: readArguments(asObject(call['args'])),
    signature: readThoughtSignature(part),
  };
}

function readArguments(args: JsonObject | undefined): string {
  return args === undefined || Object.keys(args).length === 0 ? '' : JSON.stringify(args);
}
