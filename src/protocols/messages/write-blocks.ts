/** Blocks of a user's message as those of the messages protocol. */

import type { JsonObject } from '../json/fields.ts';
import type { DocumentBlock, MediaSource, TextBlock, ToolResultBlock, UserBlock } from '../turn/blocks.ts';
import { decodeText } from '../turn/media.ts';
import { refuse } from '../turn/refuse.ts';
import { writeCacheMark } from './cache-mark.ts';
import { isBlank } from './says-something.ts';
import { writeToolId } from './write-assistant.ts';

/** The upstream refuses text that is blank, wherever it stands. */
export function saysSomething(block: UserBlock): boolean {
  return block.type !== 'text' || !isBlank(block.text);
}

export function writeUserBlock(block: UserBlock): JsonObject {
  const cache_control = writeCacheMark(block.cache);
  switch (block.type) {
    case 'text':
      return writeText(block);
    case 'image':
      return { type: 'image', source: writeMedia(block.source), cache_control };
    case 'document':
      return writeDocument(block);
    case 'audio':
      throw refuse('audio input', 'messages');
    case 'tool_result':
      return writeToolResult(block);
  }
}

export function writeText({ text, cache }: TextBlock): JsonObject {
  return { type: 'text', text, cache_control: writeCacheMark(cache) };
}

function writeToolResult({ toolUseId, content: given, isError, cache }: ToolResultBlock): JsonObject {
  const content = given.filter(saysSomething);
  const [only] = content;
  const isPlain = content.length === 1 && only?.type === 'text' && only.cache === undefined;
  return {
    type: 'tool_result',
    tool_use_id: writeToolId(toolUseId),
    content: isPlain ? only.text : content.length === 0 ? undefined : content.map(writeUserBlock),
    is_error: isError ? true : undefined,
    cache_control: writeCacheMark(cache),
  };
}

function writeDocument({ source, title, context, cache }: DocumentBlock): JsonObject {
  const cache_control = writeCacheMark(cache);
  return { type: 'document', source: writeDocumentSource(source), title, context, cache_control };
}

function writeDocumentSource(source: DocumentBlock['source']): JsonObject {
  switch (source.kind) {
    case 'text':
      return plainText(source.text);
    case 'content':
      return { type: 'content', content: source.content.filter(saysSomething).map(writeUserBlock) };
    case 'base64':
      if (source.mediaType.startsWith('text/')) return plainText(decodeText(source.data));
      if (source.mediaType !== 'application/pdf')
        throw refuse(`documents of the type ${source.mediaType}`, 'messages');
      return writeMedia(source);
    case 'url':
    case 'file':
      return writeMedia(source);
  }
}

const plainText = (data: string): JsonObject => ({ type: 'text', media_type: 'text/plain', data });

function writeMedia(source: MediaSource): JsonObject {
  switch (source.kind) {
    case 'base64':
      return { type: 'base64', media_type: source.mediaType, data: source.data };
    case 'url':
      return { type: 'url', url: source.url };
    case 'file':
      if (source.vendor !== 'anthropic') throw refuse('a file by an id of another vendor', 'messages');
      return { type: 'file', file_id: source.id };
  }
}
