/** A made-up turn as blocks of a message, before it is written whole or as a stream. */
import type { Turn } from '../../turn/compose-turn.ts';
import type { Usage } from '../../usage.ts';

export interface Message {
  readonly id: string;
  readonly model: string;
  readonly blocks: readonly Block[];
  readonly stopReason: 'end_turn' | 'max_tokens' | 'stop_sequence' | 'tool_use';
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
  readonly stopSequences: readonly string[];
  readonly writesUsage: boolean;
}

export function composeMessage(turn: Turn, label: MessageLabel): Message {
  const { pieces, stopSequence } = stopAtSequence(turn.text, label.stopSequences);
  const unsaid = turn.text.length - pieces.length;
  return {
    id: label.id,
    model: label.model,
    blocks: [
      ...thinkingBlocks(turn.reasoning),
      ...(pieces.length > 0 ? [{ type: 'text', pieces } as const] : []),
      ...turn.toolCalls.map(({ id, name, fragments }) => ({
        type: 'tool_use' as const,
        id: id.replace('call_', 'toolu_'),
        name,
        // No arguments at all come as no piece at all.
        pieces: fragments.join('') === '{}' ? [] : fragments,
      })),
    ],
    stopReason: stopSequence === null ? reasons[turn.finish] : 'stop_sequence',
    stopSequence,
    usage: label.writesUsage
      ? { ...turn.usage, completionTokens: turn.usage.completionTokens - unsaid }
      : undefined,
  };
}

const reasons = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use' } as const;

const signaturePrefix = 'double-signature-';

function thinkingBlocks(pieces: readonly string[]): Block[] {
  if (pieces.length === 0) return [];
  return [{ type: 'thinking', pieces, signature: signatureOf(pieces.join('')) }];
}

/** Belongs to one text, so that thinking which was altered on its way back is found out. */
export function signatureOf(thinking: string): string {
  return `${signaturePrefix}${Bun.hash(thinking).toString(36)}==`;
}

/** The pieces before the first stop sequence; the piece it begins in is cut. */
function stopAtSequence(
  pieces: readonly string[],
  sequences: readonly string[],
): { pieces: readonly string[]; stopSequence: string | null } {
  const text = pieces.join('');
  const places = sequences
    .map((sequence) => ({ sequence, at: text.indexOf(sequence) }))
    .filter(({ at }) => at !== -1)
    .toSorted((a, b) => a.at - b.at);
  const [first] = places;
  if (first === undefined) return { pieces, stopSequence: null };
  const kept: string[] = [];
  let left = first.at;
  for (const piece of pieces) {
    if (left <= 0) break;
    kept.push(piece.slice(0, left));
    left -= piece.length;
  }
  return { pieces: kept, stopSequence: first.sequence };
}
