/** Blocks of an assistant's message as parts of the model. */
import { isJsonObject, type JsonObject, tryParseJson } from '../json/fields.ts';
import type { AssistantBlock, ToolUseBlock } from '../turn/blocks.ts';
import { argumentsOf } from '../turn/free-text/as-function.ts';
import type { Signature } from '../turn/signature.ts';

/** How a signature is written; undefined when it is of no use to the reader. */
export type WriteSignature = (signature: Signature | undefined) => string | undefined;

/** Thinking that nobody can read is a signature alone, and stands on the text in front of it where there is one. */
export function writeAssistantParts(
  content: readonly AssistantBlock[],
  sign: WriteSignature,
): readonly JsonObject[] {
  const parts: JsonObject[] = [];
  let isBareText = false;
  for (const block of content) {
    const text = isBareText && block.type === 'redacted_thinking' ? parts.pop()?.['text'] : '';
    parts.push(
      block.type === 'redacted_thinking'
        ? { text, thoughtSignature: sign(block.signature) }
        : writePart(block, sign),
    );
    isBareText = block.type === 'text' || block.type === 'refusal';
  }
  return parts;
}

function writePart(
  block: Exclude<AssistantBlock, { type: 'redacted_thinking' }>,
  sign: WriteSignature,
): JsonObject {
  switch (block.type) {
    case 'text':
    case 'refusal':
      return { text: block.text };
    case 'thinking':
      return { text: block.text, thought: true, thoughtSignature: sign(block.signature) };
    case 'tool_use':
      return { functionCall: writeCall(block), thoughtSignature: sign(block.signature) };
  }
}

/** The arguments must be an object; what a model wrote wrong is kept as text inside one. */
export function writeCall(call: Pick<ToolUseBlock, 'id' | 'name' | 'input' | 'custom'>): JsonObject {
  const { id, name } = call;
  const input = argumentsOf(call);
  const value = input === '' ? {} : tryParseJson(input);
  return { id, name, args: isJsonObject(value) ? value : { INVALID_JSON: input } };
}
