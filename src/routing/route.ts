/** The way of one request through its candidates: who is asked next, after which pause, and when nobody is any more. */
import { AppError } from '../base/errors.ts';
import type { Model } from '../catalogue/index.ts';
import type { Candidate } from './candidates.ts';
import { nothingProbed, type Probe, type Trouble } from './circuit.ts';
import { FailedAlike } from './failed-alike.ts';
import { longestPauseMs, type Retry, type UpstreamFailure } from './failure.ts';
import type { Failing } from './health.ts';
import { tellRotated } from './pool-events.ts';
import {
  type AskedFor,
  allFull,
  brokenOff,
  findLarger,
  lastResorts,
  type Passed,
  type PassedFor,
  stillFailing,
} from './reasons.ts';
import type { RouteParts, Way } from './route-parts.ts';

/** Of those that an upstream is to blame for; a credential that is refused at once has a successor at once. */
const mostAttempts = 6;
/** Nobody begins to answer in less. */
const leastContentMs = 1000;

export class Route {
  readonly #parts: RouteParts;
  readonly #models: readonly [Model, ...Model[]];
  /** In the order in which they are asked. */
  readonly order: readonly Candidate[];
  readonly #session: string | undefined;
  readonly #wanted: Candidate | undefined;
  readonly #isDry: boolean;
  #beganAtMs: number;
  #at = -1;
  #candidate: Candidate | null = null;
  #askedAtMs = 0;
  #attempts = 0;
  #countedAttempts = 0;
  #pauseMs = 0;
  #isRetry = false;
  #isUnderWay = false;
  #hasAnswered = false;
  #isRescue = false;
  #probed: Probe = nothingProbed;
  /** Asked only where nobody else is left. */
  #passed: Passed[] | null = null;
  /** Of those that were left out, who is still to be asked. */
  #left: Passed[] | null = null;
  #failedAlike: FailedAlike | null = null;
  #refusal: AppError | null = null;
  #refusedForMs = Number.POSITIVE_INFINITY;

  constructor(parts: RouteParts, { order, models, session, wanted, isDry = false }: Way) {
    this.#parts = parts;
    this.#models = models;
    this.order = order;
    this.#session = session;
    this.#wanted = wanted;
    this.#isDry = isDry;
    this.#beganAtMs = parts.clock.monotonicMs();
    if (!isDry) parts.budget.deposit();
    this.#moveOn();
  }

  /** Who is asked now; null where nobody is. */
  get candidate(): Candidate | null {
    return this.#candidate;
  }

  /** Before that. */
  get pauseMs(): number {
    return this.#pauseMs;
  }

  /** Waits for that long, or until the signal is aborted; at once where there is no pause. */
  async pause(signal: AbortSignal): Promise<void> {
    if (this.#pauseMs > 0) await this.#parts.pause(this.#pauseMs, signal);
  }

  /** The same one was asked before, on a connection that may have been what failed. */
  get isRetry(): boolean {
    return this.#isRetry;
  }

  /** Nobody else could be asked should this one be silent. */
  get isLast(): boolean {
    const { order } = this;
    for (let at = this.#at + 1; at < order.length; at += 1) {
      const other = order[at];
      if (other === undefined || other.deployment === this.#candidate?.deployment) continue;
      if (this.#failedAlike?.has(other) !== true && this.#parts.health.troubleOf(other)?.isHopeless !== true)
        return false;
    }
    return true;
  }

  /** Of the first content; undefined for the first candidate, which has its own time. */
  get contentWithinMs(): number | undefined {
    return this.#attempts <= 1 ? undefined : Math.max(leastContentMs, this.#remainingMs());
  }

  /** Why the one is asked who is asked now. */
  get why(): AskedFor {
    if (this.#isRescue) return 'rescued';
    if (this.#isRetry) return 'retried';
    if (this.#left !== null) return 'last_resort';
    if (this.#attempts > 1) return 'failed_over';
    if (this.#wanted !== undefined && this.#candidate === this.#wanted) return 'session';
    if (this.#passed !== null) return 'spared_others';
    if (this.order.length === 1) return 'only';
    return this.#candidate?.pool == null ? 'first' : 'turn';
  }

  /** Whether the conversation stays where it was: null where it was nowhere. */
  get isKept(): boolean | null {
    return this.#wanted === undefined ? null : this.#wanted === this.#candidate;
  }

  /** Those that were left out so far, in the order in which that happened. */
  get passed(): readonly Passed[] {
    return this.#passed ?? nothing;
  }

  /** Why nobody is asked at all. */
  get refusal(): AppError {
    return (
      this.#refusal ?? new AppError({ code: 'no_provider', public: 'No provider can serve this model.' })
    );
  }

  /** The candidate shows its first content, or its whole answer. It stays under way until `ended`. */
  answered(): void {
    const { health, latencies } = this.#parts;
    this.#hasAnswered = true;
    if (this.#candidate !== null) {
      health.answered(this.#candidate, this.#askedAtMs);
      latencies.measured(this.#candidate, Math.max(0, health.nowMs - this.#askedAtMs));
    }
    this.#unprobe();
  }

  /** The request is over, or its client has gone. @param errorCode of what broke off an answer that had begun. */
  ended(errorCode?: string): void {
    if (!this.#isUnderWay) return;
    if (errorCode === undefined && this.#hasAnswered && this.#candidate !== null) {
      const { health, affinity } = this.#parts;
      const { deployment, names } = this.#candidate;
      health.completed(this.#candidate);
      const session = this.#models[0].deployments.includes(deployment) ? this.#session : undefined;
      if (session !== undefined) affinity.keep(session, names.account);
    }
    this.#end(errorCode?.startsWith('upstream_') === true ? brokenOff(errorCode) : null);
  }

  /** Failed where an answer is no sign of health and nobody else is asked. */
  gaveUp(failure: Failing): void {
    this.#end(failure);
  }

  #end(failure: Failing | null): void {
    const { health, spread, latencies } = this.#parts;
    if (!this.#isUnderWay || this.#candidate === null) return;
    this.#isUnderWay = false;
    spread.ended(this.#candidate);
    latencies.ended(this.#candidate);
    if (failure !== null) health.failed(this.#candidate, failure, this.#askedAtMs);
    this.#unprobe();
  }

  /**
   * An answer broke off whose rest is to be asked for: its time begins anew, and who else is left goes first.
   * @returns whether anybody can be asked.
   */
  brokeOff(failure: UpstreamFailure): boolean {
    this.#beganAtMs = this.#parts.clock.monotonicMs();
    this.#hasAnswered = false;
    this.#isRetry = false;
    this.#isRescue = true;
    return this.failed({ ...failure, retry: failure.retry ?? atLast });
  }

  /** @returns whether somebody is asked next; else the failure is what the caller is told. */
  failed(failure: UpstreamFailure): boolean {
    const failed = this.#candidate;
    this.#end(failure);
    if (failed === null) return false;
    if (failure.blamed === 'deployment' || failure.blamed === 'provider') this.#countedAttempts += 1;
    const { retry, canFailOver, error } = failure;
    if (!canFailOver) return error.code === 'context_length_exceeded' && this.#moveToLarger();
    if (this.#countedAttempts >= mostAttempts || this.#remainingMs() <= 0) return false;
    const mayRetry = retry !== null && !this.#isRetry && this.#parts.spread.waitMs(failed) === 0;
    if (mayRetry && !retry.isLastResort && this.#parts.budget.take()) {
      return this.#ask(failed, 0, true);
    }
    this.#failedAlike ??= new FailedAlike();
    this.#failedAlike.add(failed, failure);
    if (this.#moveOn()) return tellRotated(this.#parts.onEvent, failed, this.#candidate);
    if (!mayRetry || retry.afterMs >= this.#remainingMs() || !this.#parts.budget.take()) return false;
    return this.#ask(failed, retry.afterMs, true);
  }

  /** To the next who is not known to fail; where nobody is left, to who was left out. */
  #moveOn(): boolean {
    while (this.#at < this.order.length) {
      this.#at += 1;
      const candidate = this.order[this.#at];
      if (candidate === undefined) break;
      const why = this.#failedAlike?.has(candidate) === true ? 'failed_alike' : this.#whyNot(candidate);
      if (why === null) return this.#ask(candidate);
      this.#passed ??= [];
      this.#passed.push({ candidate, why });
    }
    return this.#passed !== null && this.#askPassed(this.#passed);
  }

  #whyNot(candidate: Candidate): PassedFor | null {
    const { health, spread } = this.#parts;
    const condition = health.troubleOf(candidate)?.condition ?? 'due';
    if (condition !== 'due' && condition !== 'recovering') return condition;
    if (spread.waitMs(candidate) > 0) return 'full';
    return condition === 'due' || health.takesShare(candidate) ? null : 'recovering';
  }

  /** Who was left out is better than nobody, unless asking is known to be in vain. */
  #askPassed(passed: readonly Passed[]): boolean {
    this.#left ??= passed.toSorted((a, b) => lastResorts.indexOf(a.why) - lastResorts.indexOf(b.why));
    while (true) {
      const next = this.#left.shift();
      if (next === undefined) return false;
      const { candidate, why } = next;
      if (why === 'failed_alike' && this.#failedAlike?.isVain(candidate) === true) continue;
      const trouble = this.#parts.health.troubleOf(candidate);
      // A refused key waits for people: it is asked only where there is nobody else at all.
      if (trouble?.blamed === 'credential' && (this.#attempts > 0 || this.#left.length > 0)) continue;
      const pauseMs = this.#pauseBefore(candidate, trouble);
      if (pauseMs === null) continue;
      if (this.#attempts > 0 && why !== 'recovering' && !this.#parts.budget.take()) return false;
      return this.#ask(candidate, pauseMs);
    }
  }

  #pauseBefore(candidate: Candidate, trouble: Trouble | null): number | null {
    const { health, spread } = this.#parts;
    const fullMs = spread.waitMs(candidate);
    if (fullMs > 0) return this.#pauseFor(fullMs, allFull());
    if (trouble?.isHopeless !== true) return 0;
    const { openUntilMs, error, condition } = trouble;
    const isInVain = error?.code === 'upstream_timeout' || error?.code === 'upstream_quota_spent';
    const mayWait = condition === 'open' && !isInVain;
    return this.#pauseFor(Math.max(0, openUntilMs - health.nowMs), error, mayWait);
  }

  /** @returns null where waiting takes too long, or would be in vain. */
  #pauseFor(pauseMs: number, error: AppError | null, mayWait = true): number | null {
    if (mayWait && pauseMs <= Math.min(longestPauseMs, this.#remainingMs())) return pauseMs;
    if (this.#refusal === null || pauseMs < this.#refusedForMs) {
      this.#refusedForMs = pauseMs;
      this.#refusal = stillFailing(error, pauseMs);
    }
    return null;
  }

  #moveToLarger(): boolean {
    const { next, passed } = findLarger(this.order, this.#at, this.#models, (one) => this.#whyNot(one));
    if (next === undefined || this.#parts.spread.waitMs(next) > 0) return false;
    if (passed.length > 0) this.#passed = [...this.passed, ...passed];
    this.#at = this.order.indexOf(next);
    return this.#ask(next);
  }

  #ask(candidate: Candidate, pauseMs = 0, isRetry = false): true {
    const { health, spread, latencies } = this.#parts;
    this.#candidate = candidate;
    this.#isRetry = isRetry;
    this.#pauseMs = pauseMs;
    this.#attempts += 1;
    if (this.#isDry) return true;
    this.#isUnderWay = true;
    spread.began(candidate, pauseMs);
    latencies.began(candidate);
    this.#probed = health.probe(candidate);
    this.#askedAtMs = health.nowMs + pauseMs;
    return true;
  }

  #unprobe(): void {
    this.#parts.health.unprobe(this.#probed);
    this.#probed = nothingProbed;
  }

  #remainingMs(): number {
    return this.#parts.deadlineMs - (this.#parts.clock.monotonicMs() - this.#beganAtMs);
  }
}

/** Whoever broke off is asked for the rest where nobody else is left. */
const atLast: Retry = { afterMs: 0, isLastResort: true };
const nothing: readonly never[] = [];
