/** Which blocks of a user say anything: the API refuses text that is blank, and files that are empty. */
import { isBlank } from '../messages/write-messages.ts';
import type { DocumentBlock, UserBlock } from '../turn/blocks.ts';

export function userSaysSomething(block: UserBlock): boolean {
  if (block.type === 'text') return !isBlank(block.text);
  return block.type !== 'document' || hasContent(block.source);
}

function hasContent(source: DocumentBlock['source']): boolean {
  switch (source.kind) {
    case 'base64':
      return source.data !== '';
    case 'text':
      return !isBlank(source.text);
    case 'content':
      return source.content.some((block) => block.type === 'image' || !isBlank(block.text));
    case 'url':
    case 'file':
      return true;
  }
}
