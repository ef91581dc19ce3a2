/**
 * How many further tries all requests together may make at a provider that has just failed: a share of the requests,
 * and a few a second. Without it, who is overloaded would get several times the load when it can bear it least. Going on
 * to a provider that is sound takes nothing of it.
 */
import type { Clock } from '../base/clock.ts';

const shareOfRequests = 0.2;
const perSecond = 10;
const most = 100;

export class RetryBudget {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #left = most;
  #filledAtMs: number;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
    this.#filledAtMs = clock.monotonicMs();
  }

  /** As it was when somebody last took of it, and for requests since. */
  get left(): number {
    return this.#left;
  }

  /** A request begins. */
  deposit(): void {
    this.#left = Math.min(most, this.#left + shareOfRequests);
  }

  /** @returns whether one more try may be made. */
  take(): boolean {
    const nowMs = this.#clock.monotonicMs();
    this.#left = Math.min(most, this.#left + ((nowMs - this.#filledAtMs) / 1000) * perSecond);
    this.#filledAtMs = nowMs;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
