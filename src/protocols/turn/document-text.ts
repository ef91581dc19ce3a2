/** What a document is told of in words, where a protocol has no field for it. */
import type { DocumentBlock } from './blocks.ts';

/** In front of a document that goes as a file: what its part cannot be sent with. */
export function announceDocument(block: DocumentBlock): readonly string[] {
  const told = describe(block);
  return told === '' ? [] : [`The next part is the document${told}.`];
}

/** A document as text, told apart from what the user says. */
export function frameDocument(block: DocumentBlock, text: string): string {
  return `<document${describe(block)}>\n${text}\n</document>`;
}

function describe({ title, context }: DocumentBlock): string {
  const told = title === undefined ? '' : ` title=${JSON.stringify(title)}`;
  return context === undefined ? told : `${told} context=${JSON.stringify(context)}`;
}
