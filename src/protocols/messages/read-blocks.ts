/** Blocks of a user's message into the form. */
import { asFilledText, asObject, asObjects, asText, type JsonObject } from '../json/fields.ts';
import type { DocumentBlock, ImageBlock, TextBlock, ToolResultBlock, UserBlock } from '../turn/blocks.ts';
import { cannotRead } from '../turn/refuse.ts';
import { readCacheMark } from './cache-mark.ts';
import { readMediaSource } from './read-source.ts';

export function readUserBlocks(content: unknown): readonly UserBlock[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return asObjects(content).flatMap((block) => readUserBlock(block) ?? []);
}

function readUserBlock(block: JsonObject): UserBlock | undefined {
  return block['type'] === 'tool_result' ? readToolResult(block) : readShownBlock(block);
}

/** What may stand both in a message and in the result of a tool. */
function readShownBlock(block: JsonObject): TextBlock | ImageBlock | DocumentBlock | undefined {
  const cache = readCacheMark(block);
  switch (block['type']) {
    case 'text': {
      const text = asFilledText(block['text']);
      return text === undefined ? undefined : { type: 'text', text, cache };
    }
    case 'image':
      return { type: 'image', source: readMediaSource(asObject(block['source'])), cache };
    case 'document': {
      const source = readDocumentSource(asObject(block['source']));
      return {
        type: 'document',
        source,
        title: asText(block['title']),
        context: asText(block['context']),
        cache,
      };
    }
    case 'search_result': {
      const content = readContent(block['content']);
      const source = { kind: 'content', content } as const;
      return {
        type: 'document',
        source,
        title: asText(block['title']),
        context: asText(block['source']),
        cache,
      };
    }
    // Traces of tools that the vendor ran; nobody else can make use of them.
    default:
      return undefined;
  }
}

function readToolResult(block: JsonObject): ToolResultBlock {
  const toolUseId = asText(block['tool_use_id']);
  if (toolUseId === undefined) throw cannotRead('messages', 'a tool_result has no tool_use_id');
  const content = block['content'];
  return {
    type: 'tool_result',
    toolUseId,
    content:
      typeof content === 'string'
        ? readText(content)
        : asObjects(content).flatMap((part) => readShownBlock(part) ?? []),
    isError: block['is_error'] === true,
    cache: readCacheMark(block),
  };
}

const readText = (text: string): readonly TextBlock[] => (text === '' ? [] : [{ type: 'text', text }]);

function readDocumentSource(source: JsonObject | undefined): DocumentBlock['source'] {
  if (source?.['type'] === 'content') return { kind: 'content', content: readContent(source['content']) };
  if (source?.['type'] === 'text') return { kind: 'text', text: asText(source['data']) ?? '' };
  return readMediaSource(source);
}

/** The content of a document that is made of blocks itself. */
function readContent(content: unknown): readonly (TextBlock | ImageBlock)[] {
  if (typeof content === 'string') return readText(content);
  return asObjects(content).flatMap((part) => {
    const block = readShownBlock(part);
    return block === undefined || block.type === 'document' ? [] : [block];
  });
}
