/** A made-up turn as blocks of a Converse message, before it is written whole or as a stream. */
import { parseJson } from '../../json.ts';
import type { Turn } from '../../turn/compose-turn.ts';
import { signatureOf } from '../messages/message.ts';

/** Each with the pieces that a stream sends of it. */
export type Block =
  | { readonly kind: 'reasoning' | 'text'; readonly pieces: readonly string[] }
  | {
      readonly kind: 'toolUse';
      readonly id: string;
      readonly name: string;
      readonly pieces: readonly string[];
    };

export function blocksOf(turn: Turn): Block[] {
  const reasoning: Block[] = turn.reasoning.length > 0 ? [{ kind: 'reasoning', pieces: turn.reasoning }] : [];
  const text: Block[] = turn.text.length > 0 ? [{ kind: 'text', pieces: turn.text }] : [];
  const uses = turn.toolCalls.map(({ id, name, fragments }) => ({
    kind: 'toolUse' as const,
    id: id.replace('call_', 'tooluse_'),
    name,
    // No arguments at all come as no piece at all.
    pieces: fragments.join('') === '{}' ? [] : fragments,
  }));
  return [...reasoning, ...text, ...uses];
}

export function wholeBlock(block: Block): object {
  const said = block.pieces.join('');
  switch (block.kind) {
    case 'reasoning':
      return { reasoningContent: { reasoningText: { text: said, signature: signatureOf(said) } } };
    case 'text':
      return { text: said };
    case 'toolUse': {
      const input = said === '' ? {} : parseJson(said);
      return { toolUse: { toolUseId: block.id, name: block.name, input } };
    }
  }
}

export function stopReasonOf({ finish, stopSequence }: Turn): string {
  if (stopSequence !== null) return 'stop_sequence';
  return reasons[finish];
}

const reasons = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  refusal: 'content_filtered',
} as const;
