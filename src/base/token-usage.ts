/** What a request consumed, in counts that never overlap, so that each can have its own price. */

export interface TokenUsage {
  /** Input that no cache served. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWrite5mTokens: number;
  readonly cacheWrite1hTokens: number;
  /** All output, reasoning included. */
  readonly outputTokens: number;
  /** The part of the output spent on reasoning; already inside outputTokens. */
  readonly reasoningTokens: number;
  /** True when the upstream gave no counts and these are ours. */
  readonly estimated: boolean;
}

/** What is not counted in tokens. */
export interface UnitUsage {
  /** Of audio that was listened to. */
  readonly audioMs: number;
  /** Unicode code points of text that was spoken. */
  readonly characters: number;
  /** Searches as the providers of rerankers bill them. */
  readonly rerankUnits: number;
}

/** Units that are left out were not used. */
export type Usage = TokenUsage & Partial<UnitUsage>;

export const noUsage: TokenUsage = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  estimated: false,
};
