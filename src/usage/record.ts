/** The record of one request: counts, times and cost; never content. */
import type { TokenUsage, UnitUsage } from '../base/token-usage.ts';

/** How a request ended. */
export type UsageOutcome = 'complete' | 'client_closed' | 'upstream_failed' | 'refused';

export interface UsageRecord extends TokenUsage, UnitUsage {
  /** The `x-request-id` of the answer; a record is stored once for each. */
  readonly requestId: string;
  readonly startedAt: Date;
  readonly keyId: number;
  readonly userId: number;
  readonly payerId: number;
  readonly endpoint: string;
  /** As the catalogue names it, not as the client spelt it. */
  readonly model: string;
  /** Null when no provider was reached. */
  readonly provider: string | null;
  readonly upstreamModel: string | null;
  readonly streamed: boolean;
  /** The status that was answered. */
  readonly status: number;
  readonly outcome: UsageOutcome;
  readonly errorCode: string | null;
  readonly attempts: number;
  readonly costNanoUsd: bigint;
  /** What the payer's wallet is charged: the cost, or 0 for an exempt payer. */
  readonly chargedNanoUsd: bigint;
  readonly durationMs: number;
  readonly firstByteMs: number | null;
  /** Of the duration, what was spent here and not upstream. */
  readonly overheadMs: number;
}

/** As read back: a newer version of this program may have written outcomes that this one does not know. */
export interface StoredUsageRecord extends Omit<UsageRecord, 'outcome'> {
  readonly outcome: string;
}
