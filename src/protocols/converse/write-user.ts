/** Blocks of a user's message as those of the Converse API. */

import type { JsonObject } from '../json/fields.ts';
import type { CacheMark, ToolResultBlock, UserBlock } from '../turn/blocks.ts';
import { withCachePoint } from './cache-point.ts';
import type { ModelTraits } from './model-traits.ts';
import { userSaysSomething } from './says-something.ts';
import { writeToolId } from './tool-id.ts';
import { type MediaWriting, writeAudio, writeDocument, writeImage } from './write-media.ts';

/** What the blocks of one request have in common. */
export interface BlockWriting extends MediaWriting {
  readonly traits: ModelTraits;
}

/** A document must have words beside it. */
export function writeUserBlocks(content: readonly UserBlock[], writing: BlockWriting): readonly JsonObject[] {
  const blocks = content.flatMap((block) => writeMarked(block, writing));
  const hasDocument = blocks.some((block) => 'document' in block);
  if (!hasDocument || blocks.some((block) => 'text' in block)) return blocks;
  return [...blocks, { text: 'See the document.' }];
}

function writeMarked(block: UserBlock, writing: BlockWriting): readonly JsonObject[] {
  const written = writeBlock(block, writing);
  return withCachePoint(written, markOf(block), writing.traits);
}

/** Inside a result there is no place for a mark; the point behind it covers the same. */
function markOf(block: UserBlock): CacheMark | undefined {
  if (block.cache !== undefined || block.type !== 'tool_result') return block.cache;
  return block.content.findLast(({ cache }) => cache !== undefined)?.cache;
}

function writeBlock(block: UserBlock, writing: BlockWriting): readonly JsonObject[] {
  switch (block.type) {
    case 'text':
      return [{ text: block.text }];
    case 'image':
      return [writeImage(block, writing)];
    case 'document':
      return writeDocument(block, writing);
    case 'audio':
      return [writeAudio(block)];
    case 'tool_result':
      return [writeToolResult(block, writing)];
  }
}

function writeToolResult(
  { toolUseId, content, isError }: ToolResultBlock,
  writing: BlockWriting,
): JsonObject {
  return {
    toolResult: {
      toolUseId: writeToolId(toolUseId, writing.traits),
      content: content.filter(userSaysSomething).flatMap((block) => writeBlock(block, writing)),
      status: isError ? 'error' : undefined,
    },
  };
}
