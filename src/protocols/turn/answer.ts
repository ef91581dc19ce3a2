/** A whole answer in the form between the protocols. */
import type { TokenUsage } from '../../base/token-usage.ts';
import type { AssistantBlock, Base64Source, UrlSource } from './blocks.ts';

export interface TurnAnswer {
  readonly id: string;
  readonly model: string;
  /** Seconds since the Unix epoch, where the protocol says. */
  readonly createdS?: number | undefined;
  /** At least one; more only when more were asked for. */
  readonly choices: readonly Choice[];
  /** Disjoint counts; null when the upstream gave none. */
  readonly usage: TokenUsage | null;
}

/** What a model painted. */
export type MadeImage = Base64Source | UrlSource;

export interface Choice {
  readonly content: readonly AssistantBlock[];
  /** In their order; where they stand among the blocks is told by streams alone. */
  readonly images?: readonly MadeImage[] | undefined;
  readonly stop: Stop;
  readonly logprobs?: readonly TokenLogprob[] | undefined;
}

/** Why an answer ended. */
export const stopReasons = [
  'end',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause',
  'refusal',
  'context_window',
] as const;
export type StopReason = (typeof stopReasons)[number];

export interface Stop {
  readonly reason: StopReason;
  /** The sequence that was met, where the protocol says. */
  readonly sequence?: string | undefined;
}

export interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
  readonly bytes: readonly number[] | null;
  readonly top: readonly Omit<TokenLogprob, 'top'>[];
}
