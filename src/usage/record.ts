/** The record of one request: counts, times and cost; never content. */
import type { TokenUsage, UnitUsage } from '../base/token-usage.ts';

/** Sessions and end users are cut to so many; tags are shorter still. */
export const mostLabelCharacters = 256;

/** How a request can end. `interrupted`: this process was stopped or died meanwhile. */
export const usageOutcomes = [
  'complete',
  'client_closed',
  'upstream_failed',
  'interrupted',
  'refused',
] as const;

export type UsageOutcome = (typeof usageOutcomes)[number];

/** One provider that was asked, and what came of it; never a secret. */
export interface AttemptRecord {
  readonly provider: string;
  /** Which of the provider's credentials was used; null where it needs none. */
  readonly credentialId: number | null;
  /** What the provider answered with; null when no answer came. */
  readonly status: number | null;
  /** Until its answer was there, or its first content, or the failure. */
  readonly latencyMs: number;
  /** Null for an attempt that was answered from. */
  readonly errorCode: string | null;
  /** Why it was asked, where that is not the usual reason. */
  readonly why?: string;
  /** Who was left out for it. */
  readonly passed?: readonly PassedRecord[];
  /** Which model it was asked for, where that is another than the request's first. */
  readonly model?: string;
  /** How long was waited before it until the provider could be asked again; no part of `latencyMs`. */
  readonly pausedMs?: number;
}

/** Somebody who could have been asked and was not. */
export interface PassedRecord {
  readonly provider: string;
  readonly credentialId: number | null;
  readonly why: string;
}

/** What a client says of a request, so that its usage can be found and summed by it; bounded where it is read. */
export interface RequestLabels {
  readonly sessionId: string | null;
  /** On whose behalf the client asks. */
  readonly endUser: string | null;
  readonly tags: readonly string[];
}

/** What is known of a request that is paid for, before its first provider is asked. */
export interface OpenedRequest {
  /** The `x-request-id` of the answer; a record is stored once for each. */
  readonly requestId: string;
  readonly startedAt: Date;
  readonly keyId: number;
  readonly userId: number;
  readonly payerId: number;
  /** What the key belonged to then; null where to nothing of the kind. */
  readonly organisationId: number | null;
  readonly departmentId: number | null;
  readonly projectId: number | null;
  readonly endpoint: string;
  /** As the catalogue names it, not as the client spelt it. */
  readonly model: string;
  /** Of an open request whom it is to ask first, of a settled one whom it asked last; null when nobody was reached. */
  readonly provider: string | null;
  readonly upstreamModel: string | null;
  readonly streamed: boolean;
  /** Nobody is to pay. */
  readonly exempt: boolean;
  /** Absent where the client said nothing. */
  readonly labels?: RequestLabels | undefined;
}

export interface UsageRecord extends OpenedRequest, TokenUsage, UnitUsage {
  /** The status that was answered. */
  readonly status: number;
  readonly outcome: UsageOutcome;
  readonly errorCode: string | null;
  /** In the order they were made. */
  readonly attempts: readonly AttemptRecord[];
  /** By what it was priced; null where nothing had a price, and for rows of before prices had versions. */
  readonly priceVersionId: number | null;
  readonly costNanoUsd: bigint;
  /** What the payer's wallet is charged: the cost, or 0 for an exempt payer. */
  readonly chargedNanoUsd: bigint;
  readonly durationMs: number;
  readonly firstByteMs: number | null;
  /** Of the duration, what was spent here and not upstream. */
  readonly overheadMs: number;
  /** What it took off windows of budgets, for the write that stores it; absent where nobody had any. */
  readonly budgets?: readonly BudgetShare[] | undefined;
  /** By which secret of its key it came, for the write that stores it; absent where the key has had but one. */
  readonly secretNumber?: number | undefined;
}

/** Of a window, by the id of its fund. */
interface BudgetShare {
  readonly fundId: number;
  readonly amountNanoUsd: bigint;
  /** Of it, what the process had leased. */
  readonly leasedNanoUsd: bigint;
}

/** As read back: rows of before attempts were listed tell how many there were, and of the last one alone by whom. */
export interface StoredAttempt {
  readonly provider: string | null;
  readonly credentialId: number | null;
  readonly status: number | null;
  readonly latencyMs: number | null;
  readonly errorCode: string | null;
  readonly why?: string;
  readonly passed?: readonly PassedRecord[];
  readonly model?: string;
  readonly pausedMs?: number;
}

/** As read back: a newer version of this program may have written outcomes that this one does not know. */
export interface StoredUsageRecord extends Omit<UsageRecord, 'outcome' | 'attempts'> {
  readonly outcome: string;
  /** How many there were. */
  readonly attempts: number;
  readonly attemptRecords: readonly StoredAttempt[];
  /** Of the ledger, by which its payer was charged. */
  readonly journalId?: number | undefined;
  /** Where it was rated anew: when, and what its row says. Cost, charge and price are those of the rating in force. */
  readonly rerated?: FirstRating | undefined;
}

export interface FirstRating {
  readonly at: Date;
  readonly priceVersionId: number | null;
  readonly costNanoUsd: bigint;
  readonly chargedNanoUsd: bigint;
}
