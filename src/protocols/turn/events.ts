/**
 * A streamed answer in the form between the protocols. Order: `start`; then for each block `open`, deltas, `close`;
 * a `stop` for each choice; `end`. Blocks may interleave, since some protocols do; `usage` may come anywhere after
 * `start`, more than once, each time for the whole answer so far.
 */
import type { TokenUsage } from '../../base/token-usage.ts';
import type { MadeImage, Stop, TokenLogprob } from './answer.ts';
import type { Citation } from './citations.ts';
import type { Signature } from './signature.ts';

export type TurnEvent =
  | {
      readonly type: 'start';
      readonly id: string;
      readonly model: string;
      readonly createdS?: number | undefined;
      readonly usage: TokenUsage | null;
    }
  | { readonly type: 'open'; readonly choice: number; readonly block: number; readonly head: BlockHead }
  | DeltaEvent
  | {
      readonly type: 'signature';
      readonly choice: number;
      readonly block: number;
      readonly signature: Signature;
    }
  /** Of a text block; its span may be of text that has come already only. */
  | {
      readonly type: 'citation';
      readonly choice: number;
      readonly block: number;
      readonly citation: Citation;
    }
  | { readonly type: 'image'; readonly choice: number; readonly image: MadeImage }
  | { readonly type: 'close'; readonly choice: number; readonly block: number }
  | { readonly type: 'stop'; readonly choice: number; readonly stop: Stop }
  | { readonly type: 'usage'; readonly usage: TokenUsage }
  | { readonly type: 'end' };

export interface DeltaEvent {
  readonly type: 'delta';
  readonly choice: number;
  readonly block: number;
  readonly kind: 'text' | 'thinking' | 'refusal' | 'input';
  readonly text: string;
  readonly logprobs?: readonly TokenLogprob[] | undefined;
}

/** What is known of a block when it begins. */
export type BlockHead =
  | { readonly kind: 'text' }
  | { readonly kind: 'thinking' }
  | { readonly kind: 'refusal' }
  | { readonly kind: 'redacted_thinking'; readonly signature: Signature }
  | {
      readonly kind: 'tool_use';
      readonly id: string;
      readonly name: string;
      readonly custom?: true | undefined;
      readonly signature?: Signature | undefined;
    };

/** What a client hears of an answer that broke off, when another goes on with it. */
export interface RescueNote {
  /** The model goes on from a prefill, has repeated its last words first, or begins where nothing had been said. */
  readonly how: 'prefill' | 'repetition' | 'beginning';
  /** Who goes on. */
  readonly provider: string;
  /** The code of the error that broke the answer off. */
  readonly after: string;
}

/** Where a client is in a stream of a protocol that numbers its frames. */
export interface StreamPosition {
  /** Of the answer, as the client was told it; undefined where it was not. */
  readonly id: string | undefined;
  readonly nextNumber: number;
}

/** Turns events into whole frames of one stream. */
export interface EventWriter {
  /** Whole frames, or nothing. */
  write(event: TurnEvent): string;
  /** A sign of life between events; a comment where the protocol has none. */
  idle?(): string;
  /** A frame that clients of the protocol pass over unless they look for it; absent where it has no place. */
  note?(note: RescueNote): string;
  /** Behind what was written; absent where frames have no numbers. */
  position?(): StreamPosition | undefined;
}
