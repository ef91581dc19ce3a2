/** Blocks of an assistant's message into the form, for requests and for answers. */
import { asFilledText, asObject, asObjects, asText, type JsonObject } from '../json/fields.ts';
import type { AssistantBlock } from '../turn/blocks.ts';
import { type Signature, unpackSignature, unpackToolSignature } from '../turn/signature.ts';
import { readMarked } from './cache-point.ts';

export function readAssistantBlocks(content: unknown): readonly AssistantBlock[] {
  const signatureOfTool = new Map<string, Signature>();
  return readMarked(asObjects(content), (block) => readBlock(block, signatureOfTool));
}

/** Undefined for traces of tools that the vendor ran, and for what belongs to a later block. */
function readBlock(block: JsonObject, signatureOfTool: Map<string, Signature>): AssistantBlock | undefined {
  const toolUse = asObject(block['toolUse']);
  if (toolUse !== undefined) return readToolUse(toolUse, signatureOfTool);
  const reasoning = asObject(block['reasoningContent']);
  if (reasoning !== undefined) return readReasoning(reasoning, signatureOfTool);
  const text = asFilledText(block['text']) ?? readCited(asObject(block['citationsContent']));
  return text === '' ? undefined : { type: 'text', text };
}

/** Text with its sources; the sources are told in no other protocol's words. */
function readCited(cited: JsonObject | undefined): string {
  return asObjects(cited?.['content'])
    .map((part) => asText(part['text']) ?? '')
    .join('');
}

function readReasoning(
  reasoning: JsonObject,
  signatureOfTool: Map<string, Signature>,
): AssistantBlock | undefined {
  const redacted = asFilledText(reasoning['redactedContent']);
  if (redacted !== undefined) {
    const ofTool = unpackToolSignature(redacted);
    if (ofTool === null)
      return { type: 'redacted_thinking', signature: unpackSignature(redacted, 'anthropic') };
    signatureOfTool.set(ofTool.toolId, ofTool.signature);
    return undefined;
  }
  const shown = asObject(reasoning['reasoningText']);
  const text = asText(shown?.['text']) ?? '';
  const signature = asFilledText(shown?.['signature']);
  if (signature !== undefined)
    return { type: 'thinking', text, signature: unpackSignature(signature, 'anthropic') };
  return text === '' ? undefined : { type: 'thinking', text };
}

function readToolUse(
  toolUse: JsonObject,
  signatureOfTool: ReadonlyMap<string, Signature>,
): AssistantBlock | undefined {
  if (toolUse['type'] === 'server_tool_use') return undefined;
  const id = asText(toolUse['toolUseId']) ?? '';
  return {
    type: 'tool_use',
    id,
    name: asText(toolUse['name']) ?? '',
    input: readInput(toolUse['input']),
    signature: signatureOfTool.get(id),
  };
}

function readInput(input: unknown): string {
  const text = input === undefined || input === null ? '' : JSON.stringify(input);
  return text === '{}' ? '' : text;
}
