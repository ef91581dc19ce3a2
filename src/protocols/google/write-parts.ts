/** Blocks of a user's message as parts of generateContent requests. */

import type { JsonObject } from '../json/fields.ts';
import type { DocumentBlock, UserBlock } from '../turn/blocks.ts';
import { writeAudio, writeMedia } from './write-source.ts';

type ShownBlock = Exclude<UserBlock, { type: 'tool_result' }>;

export function writeShown(block: ShownBlock): readonly JsonObject[] {
  switch (block.type) {
    case 'text':
      return [{ text: block.text }];
    case 'image':
      return [writeMedia('image', block.source)];
    case 'audio':
      return [writeAudio(block)];
    case 'document':
      return writeDocument(block);
  }
}

/** A part has neither title nor context, so they are told in front of it. */
function writeDocument(block: DocumentBlock): readonly JsonObject[] {
  const { source, title, context } = block;
  switch (source.kind) {
    case 'text':
      return [{ text: frameDocument(block, source.text) }];
    case 'content': {
      const texts = source.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
      const images = source.content.filter((part) => part.type === 'image');
      return [{ text: frameDocument(block, texts.join('\n')) }, ...images.flatMap(writeShown)];
    }
    default: {
      const written = writeMedia('document', source);
      if (title === undefined && context === undefined) return [written];
      return [{ text: `The next part is the document${describe(block)}.` }, written];
    }
  }
}

/** A document as text, told apart from what the user says. */
export function frameDocument(block: DocumentBlock, text: string): string {
  return `<document${describe(block)}>\n${text}\n</document>`;
}

function describe({ title, context }: DocumentBlock): string {
  const told = title === undefined ? '' : ` title=${JSON.stringify(title)}`;
  return context === undefined ? told : `${told} context=${JSON.stringify(context)}`;
}
