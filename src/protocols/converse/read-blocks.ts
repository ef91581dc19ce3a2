/** Blocks of a user's message into the form. */
import { asFilledText, asObject, asObjects, asText, type JsonObject } from '../json/fields.ts';
import type { TextBlock, ToolResultBlock, ToolResultContent, UserBlock } from '../turn/blocks.ts';
import { cannotRead } from '../turn/refuse.ts';
import { readMarked } from './cache-point.ts';
import { readAudio, readDocument, readImage } from './read-media.ts';

export function readUserBlocks(content: unknown): readonly UserBlock[] {
  return readMarked(asObjects(content), readUserBlock);
}

export function readSystem(system: unknown): readonly TextBlock[] {
  return readMarked(asObjects(system), readText);
}

/** Blocks that only the vendor can make use of, such as those for its guardrails, are passed over. */
function readUserBlock(block: JsonObject): UserBlock | undefined {
  const audio = asObject(block['audio']);
  if (audio !== undefined) return readAudio(audio);
  const result = asObject(block['toolResult']);
  return result === undefined ? readShown(block) : readToolResult(result);
}

/** What may stand both in a message and in the result of a tool. */
function readShown(block: JsonObject): ToolResultContent | undefined {
  const image = asObject(block['image']);
  if (image !== undefined) return readImage(image);
  const document = asObject(block['document']);
  return document === undefined ? readText(block) : readDocument(document);
}

function readText(block: JsonObject): TextBlock | undefined {
  const text = asFilledText(block['text']);
  return text === undefined ? undefined : { type: 'text', text };
}

function readToolResult(result: JsonObject): ToolResultBlock {
  const toolUseId = asText(result['toolUseId']);
  if (toolUseId === undefined) throw cannotRead('messages', 'a toolResult has no toolUseId');
  return {
    type: 'tool_result',
    toolUseId,
    content: asObjects(result['content']).flatMap((part): readonly ToolResultContent[] => {
      const { json } = part;
      if (json !== undefined) return [{ type: 'text', text: JSON.stringify(json) }];
      const shown = readShown(part);
      return shown === undefined ? [] : [shown];
    }),
    isError: result['status'] === 'error',
  };
}
