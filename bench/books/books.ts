/** The two sides of the reconciliation: what a contender booked and what the upstream counted. */

export interface TokenSums {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** Sums over the usage records and the wallet of one contender. */
export interface Books {
  readonly records: number;
  readonly complete: number;
  readonly clientClosed: number;
  readonly all: TokenSums;
  readonly ofComplete: TokenSums;
  readonly costNanoUsd: bigint;
  readonly chargedNanoUsd: bigint;
  readonly depositsNanoUsd: bigint;
  readonly balanceNanoUsd: bigint;
}

/** Tokens that no usage statement reached the socket for are not in these sums. */
export interface UpstreamCounts extends TokenSums {
  readonly requests: number;
}
