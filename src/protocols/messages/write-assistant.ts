/** Blocks of an assistant's message as those of the messages protocol. */
import { isJsonObject, type JsonObject, tryParseJson } from '../json/fields.ts';
import type { AssistantBlock } from '../turn/blocks.ts';
import { argumentsOf } from '../turn/free-text/as-function.ts';
import { packToolSignature } from '../turn/signature.ts';
import { writeCacheMark } from './cache-mark.ts';
import { writeThinkingSignature } from './tool-signature.ts';

export function writeAssistantBlock(block: AssistantBlock): JsonObject {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text, cache_control: writeCacheMark(block.cache) };
    case 'refusal':
      return { type: 'text', text: block.text };
    case 'thinking': {
      const signature = block.signature === undefined ? '' : writeThinkingSignature(block.signature);
      return { type: 'thinking', thinking: block.text, signature };
    }
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: writeThinkingSignature(block.signature) };
    case 'tool_use':
      return {
        type: 'tool_use',
        id: writeToolId(block.id),
        name: block.name,
        input: writeInput(argumentsOf(block)),
        cache_control: writeCacheMark(block.cache),
      };
  }
}

/** Towards a client: a signature on a tool use goes in front of it. */
export function writeAnswerBlocks(content: readonly AssistantBlock[]): readonly JsonObject[] {
  return content.flatMap((block) => {
    const written = writeAssistantBlock(block);
    if (block.type !== 'tool_use' || block.signature === undefined) return [written];
    const data = packToolSignature({ toolId: writeToolId(block.id), signature: block.signature });
    return [{ type: 'redacted_thinking', data }, written];
  });
}

/** The protocol takes nothing but these characters; the same id is written the same way wherever it stands. */
export function writeToolId(id: string): string {
  return id === '' ? 'call' : id.replaceAll(/[^\w-]/g, '_');
}

/** The input must be an object. What a model wrote wrong is kept under the name that the vendor's guide gives it. */
function writeInput(input: string): JsonObject {
  if (input === '') return {};
  const value = tryParseJson(input);
  return isJsonObject(value) ? value : { INVALID_JSON: input };
}
