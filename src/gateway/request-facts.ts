/**
 * One request to the gateway, from its arrival to its last byte: where it begins, what is known of it meanwhile, and
 * where it ends, once, whoever ends it. Ending gives the limiter its ticket back, charges the wallet, queues the usage
 * record and writes the log line.
 */
import { type ByteBudget, HeldBytes } from '../base/byte-budget.ts';
import type { Clock } from '../base/clock.ts';
import { type AppError, describeThrown } from '../base/errors.ts';
import { noUsage, totalTokens, type Usage } from '../base/token-usage.ts';
import type { Model } from '../catalogue/index.ts';
import type { Admission } from '../ledger/index.ts';
import type { Ticket } from '../limits/index.ts';
import type { Candidate, Route } from '../routing/index.ts';
import type { AttemptRecord, RequestLabels, UsageOutcome } from '../usage/index.ts';
import { withReason } from './decision.ts';
import { type ChargedUsage, countLater, UncountedUsage } from './estimate.ts';
import type { GatewayServices } from './services.ts';
import type { HeldState, RequestSession } from './session.ts';
import type { Waiting } from './unanswered.ts';
import { logRecord, type Opening, RequestPrices, recordOf, rounded } from './usage-record.ts';

/** Every request that is begun must be settled. */
export function beginRequest(
  endpoint: string,
  { ids, clock, metrics, bodies }: GatewayServices,
): RequestFacts {
  metrics.began();
  return new RequestFacts(endpoint, { requestId: ids.requestId(), clock, bodies });
}

interface OwedUsage {
  /** With what the provider was asked last, where it has that. */
  readonly asked: () => ChargedUsage;
  /** Where it has not: for what it did before. */
  readonly done: () => ChargedUsage | undefined;
}

export class RequestFacts {
  readonly requestId: string;
  /** The endpoint's path, as metrics and usage rows name it. */
  readonly endpoint: string;
  readonly arrivedAtMs: number;
  /** What came in; undefined for what reached no endpoint. */
  http: Request | undefined;
  /** The bytes of its body that are kept, of the process's budget. */
  readonly held: HeldBytes;
  readonly #clock: Clock;
  readonly #arrivedMonotonicMs: number;
  /** What `auto` became; undefined when the caller named a model. */
  autoroutedModel: string | undefined;
  /** Which kind of state at an upstream binds the request to the account that has it. */
  heldBy: HeldState['kind'] | undefined;
  /** The one that was asked for, even where it is passed over. */
  firstModel: Model | undefined;
  /** Another than the one that was asked for first, from the caller's list. */
  fallbackModel: string | undefined;
  /** Names what was left out of the request because the model has no price for it. */
  leftOut: string | undefined;
  /** What its client said of it. */
  labels: RequestLabels | undefined;
  /** Undefined while it is not certain, or for good when nothing is paid. */
  opening: Opening | undefined;
  /** The wallet's, from the door on: the request may still be refused. */
  admission: Admission | undefined;
  /** What the wallet said to a caller who may still ask for something free. */
  penniless: AppError | undefined;
  /** The limiter's; also of a request that is not paid for. */
  ticket: Ticket | undefined;
  /** Which conversation it belongs to; inferred only where there is more than one provider to choose from. */
  session: RequestSession | null = null;
  /** Of a request that is paid for, from when providers may be asked. */
  waiting: Waiting | undefined;
  /** Its way through those who can serve it; undefined before anybody may be asked. */
  route: Route | undefined;
  /** Who is no candidate and why, for who asks. */
  filtered: readonly object[] | undefined;
  /** Who was asked last. */
  candidate: Candidate | undefined;
  readonly attempts: AttemptRecord[] = [];
  firstByteMs: number | null = null;
  isSettled = false;
  /** Of an answer that is not streamed. */
  wholeBody: string | undefined;
  /** What a client pays that leaves now; null while no provider was asked. */
  owes: OwedUsage | null = null;
  #stopLingering: (() => void) | undefined;
  #waitingSinceMs = -1;
  #upstreamWaitMs = 0;
  /** Before the attempt that is under way. */
  #pausedMs = 0;
  #overheadMs = -1;
  readonly prices = new RequestPrices(this);

  constructor(
    endpoint: string,
    { requestId, clock, bodies }: { requestId: string; clock: Clock; bodies: ByteBudget },
  ) {
    this.endpoint = endpoint;
    this.requestId = requestId;
    this.held = HeldBytes.ofRequest(bodies);
    this.#clock = clock;
    this.arrivedAtMs = clock.nowMs();
    this.#arrivedMonotonicMs = clock.monotonicMs();
  }

  /** The model that is asked next is the one that answers, is paid for and is written down. */
  goesTo({ model, leftOut }: { readonly model: Model; readonly leftOut: string | undefined }): void {
    this.leftOut = leftOut;
    const { firstModel = model, opening } = this;
    this.fallbackModel = model === firstModel ? undefined : model.publicId;
    if (opening !== undefined && opening.model !== model) this.opening = { ...opening, model };
  }

  /** From now on a provider is waited for. */
  waits(): void {
    this.#waitingSinceMs = this.#clock.monotonicMs();
  }

  /** A pause before a provider is asked again waits for the provider, and is none of the gateway's own time. */
  async pauses(pause: () => Promise<void>): Promise<void> {
    this.waits();
    await pause();
    this.#pausedMs += this.stopWaiting();
  }

  /** A provider was tried; the gateway's own time runs again. */
  tried(candidate: Candidate, attempt: AttemptRecord | null, route?: Route): void {
    const waitedMs = this.stopWaiting();
    // It turned out that the candidate could not take the request at all.
    if (attempt === null) return;
    this.candidate = candidate;
    const told = this.#withPause(
      this.fallbackModel === undefined ? attempt : { ...attempt, model: this.fallbackModel },
    );
    this.attempts.push(route === undefined ? told : withReason(told, route, this.attempts));
    if (attempt.errorCode === null) this.firstByteMs = waitedMs;
  }

  #withPause(attempt: AttemptRecord): AttemptRecord {
    if (this.#pausedMs === 0) return attempt;
    const pausedMs = rounded(this.#pausedMs);
    this.#pausedMs = 0;
    return { ...attempt, pausedMs };
  }

  /** Who was asked last had begun to answer, and broke off: another one goes on. */
  brokeOff(errorCode: string): void {
    const last = this.attempts.pop();
    if (last !== undefined) this.attempts.push({ ...last, errorCode });
  }

  /** The client has gone and its request goes on, until it is settled. @param stopped to be called then. */
  lingers(stopped: () => void): void {
    this.#stopLingering = stopped;
  }

  stopLingering(): void {
    this.#stopLingering?.();
    this.#stopLingering = undefined;
  }

  stopWaiting(): number {
    if (this.#waitingSinceMs < 0) return 0;
    const waitedMs = this.#clock.monotonicMs() - this.#waitingSinceMs;
    this.#waitingSinceMs = -1;
    this.#upstreamWaitMs += waitedMs;
    return waitedMs;
  }

  /** The gateway's own share of the time so far; fixed at the first call, which is when the answer begins. */
  overheadMs(): number {
    if (this.#overheadMs < 0) this.#overheadMs = Math.max(0, this.elapsedMs() - this.#upstreamWaitMs);
    return this.#overheadMs;
  }

  elapsedMs(): number {
    return this.#clock.monotonicMs() - this.#arrivedMonotonicMs;
  }
}

export interface RequestEnd {
  readonly status: number;
  readonly outcome: UsageOutcome;
  readonly usage?: ChargedUsage;
  readonly errorCode?: string;
}

/**
 * Never throws: whoever ends a request has nobody left to tell, and what it held must be given back whatever happens.
 * @returns false when it had already been settled.
 */
export function settleRequest(facts: RequestFacts, end: RequestEnd, services: GatewayServices): boolean {
  if (facts.isSettled) return false;
  facts.isSettled = true;
  facts.stopWaiting();
  services.metrics.ended();
  facts.route?.ended(end.errorCode ?? (end.outcome === 'complete' ? undefined : end.outcome));
  const { opening, http } = facts;
  const { usage } = end;
  try {
    if (http !== undefined) services.connections.release(http);
    if (opening !== undefined && usage instanceof UncountedUsage) {
      settleCounted(facts, usage, { ...end, opening }, services);
    } else {
      facts.held.giveBack();
      if (opening === undefined || usage instanceof UncountedUsage) settleUnpaid(facts, end, services);
      else settlePaid(facts, { ...end, usage, opening, durationMs: facts.elapsedMs() }, services);
    }
  } catch (thrown) {
    giveUp(facts, thrown, services);
  }
  facts.stopLingering();
  return true;
}

/** Nothing of the request may stay open, whatever went wrong. */
function giveUp(facts: RequestFacts, thrown: unknown, { log, settlement }: GatewayServices): void {
  facts.held.giveBack();
  facts.ticket?.close(0);
  facts.admission?.release();
  const { requestId, endpoint: path } = facts;
  settlement.forget(requestId);
  log.error('a request could not be settled', { requestId, path, detail: describeThrown(thrown) });
}

/** The text is held until it has been counted. */
function settleCounted(
  facts: RequestFacts,
  uncounted: UncountedUsage,
  end: Omit<RequestEnd, 'usage'> & { readonly opening: Opening },
  services: GatewayServices,
): void {
  const durationMs = facts.elapsedMs();
  countLater(uncounted, services, (usage) => {
    facts.held.giveBack();
    try {
      settlePaid(facts, { ...end, usage, durationMs }, services);
    } catch (thrown) {
      giveUp(facts, thrown, services);
    }
  });
}

/** It was refused, or only read something. */
function settleUnpaid(facts: RequestFacts, end: RequestEnd, { metrics, log }: GatewayServices): void {
  const { requestId, endpoint: path } = facts;
  const told = { requestId, path, status: end.status, durationMs: rounded(facts.elapsedMs()) };
  facts.ticket?.close(0);
  facts.admission?.release();
  if (end.outcome === 'complete') {
    log.info('request', told);
    return;
  }
  metrics.refused(path, end.errorCode ?? 'none');
  log.info('request refused', end.errorCode === undefined ? told : { ...told, errorCode: end.errorCode });
}

interface PaidEnd extends Omit<RequestEnd, 'usage'> {
  readonly usage?: Usage | undefined;
  readonly opening: Opening;
  /** Until the client had all, or left. */
  readonly durationMs: number;
}

function settlePaid(facts: RequestFacts, end: PaidEnd, services: GatewayServices): void {
  const { opening, status, outcome, errorCode, durationMs } = end;
  const { settlement, metrics, log } = services;
  const own: Usage = end.usage ?? noUsage;
  const costNanoUsd = facts.prices.costOf(own);
  const usage = facts.prices.totalOf(own);
  const charged = opening.admission.settle(costNanoUsd);
  facts.ticket?.close(totalTokens(usage));
  const paidFor = (chargedNanoUsd: bigint) => {
    const end = { opening, status, outcome, errorCode, usage, costNanoUsd, chargedNanoUsd, durationMs };
    const record = recordOf(facts, end);
    settlement.add(record);
    metrics.record(record);
    logRecord(log, record, facts.leftOut);
  };
  if (!(charged instanceof Promise)) {
    paidFor(charged);
    return;
  }
  // It cost more than was set aside, and the rest is being asked for.
  const paid = settlement.owe(() => undefined);
  void charged
    .then(paidFor)
    .catch((thrown: unknown) => giveUp(facts, thrown, services))
    .finally(paid);
}
