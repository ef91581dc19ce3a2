/** The system's clock, which a test can make leap ahead: what was due in the time that is skipped happens at once. */
import { type Clock, sleepBy, systemClock, type Timer } from '../../src/base/clock.ts';

interface Waiting {
  readonly dueMs: number;
  readonly fire: () => void;
}

export class LeapingClock implements Clock {
  #leaptMs = 0;
  readonly #waiting = new Set<Waiting>();

  nowMs = (): number => systemClock.nowMs() + this.#leaptMs;

  monotonicMs = (): number => systemClock.monotonicMs() + this.#leaptMs;

  after = (delayMs: number, run: () => void): Timer => {
    const end = () => {
      this.#waiting.delete(waiting);
      timer.cancel();
    };
    const waiting: Waiting = {
      dueMs: this.monotonicMs() + delayMs,
      fire() {
        end();
        run();
      },
    };
    const timer = systemClock.after(delayMs, waiting.fire);
    this.#waiting.add(waiting);
    return { cancel: end };
  };

  sleep = (delayMs: number, signal?: AbortSignal): Promise<void> => sleepBy(this, delayMs, signal);

  /** Timers that a fired one sets begin after the leap. */
  leap(ms: number): void {
    this.#leaptMs += ms;
    const nowMs = this.monotonicMs();
    const due = [...this.#waiting].filter(({ dueMs }) => dueMs <= nowMs);
    for (const { fire } of due.sort((one, other) => one.dueMs - other.dueMs)) fire();
  }
}
