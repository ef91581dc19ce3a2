/** What a request is to the database: as far as it is known before a provider is asked, and once it is over. */
import type { Usage } from '../base/token-usage.ts';
import type { Deployment, Model } from '../catalogue/index.ts';
import type { Caller } from '../identity/index.ts';
import type { Admission } from '../ledger/index.ts';
import type { Candidate, Route } from '../routing/index.ts';
import type {
  AttemptRecord,
  OpenedRequest,
  RequestLabels,
  UsageOutcome,
  UsageRecord,
} from '../usage/index.ts';
import type { RequestPrices } from './request-prices.ts';
import type { GatewayServices } from './services.ts';

/** What is decided of a request that is paid for, before the first provider is called. */
export interface Opening {
  readonly caller: Caller;
  readonly model: Model;
  readonly admission: Admission;
  readonly streamed: boolean;
}

/** A request, as far as its record tells of it. */
interface RecordedRequest {
  readonly requestId: string;
  readonly endpoint: string;
  readonly arrivedAtMs: number;
  readonly opening: Opening | undefined;
  readonly candidate: Candidate | undefined;
  readonly attempts: readonly AttemptRecord[];
  readonly firstByteMs: number | null;
  readonly prices: RequestPrices;
  readonly labels: RequestLabels | undefined;
  overheadMs(): number;
}

/**
 * From here on a provider may have the prompt, and the request has a row whatever becomes of this process.
 * @throws AppError accounting_unavailable when that cannot be promised.
 */
export function openInSpool(
  facts: RecordedRequest,
  { candidate, order }: Pick<Route, 'candidate' | 'order'>,
  { settlement }: Pick<GatewayServices, 'settlement'>,
): void {
  const first = candidate ?? order[0];
  if (facts.opening === undefined || first === undefined) return;
  settlement.open(openedRequest(facts, facts.opening, first.deployment));
}

/** @param deployment who is asked first, or was asked last; undefined for nobody. */
function openedRequest(
  { requestId, arrivedAtMs, endpoint, labels }: RecordedRequest,
  { caller, model, streamed }: Opening,
  deployment: Deployment | undefined,
): OpenedRequest {
  return {
    requestId,
    startedAt: new Date(arrivedAtMs),
    keyId: caller.keyId,
    userId: caller.userId,
    payerId: caller.payerId,
    organisationId: caller.organisationId,
    departmentId: caller.departmentId,
    projectId: caller.projectId,
    endpoint,
    model: model.publicId,
    provider: deployment?.provider.name ?? null,
    upstreamModel: deployment?.upstreamId ?? null,
    streamed,
    exempt: caller.billingExempt,
    ...(labels === undefined ? undefined : { labels }),
  };
}

interface Settled {
  readonly status: number;
  readonly outcome: UsageOutcome;
  readonly errorCode?: string;
  readonly opening: Opening;
  readonly usage: Usage;
  readonly costNanoUsd: bigint;
  readonly chargedNanoUsd: bigint;
  /** Until the client had all, or left. */
  readonly durationMs: number;
}

export function recordOf(facts: RecordedRequest, end: Settled): UsageRecord {
  const { usage } = end;
  const { spentOfBudgets: budgets } = end.opening.admission;
  const { secretNumber } = end.opening.caller;
  return {
    ...openedRequest(facts, end.opening, facts.candidate?.deployment),
    status: end.status,
    outcome: end.outcome,
    errorCode: end.errorCode ?? null,
    attempts: attemptsOf(facts, end),
    inputTokens: usage.inputTokens,
    cacheReadTokens: usage.cacheReadTokens,
    cacheWrite5mTokens: usage.cacheWrite5mTokens,
    cacheWrite1hTokens: usage.cacheWrite1hTokens,
    outputTokens: usage.outputTokens,
    reasoningTokens: usage.reasoningTokens,
    estimated: usage.estimated,
    priceVersionId: facts.prices.versionId(),
    audioMs: usage.audioMs ?? 0,
    characters: usage.characters ?? 0,
    rerankUnits: usage.rerankUnits ?? 0,
    ...(usage.extras === undefined ? undefined : { extras: usage.extras }),
    costNanoUsd: end.costNanoUsd,
    chargedNanoUsd: end.chargedNanoUsd,
    durationMs: rounded(end.durationMs),
    firstByteMs: facts.firstByteMs === null ? null : rounded(facts.firstByteMs),
    overheadMs: rounded(facts.overheadMs()),
    ...(budgets.length === 0 ? undefined : { budgets }),
    ...(secretNumber === null ? undefined : { secretNumber }),
  };
}

/** A provider that broke off after its first content had been taken for one that answers. */
function attemptsOf({ attempts }: RecordedRequest, end: Settled): readonly AttemptRecord[] {
  const last = attempts.at(-1);
  if (end.outcome !== 'upstream_failed' || last?.errorCode !== null) return attempts;
  return [...attempts.slice(0, -1), { ...last, errorCode: end.errorCode ?? null }];
}

/** To the microsecond: finer is noise. */
export const rounded = (ms: number): number => Math.round(ms * 1000) / 1000;
