/**
 * What each credential may be asked: requests at once and requests a minute, as its settings say. A process lets its
 * share through: with a shared Redis the limit divided by the processes there are, at least one.
 */
import type { Clock } from '../base/clock.ts';
import type { Credential } from '../catalogue/index.ts';

const minuteMs = 60_000;

/** When the last requests went out, so many as a minute may have. */
class LastMinute {
  readonly #times: Float64Array;
  #at = 0;

  constructor(most: number, before: LastMinute | undefined, nowMs: number) {
    this.#times = new Float64Array(most).fill(Number.NEGATIVE_INFINITY);
    for (const timeMs of before?.newest(most, nowMs) ?? []) this.add(timeMs);
  }

  get most(): number {
    return this.#times.length;
  }

  /** @returns 0 where there is room. */
  waitMs(nowMs: number): number {
    return Math.max(0, (this.#times[this.#at] ?? 0) + minuteMs - nowMs);
  }

  add(nowMs: number): void {
    this.#times[this.#at] = nowMs;
    this.#at = (this.#at + 1) % this.#times.length;
  }

  /** Of the last minute, the oldest of them first. */
  newest(most: number, nowMs: number): readonly number[] {
    const inOrder = [...this.#times.subarray(this.#at), ...this.#times.subarray(0, this.#at)];
    return inOrder.filter((timeMs) => timeMs > nowMs - minuteMs).slice(-most);
  }
}

export class CredentialLimits {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #readProcesses: () => number;
  /** By the credential's id, of those that have a limit a minute. */
  readonly #minutes = new Map<number, LastMinute>();

  constructor(clock: Pick<Clock, 'monotonicMs'>, readProcesses: () => number) {
    this.#clock = clock;
    this.#readProcesses = readProcesses;
  }

  /** @returns until it may be asked again; 0 where it may be now, infinite where nobody knows, as too many are under way. */
  waitMs({ id, maxConcurrent, requestsPerMinute }: Credential, underWay: number): number {
    if (maxConcurrent != null && underWay >= this.#shareOf(maxConcurrent)) return Number.POSITIVE_INFINITY;
    if (requestsPerMinute == null) return 0;
    return this.#minuteOf(id, requestsPerMinute).waitMs(this.#clock.monotonicMs());
  }

  /** @param pauseMs after which it is asked. */
  asked({ id, requestsPerMinute }: Credential, pauseMs: number): void {
    if (requestsPerMinute == null) return;
    this.#minuteOf(id, requestsPerMinute).add(this.#clock.monotonicMs() + pauseMs);
  }

  #minuteOf(id: number, requestsPerMinute: number): LastMinute {
    const most = this.#shareOf(requestsPerMinute);
    const known = this.#minutes.get(id);
    if (known?.most === most) return known;
    const minute = new LastMinute(most, known, this.#clock.monotonicMs());
    this.#minutes.set(id, minute);
    return minute;
  }

  #shareOf(limit: number): number {
    return Math.max(1, Math.floor(limit / this.#readProcesses()));
  }
}

export const isLimited = (credential: Credential | null): credential is Credential =>
  credential !== null && (credential.maxConcurrent != null || credential.requestsPerMinute != null);
