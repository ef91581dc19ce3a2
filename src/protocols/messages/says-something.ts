/** Which blocks say anything: upstreams that speak for Claude refuse text that is blank, and thinking of others. */
import type { AssistantBlock } from '../turn/blocks.ts';

export const isBlank = (text: string): boolean => text.trim() === '';

/** Thinking is taken back only with the vendor's own signature. */
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
