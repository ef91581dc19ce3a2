/** What is known of one request to the gateway, from its arrival to its last byte. What ends it is settle-request.ts. */
import type { Clock } from '../base/clock.ts';
import type { Usage } from '../base/token-usage.ts';
import { costNanoUsd, type Model } from '../catalogue/index.ts';
import type { Caller } from '../identity/index.ts';
import type { Admission } from '../ledger/index.ts';
import type { Ticket } from '../limits/index.ts';
import type { Candidate } from '../routing/index.ts';
import type { AttemptRecord } from '../usage/index.ts';

/** What is decided of a request that is paid for, before the first provider is called. */
export interface Opening {
  readonly caller: Caller;
  readonly model: Model;
  readonly admission: Admission;
  readonly streamed: boolean;
}

export class RequestFacts {
  readonly requestId: string;
  /** The endpoint's path, as metrics and usage rows name it. */
  readonly endpoint: string;
  readonly arrivedAtMs: number;
  readonly #clock: Clock;
  readonly #arrivedMonotonicMs: number;
  /** What `auto` became; undefined when the caller named a model. */
  autoroutedModel: string | undefined;
  /** Undefined while it is not certain, or for good when nothing is paid. */
  opening: Opening | undefined;
  /** The limiter's; also of a request that is not paid for. */
  ticket: Ticket | undefined;
  /** Who was asked last. */
  candidate: Candidate | undefined;
  readonly attempts: AttemptRecord[] = [];
  firstByteMs: number | null = null;
  isSettled = false;
  #waitingSinceMs = -1;
  #upstreamWaitMs = 0;
  #overheadMs = -1;
  #costed: Usage | undefined;
  #costNanoUsd = 0n;

  constructor(endpoint: string, { requestId, clock }: { requestId: string; clock: Clock }) {
    this.endpoint = endpoint;
    this.requestId = requestId;
    this.#clock = clock;
    this.arrivedAtMs = clock.nowMs();
    this.#arrivedMonotonicMs = clock.monotonicMs();
  }

  /** From now on a provider is waited for. */
  waits(): void {
    this.#waitingSinceMs = this.#clock.monotonicMs();
  }

  /** A provider was tried; the gateway's own time runs again. */
  tried(candidate: Candidate, attempt: AttemptRecord | null): void {
    const waitedMs = this.stopWaiting();
    // It turned out that the candidate could not take the request at all.
    if (attempt === null) return;
    this.candidate = candidate;
    this.attempts.push(attempt);
    if (attempt.errorCode === null) this.firstByteMs = waitedMs;
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

  /** Asked for the answer's headers and again for the charge. */
  costOf(usage: Usage): bigint {
    if (this.#costed !== usage) {
      this.#costed = usage;
      this.#costNanoUsd = costNanoUsd(this.opening?.model.prices ?? {}, usage);
    }
    return this.#costNanoUsd;
  }
}
