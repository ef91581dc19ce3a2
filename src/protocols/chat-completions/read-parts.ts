/** Content parts of chat completion messages into blocks of the form. */
import { asFilledText, asList, asObject, asText, type JsonObject } from '../json/fields.ts';
import type { AudioBlock, CacheMark, DocumentBlock, ImageBlock, TextBlock } from '../turn/blocks.ts';
import { decodeText, readUrl } from '../turn/media.ts';
import { cannotRead } from '../turn/refuse.ts';
import { readCacheMark } from './cache-mark.ts';

type Part = TextBlock | ImageBlock | DocumentBlock | AudioBlock;

/** A message's content; a mark on the message itself goes to its last part. */
export function readUserParts(message: JsonObject): readonly Part[] {
  return markLast(readParts(message['content']), readCacheMark(message));
}

export function readTextParts(message: JsonObject): readonly TextBlock[] {
  const texts = readParts(message['content']).filter((part) => part.type === 'text');
  return markLast(texts, readCacheMark(message));
}

export function markLast<Block extends Part>(
  blocks: readonly Block[],
  cache: CacheMark | undefined,
): readonly Block[] {
  const last = blocks.at(-1);
  if (cache === undefined || last === undefined || last.cache !== undefined) return blocks;
  return [...blocks.slice(0, -1), { ...last, cache }];
}

export function readParts(content: unknown): readonly Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  const blocks: Part[] = [];
  for (const value of asList(content)) {
    const part = asObject(value);
    const block = part === undefined ? undefined : readPart(part);
    if (block !== undefined) blocks.push(block);
  }
  return blocks;
}

function readPart(part: JsonObject): Part | undefined {
  const cache = readCacheMark(part);
  switch (part['type']) {
    case 'text': {
      const text = asFilledText(part['text']);
      return text === undefined ? undefined : { type: 'text', text, cache };
    }
    case 'image_url':
      return readImage(part['image_url'], cache);
    case 'input_audio':
      return readAudio(asObject(part['input_audio']), cache);
    case 'file':
      return readFile(asObject(part['file']), cache);
    default:
      throw cannotRead(
        'messages',
        `content of the type ${String(part['type'])} is not supported for this model`,
      );
  }
}

function readImage(value: unknown, cache: CacheMark | undefined): ImageBlock {
  const described = asObject(value);
  const url = asFilledText(described?.['url']) ?? asFilledText(value);
  if (url === undefined) throw cannotRead('messages', 'an image_url has no url');
  return { type: 'image', source: readUrl(url), detail: asText(described?.['detail']), cache };
}

function readAudio(audio: JsonObject | undefined, cache: CacheMark | undefined): AudioBlock {
  const data = asFilledText(audio?.['data']);
  const format = asFilledText(audio?.['format']);
  if (data === undefined || format === undefined) {
    throw cannotRead('messages', 'an input_audio needs data and format');
  }
  const mediaType = format === 'mp3' ? 'audio/mpeg' : `audio/${format}`;
  return { type: 'audio', source: { kind: 'base64', mediaType, data }, cache };
}

function readFile(file: JsonObject | undefined, cache: CacheMark | undefined): Part {
  const id = asFilledText(file?.['file_id']);
  const title = asFilledText(file?.['filename']);
  if (id !== undefined) {
    return { type: 'document', source: { kind: 'file', id, vendor: 'openai' }, title, cache };
  }
  const data = asFilledText(file?.['file_data']);
  if (data === undefined) throw cannotRead('messages', 'a file needs file_data or file_id');
  const source = readUrl(data);
  if (source.kind === 'url') return { type: 'document', source, title, cache };
  if (source.mediaType.startsWith('image/')) return { type: 'image', source, cache };
  if (!source.mediaType.startsWith('text/')) return { type: 'document', source, title, cache };
  return { type: 'document', source: { kind: 'text', text: decodeText(source.data) }, title, cache };
}
