/** Which blocks say anything: the API refuses text that is blank, and files that are empty. */
import type { AssistantBlock, DocumentBlock, UserBlock } from '../turn/blocks.ts';

export function userSaysSomething(block: UserBlock): boolean {
  if (block.type === 'text') return !isBlank(block.text);
  return block.type !== 'document' || hasContent(block.source);
}

/** Thinking is taken back only with the signature that it came with. */
export function canReplay(block: AssistantBlock): boolean {
  switch (block.type) {
    case 'thinking':
    case 'redacted_thinking':
      return block.signature?.origin === 'anthropic';
    case 'text':
    case 'refusal':
      return !isBlank(block.text);
    case 'tool_use':
      return true;
  }
}

export const isBlank = (text: string): boolean => text.trim() === '';

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
