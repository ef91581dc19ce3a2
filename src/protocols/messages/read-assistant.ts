/** Blocks of an assistant's message into the form, for requests and for answers. */
import { asFilledText, asObjects, asText, type JsonObject } from '../json/fields.ts';
import type { AssistantBlock } from '../turn/blocks.ts';
import { type Signature, unpackToolSignature } from '../turn/signature.ts';
import { readCacheMark } from './cache-mark.ts';
import { readThinkingSignature } from './tool-signature.ts';

export function readAssistantBlocks(content: unknown): readonly AssistantBlock[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  const signatureOfTool = new Map<string, Signature>();
  const blocks: AssistantBlock[] = [];
  for (const block of asObjects(content)) {
    const read = readBlock(block, signatureOfTool);
    if (read !== undefined) blocks.push(read);
  }
  return blocks;
}

function readBlock(block: JsonObject, signatureOfTool: Map<string, Signature>): AssistantBlock | undefined {
  switch (block['type']) {
    case 'text': {
      const text = asFilledText(block['text']);
      return text === undefined ? undefined : { type: 'text', text, cache: readCacheMark(block) };
    }
    case 'thinking':
      return readThinking(block);
    case 'redacted_thinking': {
      const data = asFilledText(block['data']);
      if (data === undefined) return undefined;
      const ofTool = unpackToolSignature(data);
      if (ofTool === null) return { type: 'redacted_thinking', signature: readThinkingSignature(data) };
      signatureOfTool.set(ofTool.toolId, ofTool.signature);
      return undefined;
    }
    case 'tool_use':
      return readToolUse(block, signatureOfTool);
    // Traces of tools that the vendor ran; nobody else can make use of them.
    default:
      return undefined;
  }
}

function readThinking(block: JsonObject): AssistantBlock | undefined {
  const text = asText(block['thinking']) ?? '';
  const signature = asFilledText(block['signature']);
  if (signature !== undefined) return { type: 'thinking', text, signature: readThinkingSignature(signature) };
  return text === '' ? undefined : { type: 'thinking', text };
}

function readToolUse(block: JsonObject, signatureOfTool: ReadonlyMap<string, Signature>): AssistantBlock {
  const id = asText(block['id']) ?? '';
  return {
    type: 'tool_use',
    id,
    name: asText(block['name']) ?? '',
    input: readInput(block['input']),
    signature: signatureOfTool.get(id),
    cache: readCacheMark(block),
  };
}

export function readInput(input: unknown): string {
  const text = input === undefined ? '' : JSON.stringify(input);
  return text === '{}' ? '' : text;
}
