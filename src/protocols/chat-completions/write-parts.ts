/** Blocks of the form as content of chat completion messages. */

import type { JsonObject } from '../json/fields.ts';
import type { AudioBlock, DocumentBlock, ImageBlock, TextBlock } from '../turn/blocks.ts';
import { writeUrl } from '../turn/media.ts';
import { refuse } from '../turn/refuse.ts';
import { writeCacheMark } from './cache-mark.ts';
import type { ChatDialect } from './dialect.ts';

export type Part = TextBlock | ImageBlock | DocumentBlock | AudioBlock;

/** A plain string where that says it all, since not every host takes parts in every role. */
export function writeContent(parts: readonly Part[], dialect: ChatDialect): string | readonly JsonObject[] {
  const texts = parts.filter((part) => part.type === 'text');
  const isMarked = dialect.cacheMarks && texts.some(({ cache }) => cache !== undefined);
  const isPlain = texts.length === parts.length && !isMarked && (parts.length < 2 || !dialect.textParts);
  if (isPlain) return texts.map(({ text }) => text).join('\n\n');
  return parts.flatMap((part) => writePart(part, dialect));
}

function writePart(part: Part, dialect: ChatDialect): readonly JsonObject[] {
  const cache_control = dialect.cacheMarks ? writeCacheMark(part.cache) : undefined;
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text, cache_control }];
    case 'image':
      return [{ ...writeImage(part, dialect), cache_control }];
    case 'audio':
      return [{ ...writeAudio(part), cache_control }];
    case 'document':
      return writeDocument(part, dialect);
  }
}

function writeImage({ source, detail }: ImageBlock, { imageUrls }: ChatDialect): JsonObject {
  if (source.kind === 'url' && !imageUrls) throw refuse('an image by its URL', 'messages');
  if (source.kind === 'file') throw refuse('an image by its file id', 'messages');
  return { type: 'image_url', image_url: { url: writeUrl(source), detail } };
}

function writeAudio({ source }: AudioBlock): JsonObject {
  const subtype = source.mediaType.slice(source.mediaType.indexOf('/') + 1);
  return {
    type: 'input_audio',
    input_audio: { data: source.data, format: subtype === 'mpeg' ? 'mp3' : subtype },
  };
}

function writeDocument(block: DocumentBlock, dialect: ChatDialect): readonly JsonObject[] {
  const { source, title, cache } = block;
  const cache_control = dialect.cacheMarks ? writeCacheMark(cache) : undefined;
  switch (source.kind) {
    case 'base64': {
      const filename = title ?? `document.${source.mediaType.slice(source.mediaType.indexOf('/') + 1)}`;
      return [{ type: 'file', file: { filename, file_data: writeUrl(source) }, cache_control }];
    }
    case 'file':
      if (source.vendor !== 'openai') throw refuse('a document by a file id of another vendor', 'messages');
      return [{ type: 'file', file: { file_id: source.id, filename: title }, cache_control }];
    case 'url':
      throw refuse('a document by its URL', 'messages');
    case 'text':
      return [{ type: 'text', text: framed(block, source.text), cache_control }];
    case 'content': {
      const texts = source.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
      const images = source.content.filter((part) => part.type === 'image');
      return [
        { type: 'text', text: framed(block, texts.join('\n')), cache_control },
        ...images.map((image) => writeImage(image, dialect)),
      ];
    }
  }
}

/** A document as text, told apart from what the user says. */
function framed({ title, context }: DocumentBlock, text: string): string {
  const attributes = [
    title === undefined ? '' : ` title=${JSON.stringify(title)}`,
    context === undefined ? '' : ` context=${JSON.stringify(context)}`,
  ].join('');
  return `<document${attributes}>\n${text}\n</document>`;
}
