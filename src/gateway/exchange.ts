/**
 * One request from its arrival to its last byte: what is known of it so far, and the one place where it ends. Ending
 * gives the limiter its ticket back, charges the wallet, queues the usage record and writes the log line, once.
 */
import { noUnits, noUsage, type TokenUsage, type Usage } from '../base/token-usage.ts';
import { costNanoUsd, type Model } from '../catalogue/index.ts';
import type { Caller } from '../identity/index.ts';
import type { Admission } from '../ledger/index.ts';
import type { Ticket } from '../limits/index.ts';
import type { ModelFacts } from '../protocols/turn/request.ts';
import type { Candidate } from '../routing/index.ts';
import type { AttemptRecord, UsageOutcome, UsageRecord } from '../usage/index.ts';
import type { GatewayServices } from './services.ts';

export interface ExchangeEnd {
  readonly status: number;
  readonly outcome: UsageOutcome;
  readonly usage?: Usage;
  readonly errorCode?: string;
}

/** What is settled before the first provider is called. */
export interface ExchangeOpening {
  readonly caller: Caller;
  readonly model: Model;
  readonly admission: Admission;
  readonly ticket: Ticket;
  readonly streamed: boolean;
}

export class Exchange {
  readonly requestId: string;
  readonly endpoint: string;
  readonly #services: GatewayServices;
  readonly #arrivedAtMs: number;
  readonly #arrivedMonotonicMs: number;
  /** What `auto` became; undefined when the caller named a model. */
  autoroutedModel: string | undefined;
  #opening: ExchangeOpening | undefined;
  #ticket: Ticket | undefined;
  #candidate: Candidate | undefined;
  readonly #attempts: AttemptRecord[] = [];
  #waitingSinceMs: number | undefined;
  #upstreamWaitMs = 0;
  #overheadMs: number | undefined;
  #firstByteMs: number | null = null;
  #isEnded = false;

  constructor(endpoint: string, services: GatewayServices) {
    this.endpoint = endpoint;
    this.#services = services;
    this.requestId = services.ids.requestId();
    this.#arrivedAtMs = services.clock.nowMs();
    this.#arrivedMonotonicMs = services.clock.monotonicMs();
    services.metrics.began();
  }

  open(opening: ExchangeOpening): void {
    this.#opening = opening;
  }

  /** The gateway chose the model for the caller, who is told in the answer's headers. */
  routedTo(model: Model): void {
    this.autoroutedModel = model.publicId;
  }

  /** Before the request is opened, or of one that costs nothing and never is. */
  limitedBy(ticket: Ticket): void {
    this.#ticket = ticket;
  }

  get ticket(): Ticket | undefined {
    return this.#opening?.ticket ?? this.#ticket;
  }

  get providerName(): string | undefined {
    return this.#candidate?.deployment.provider.name;
  }

  callsUpstream(): void {
    this.#waitingSinceMs = this.#services.clock.monotonicMs();
  }

  /** The upstream answered with content, or failed; the gateway's own time runs again. */
  hasUpstream(candidate: Candidate, attempt: AttemptRecord | null): void {
    const waitedMs = this.#stopWaiting();
    // It turned out that the candidate could not take the request at all.
    if (attempt === null) return;
    this.#candidate = candidate;
    this.#attempts.push(attempt);
    if (attempt.errorCode === null) this.#firstByteMs = waitedMs;
  }

  #stopWaiting(): number {
    if (this.#waitingSinceMs === undefined) return 0;
    const waitedMs = this.#services.clock.monotonicMs() - this.#waitingSinceMs;
    this.#waitingSinceMs = undefined;
    this.#upstreamWaitMs += waitedMs;
    return waitedMs;
  }

  /** The gateway's own share of the time so far; fixed at the first call, which is when the answer begins. */
  overheadMs(): number {
    this.#overheadMs ??= Math.max(0, this.#elapsedMs() - this.#upstreamWaitMs);
    return this.#overheadMs;
  }

  /** What a conversion needs to know of the model; what the catalogue does not say is left open. */
  modelFacts(): ModelFacts {
    const model = this.#opening?.model;
    const reasons = model?.capabilities.some(
      (capability) => capability === 'reasoning' || capability === 'thinking',
    );
    return { maxOutputTokens: model?.maxOutputTokens ?? undefined, reasons: reasons || undefined };
  }

  costOf(usage: Usage): bigint {
    return costNanoUsd(this.#opening?.model.prices ?? {}, usage);
  }

  /** @returns false when it had already ended. */
  end(end: ExchangeEnd): boolean {
    if (this.#isEnded) return false;
    this.#isEnded = true;
    this.#stopWaiting();
    this.#services.metrics.ended();
    if (this.#opening === undefined) this.#endRefused(end);
    else this.#endOpened(this.#opening, end);
    return true;
  }

  /** Ends a request that only read something and has nothing to settle. */
  endRead(status: number): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#services.metrics.ended();
    this.#services.log.info('request', {
      requestId: this.requestId,
      path: this.endpoint,
      status,
      durationMs: rounded(this.#elapsedMs()),
    });
  }

  #endRefused(end: ExchangeEnd): void {
    this.#ticket?.close(0);
    this.#services.metrics.refused(this.endpoint, end.errorCode ?? 'none');
    this.#services.log.info('request refused', {
      requestId: this.requestId,
      path: this.endpoint,
      status: end.status,
      durationMs: rounded(this.#elapsedMs()),
      ...(end.errorCode === undefined ? {} : { errorCode: end.errorCode }),
    });
  }

  #endOpened(opening: ExchangeOpening, end: ExchangeEnd): void {
    const { caller, model, admission, ticket } = opening;
    const usage = end.usage ?? noUsage;
    const cost = this.costOf(usage);
    const charged = admission.settle(cost);
    ticket.close(totalTokens(usage));
    const timing = {
      durationMs: rounded(this.#elapsedMs()),
      firstByteMs: this.#firstByteMs === null ? null : rounded(this.#firstByteMs),
      overheadMs: rounded(this.overheadMs()),
    };
    const record: UsageRecord = {
      requestId: this.requestId,
      startedAt: new Date(this.#arrivedAtMs),
      keyId: caller.keyId,
      userId: caller.userId,
      payerId: caller.payerId,
      endpoint: this.endpoint,
      model: model.publicId,
      provider: this.providerName ?? null,
      upstreamModel: this.#candidate?.deployment.upstreamId ?? null,
      streamed: opening.streamed,
      status: end.status,
      outcome: end.outcome,
      errorCode: end.errorCode ?? null,
      attempts: this.#attempts,
      ...noUnits,
      ...usage,
      costNanoUsd: cost,
      chargedNanoUsd: charged,
      ...timing,
    };
    this.#services.settlement.add(record);
    this.#services.metrics.record(record);
    this.#logEnd(opening, end, usage);
  }

  #logEnd(opening: ExchangeOpening, end: ExchangeEnd, usage: TokenUsage): void {
    this.#services.log.info('request', {
      requestId: this.requestId,
      path: this.endpoint,
      status: end.status,
      outcome: end.outcome,
      keyId: opening.caller.keyId,
      model: opening.model.publicId,
      streamed: opening.streamed,
      attempts: this.#attempts.length,
      inputTokens: totalTokens(usage) - usage.outputTokens,
      outputTokens: usage.outputTokens,
      durationMs: rounded(this.#elapsedMs()),
      overheadMs: rounded(this.overheadMs()),
      ...(this.providerName === undefined ? {} : { provider: this.providerName }),
      ...(end.errorCode === undefined ? {} : { errorCode: end.errorCode }),
    });
  }

  #elapsedMs(): number {
    return this.#services.clock.monotonicMs() - this.#arrivedMonotonicMs;
  }
}

function totalTokens(usage: TokenUsage): number {
  return (
    usage.inputTokens +
    usage.cacheReadTokens +
    usage.cacheWrite5mTokens +
    usage.cacheWrite1hTokens +
    usage.outputTokens
  );
}

/** To the microsecond: finer is noise. */
const rounded = (ms: number): number => Math.round(ms * 1000) / 1000;
