/** Token counts as one answer states them, and the sums the double keeps of what it said. */

export interface Usage {
  readonly promptTokens: number;
  /** Inside promptTokens. */
  readonly cachedTokens: number;
  readonly completionTokens: number;
  /** Inside completionTokens where the provider counts it so. */
  readonly reasoningTokens: number;
}

/** Sums over every answer; tokens count once the bytes that state them are handed to the socket. */
export interface Counts {
  requests: number;
  promptTokens: number;
  cachedTokens: number;
  completionTokens: number;
  reasoningTokens: number;
  /** Content pieces sent, whether or not a usage statement followed. */
  contentTokens: number;
  bytesReceived: number;
  bytesSent: number;
}

export function emptyCounts(): Counts {
  return {
    requests: 0,
    promptTokens: 0,
    cachedTokens: 0,
    completionTokens: 0,
    reasoningTokens: 0,
    contentTokens: 0,
    bytesReceived: 0,
    bytesSent: 0,
  };
}

/** A later statement of the same answer replaces the earlier one: some providers repeat it in every chunk. */
export function stateUsage(counts: Counts, usage: Usage, earlier: Usage | undefined): void {
  counts.promptTokens += usage.promptTokens - (earlier?.promptTokens ?? 0);
  counts.cachedTokens += usage.cachedTokens - (earlier?.cachedTokens ?? 0);
  counts.completionTokens += usage.completionTokens - (earlier?.completionTokens ?? 0);
  counts.reasoningTokens += usage.reasoningTokens - (earlier?.reasoningTokens ?? 0);
}
