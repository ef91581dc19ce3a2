/** Blocks of an assistant's message as those of the Converse API. */
import { isJsonObject, type JsonObject, tryParseJson } from '../json/fields.ts';
import type { AssistantBlock } from '../turn/blocks.ts';
import { argumentsOf } from '../turn/free-text/as-function.ts';
import { packSignature, packToolSignature } from '../turn/signature.ts';
import { withCachePoint } from './cache-point.ts';
import { type ModelTraits, readModelTraits } from './model-traits.ts';
import { writeToolId } from './tool-id.ts';

/** Towards an upstream: blocks that can be replayed. */
export function writeAssistantBlocks(
  content: readonly AssistantBlock[],
  traits: ModelTraits,
): readonly JsonObject[] {
  return content.flatMap((block) => {
    const cache = 'cache' in block ? block.cache : undefined;
    return withCachePoint([writeBlock(block, traits)], cache, traits);
  });
}

/** Towards a client: everything, with the signature of a tool use in front of it. */
export function writeAnswerBlocks(content: readonly AssistantBlock[]): readonly JsonObject[] {
  return content.flatMap((block) => {
    const written = writeBlock(block, clientTraits);
    if (block.type !== 'tool_use' || block.signature === undefined) return [written];
    const packed = packToolSignature({ toolId: block.id, signature: block.signature });
    return [{ reasoningContent: { redactedContent: packed } }, written];
  });
}

const clientTraits = readModelTraits('');

function writeBlock(block: AssistantBlock, traits: ModelTraits): JsonObject {
  switch (block.type) {
    case 'text':
    case 'refusal':
      return { text: block.text };
    case 'thinking': {
      const signature =
        block.signature === undefined ? undefined : packSignature(block.signature, 'anthropic');
      return { reasoningContent: { reasoningText: { text: block.text, signature } } };
    }
    case 'redacted_thinking':
      return { reasoningContent: { redactedContent: packSignature(block.signature, 'anthropic') } };
    case 'tool_use': {
      const { id, name } = block;
      const input = writeInput(argumentsOf(block));
      return { toolUse: { toolUseId: writeToolId(id, traits), name, input } };
    }
  }
}

/** The input must be an object; what a model wrote wrong is kept under a name that says so. */
function writeInput(input: string): JsonObject {
  if (input === '') return {};
  const value = tryParseJson(input);
  return isJsonObject(value) ? value : { INVALID_JSON: input };
}
