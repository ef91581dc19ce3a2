/** A made-up turn as blocks of a message, before it is written whole or as a stream. */
import type { Turn } from '../../turn/compose-turn.ts';
import type { Usage } from '../../usage.ts';

export interface Message {
  readonly id: string;
  readonly model: string;
  readonly blocks: readonly Block[];
  readonly stopReason: 'end_turn' | 'max_tokens' | 'stop_sequence' | 'tool_use' | 'refusal';
  readonly stopSequence: string | null;
  /** Undefined for hosts that tell none. */
  readonly usage: Usage | undefined;
}

/** Each with the pieces that a stream sends of it. */
export type Block =
  | { readonly type: 'thinking'; readonly pieces: readonly string[]; readonly signature: string }
  | { readonly type: 'text'; readonly pieces: readonly string[] }
  | {
      readonly type: 'tool_use';
      readonly id: string;
      readonly name: string;
      readonly pieces: readonly string[];
    };

export interface MessageLabel {
  readonly id: string;
  readonly model: string;
  readonly writesUsage: boolean;
}

export function composeMessage(turn: Turn, label: MessageLabel): Message {
  return {
    id: label.id,
    model: label.model,
    blocks: [
      ...thinkingBlocks(turn.reasoning),
      ...(turn.text.length > 0 ? [{ type: 'text', pieces: turn.text } as const] : []),
      ...turn.toolCalls.map(({ id, name, fragments }) => ({
        type: 'tool_use' as const,
        id: id.replace('call_', 'toolu_'),
        name,
        // No arguments at all come as no piece at all.
        pieces: fragments.join('') === '{}' ? [] : fragments,
      })),
    ],
    stopReason: turn.stopSequence === null ? reasons[turn.finish] : 'stop_sequence',
    stopSequence: turn.stopSequence,
    usage: label.writesUsage ? turn.usage : undefined,
  };
}

const reasons = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  refusal: 'refusal',
} as const;

const signaturePrefix = 'double-signature-';

function thinkingBlocks(pieces: readonly string[]): Block[] {
  if (pieces.length === 0) return [];
  return [{ type: 'thinking', pieces, signature: signatureOf(pieces.join('')) }];
}

/** Belongs to one text, so that thinking which was altered on its way back is found out. */
export function signatureOf(thinking: string): string {
  return `${signaturePrefix}${Bun.hash(thinking).toString(36)}==`;
}
