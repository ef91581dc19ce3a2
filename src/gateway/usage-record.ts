/**
 * What becomes of a request: what it pays, what it is to the database, as far as that is known before a provider is
 * asked and once it is over, and what of it may be in a log.
 */
import type { Log } from '../base/log.ts';
import { sumOf, type TokenUsage, totalTokens, type Usage } from '../base/token-usage.ts';
import {
  costNanoUsd,
  type Deployment,
  type Model,
  type PricesInEffect,
  priceAt,
} from '../catalogue/index.ts';
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
import type { GatewayServices } from './services.ts';

interface PricedRequest {
  readonly arrivedAtMs: number;
  readonly opening: { readonly model: Model } | undefined;
  readonly candidate: Candidate | undefined;
}

const noPrices = {};

/** An answer that broke off, and that another one went on with. */
interface BrokenOff {
  readonly usage: TokenUsage;
  readonly costNanoUsd: bigint;
  readonly versionId: number | null;
}

/** What one request pays by, and what that comes to: found once, and asked for the headers and again for the charge. */
export class RequestPrices {
  readonly #request: PricedRequest;
  #costed: Usage | undefined;
  #costNanoUsd = 0n;
  #pricedFor: Candidate | undefined;
  #prices: PricesInEffect | null | undefined;
  #brokenOff: BrokenOff | undefined;
  /** One version's prices of the sum are what both answers cost. */
  #isOneSum = false;

  constructor(request: PricedRequest) {
    this.#request = request;
  }

  /** The prices of its start, where it is served; null where there are none. */
  current(): PricesInEffect | null {
    const { opening, candidate, arrivedAtMs } = this.#request;
    if (opening === undefined) return null;
    if (this.#prices === undefined || this.#pricedFor !== candidate) {
      this.#pricedFor = candidate;
      this.#prices = priceAt(opening.model, candidate?.deployment ?? null, arrivedAtMs);
    }
    return this.#prices;
  }

  /** By which the counts of the whole request come to its cost; null where no one version does. */
  versionId(): number | null {
    return this.#brokenOff === undefined || this.#isOneSum ? (this.current()?.id ?? null) : null;
  }

  /** From now on another answer goes on, at its own prices. @param paidBy where this one was served. */
  brokeOff(usage: TokenUsage, paidBy: PricesInEffect | null): void {
    const cost = costNanoUsd(paidBy?.prices ?? noPrices, usage);
    this.#brokenOff = { usage, costNanoUsd: cost, versionId: paidBy?.id ?? null };
    this.#costed = undefined;
  }

  /** With what an answer took that broke off before. */
  totalOf(usage: Usage): Usage {
    return this.#brokenOff === undefined ? usage : sumOf(this.#brokenOff.usage, usage);
  }

  /** Each answer at its own prices. @param usage of the last one. */
  costOf(usage: Usage): bigint {
    if (this.#costed !== usage) {
      this.#costed = usage;
      const version = this.current();
      const cost = costNanoUsd(version?.prices ?? noPrices, usage);
      this.#costNanoUsd = this.#brokenOff === undefined ? cost : this.#sum(cost, usage, version);
    }
    return this.#costNanoUsd;
  }

  /** Rounded once where that is the same: a long prompt can cost more for each token, which two shorter ones do not. */
  #sum(cost: bigint, usage: Usage, version: PricesInEffect | null): bigint {
    const { costNanoUsd: before = 0n, versionId = null } = this.#brokenOff ?? {};
    const apart = before + cost;
    if (version === null || versionId !== version.id) return apart;
    const together = costNanoUsd(version.prices, this.totalOf(usage));
    this.#isOneSum = together >= apart - 1n && together <= apart + 1n;
    return this.#isOneSum ? together : apart;
  }
}

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

/** @param deployment who is asked first. */
function openedRequest(
  { requestId, arrivedAtMs, endpoint, labels }: RecordedRequest,
  { caller, model, streamed }: Opening,
  deployment: Deployment,
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
    provider: deployment.provider.name,
    upstreamModel: deployment.upstreamId,
    streamed,
    exempt: caller.billingExempt,
    labels,
  };
}

interface Settled {
  readonly status: number;
  readonly outcome: UsageOutcome;
  readonly errorCode: string | undefined;
  readonly opening: Opening;
  readonly usage: Usage;
  readonly costNanoUsd: bigint;
  readonly chargedNanoUsd: bigint;
  /** Until the client had all, or left. */
  readonly durationMs: number;
}

export function recordOf(facts: RecordedRequest, end: Settled): UsageRecord {
  const { usage, opening } = end;
  const { caller } = opening;
  const { spentOfBudgets: budgets } = opening.admission;
  const deployment = facts.candidate?.deployment;
  // Written out, also what an opened request has: what is spread is copied by name, with each request.
  return {
    requestId: facts.requestId,
    startedAt: new Date(facts.arrivedAtMs),
    keyId: caller.keyId,
    userId: caller.userId,
    payerId: caller.payerId,
    organisationId: caller.organisationId,
    departmentId: caller.departmentId,
    projectId: caller.projectId,
    endpoint: facts.endpoint,
    model: opening.model.publicId,
    provider: deployment?.provider.name ?? null,
    upstreamModel: deployment?.upstreamId ?? null,
    streamed: opening.streamed,
    exempt: caller.billingExempt,
    labels: facts.labels,
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
    extras: usage.extras,
    costNanoUsd: end.costNanoUsd,
    chargedNanoUsd: end.chargedNanoUsd,
    durationMs: rounded(end.durationMs),
    firstByteMs: facts.firstByteMs === null ? null : rounded(facts.firstByteMs),
    overheadMs: rounded(facts.overheadMs()),
    budgets: budgets.length === 0 ? undefined : budgets,
    secretNumber: caller.secretNumber ?? undefined,
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

/**
 * The log line of a request that is paid for: what its record says, as far as it may be in a log.
 * @param leftOut what the request was asked without, because it has no price.
 */
export function logRecord(log: Log, record: UsageRecord, leftOut: string | undefined): void {
  const { provider, errorCode } = record;
  log.info('request', {
    requestId: record.requestId,
    path: record.endpoint,
    status: record.status,
    outcome: record.outcome,
    keyId: record.keyId,
    model: record.model,
    streamed: record.streamed,
    attempts: record.attempts.length,
    inputTokens: totalTokens(record) - record.outputTokens,
    outputTokens: record.outputTokens,
    durationMs: record.durationMs,
    overheadMs: record.overheadMs,
    ...(provider === null ? undefined : { provider }),
    ...(errorCode === null ? undefined : { errorCode }),
    ...(leftOut === undefined ? undefined : { leftOut }),
  });
}
