/** Results of tools as responses of functions. */

import type { JsonObject } from '../json/fields.ts';
import type { ToolResultBlock, ToolResultContent } from '../turn/blocks.ts';
import type { GeminiModel } from './gemini-model.ts';
import { frameDocument, writeShown } from './write-parts.ts';

export interface WrittenResult {
  readonly part: JsonObject;
  /** What the response cannot hold, for the end of the message. */
  readonly attached: readonly JsonObject[];
}

/** @param name of the function that was called, which must be said once more. */
export function writeToolResult(
  { toolUseId, content, isError }: ToolResultBlock,
  name: string,
  model: GeminiModel,
): WrittenResult {
  const texts: string[] = [];
  const inside: JsonObject[] = [];
  const behind: JsonObject[] = [];
  for (const block of content) {
    const text = asText(block);
    if (text !== undefined) texts.push(text);
    else if (model.mediaInResponses && isBytes(block)) inside.push(...writeShown(block));
    else behind.push(...writeShown(block));
  }
  const text = texts.join('\n');
  const parts = inside.length === 0 ? {} : { parts: inside };
  const response = isError ? { error: text } : { result: text };
  return {
    part: { functionResponse: { id: toolUseId, name, response, ...parts } },
    attached: behind.length === 0 ? [] : [{ text: `Attached to the result of ${name}:` }, ...behind],
  };
}

/** Undefined for what is more than text. */
function asText(block: ToolResultContent): string | undefined {
  if (block.type === 'text') return block.text;
  return block.type === 'document' && block.source.kind === 'text'
    ? frameDocument(block, block.source.text)
    : undefined;
}

/** Titles and contexts are told in parts of text, which a response does not take. */
function isBytes(block: ToolResultContent): boolean {
  if (block.type === 'text' || block.source.kind !== 'base64') return false;
  return block.type === 'image' || (block.title === undefined && block.context === undefined);
}
