/** Blocks of the form as content parts of input items. */

import type { JsonObject } from '../json/fields.ts';
import type { DocumentBlock, ImageBlock, TextBlock, ToolResultBlock, UserBlock } from '../turn/blocks.ts';
import { writeUrl } from '../turn/media.ts';
import { refuse } from '../turn/refuse.ts';

export type ShownBlock = Exclude<UserBlock, ToolResultBlock>;

/** A plain string where that says it all. */
export function writeInputParts(blocks: readonly ShownBlock[]): string | readonly JsonObject[] {
  const [first] = blocks;
  if (first === undefined) return '';
  if (blocks.length === 1 && first.type === 'text') return first.text;
  return blocks.flatMap(writePart);
}

function writePart(block: ShownBlock): readonly JsonObject[] {
  switch (block.type) {
    case 'text':
      return [writeText(block.text)];
    case 'image':
      return [writeImage(block)];
    case 'document':
      return writeDocument(block);
    case 'audio':
      throw refuse('audio input', 'messages');
  }
}

const writeText = (text: string): JsonObject => ({ type: 'input_text', text });

function writeImage({ source, detail }: ImageBlock): JsonObject {
  if (source.kind !== 'file') return { type: 'input_image', image_url: writeUrl(source), detail };
  return { type: 'input_image', file_id: ownFile(source), detail };
}

function writeDocument(block: DocumentBlock): readonly JsonObject[] {
  const { source, title } = block;
  switch (source.kind) {
    case 'base64': {
      const filename = title ?? `document.${source.mediaType.slice(source.mediaType.indexOf('/') + 1)}`;
      return [{ type: 'input_file', filename, file_data: writeUrl(source) }];
    }
    case 'url':
      return [{ type: 'input_file', file_url: source.url, filename: title }];
    case 'file':
      return [{ type: 'input_file', file_id: ownFile(source), filename: title }];
    case 'text':
      return [writeText(framed(block, source.text))];
    case 'content': {
      const texts = source.content.filter((part): part is TextBlock => part.type === 'text');
      const images = source.content.filter((part): part is ImageBlock => part.type === 'image');
      const text = texts.map((part) => part.text).join('\n');
      return [writeText(framed(block, text)), ...images.map(writeImage)];
    }
  }
}

function ownFile({ id, vendor }: { readonly id: string; readonly vendor: string }): string {
  if (vendor !== 'openai') throw refuse('a file by an id of another vendor', 'messages');
  return id;
}

/** A document as text, told apart from what the user says. */
function framed({ title, context }: DocumentBlock, text: string): string {
  const attributes = [
    title === undefined ? '' : ` title=${JSON.stringify(title)}`,
    context === undefined ? '' : ` context=${JSON.stringify(context)}`,
  ].join('');
  return `<document${attributes}>\n${text}\n</document>`;
}
