/** Clocks for tests: time stands still until the test moves it, and timers fire as it passes them. */
import { type Clock, sleepBy, type Timer } from '../clock.ts';

interface Waiting {
  readonly dueMs: number;
  readonly run: () => void;
}

/** Timers fire in the order of their times, and, for the same time, in the order in which they were set. */
export class ManualClock implements Clock {
  #nowMs: number;
  readonly #epochMs: number;
  readonly #waiting = new Set<Waiting>();

  constructor(nowMs = Date.UTC(2030, 0, 1)) {
    this.#nowMs = nowMs;
    this.#epochMs = nowMs;
  }

  nowMs = (): number => this.#nowMs;

  monotonicMs = (): number => this.#nowMs - this.#epochMs;

  after = (delayMs: number, run: () => void): Timer => {
    const waiting = { dueMs: this.#nowMs + Math.max(0, delayMs), run };
    this.#waiting.add(waiting);
    return { cancel: () => void this.#waiting.delete(waiting) };
  };

  sleep = (delayMs: number, signal?: AbortSignal): Promise<void> => sleepBy(this, delayMs, signal);

  /** Timers that have neither fired nor been cancelled. */
  get pendingTimers(): number {
    return this.#waiting.size;
  }

  /** Lets `ms` pass: fires each timer at its time, and lets what it set going run before the next one. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    await settle();
    for (let next = this.#nextDue(untilMs); next !== undefined; next = this.#nextDue(untilMs)) {
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      this.#waiting.delete(next);
      next.run();
      await settle();
    }
    this.#nowMs = untilMs;
  }

  #nextDue(untilMs: number): Waiting | undefined {
    let next: Waiting | undefined;
    for (const each of this.#waiting) {
      if (each.dueMs <= untilMs && (next === undefined || each.dueMs < next.dueMs)) next = each;
    }
    return next;
  }
}

/** A clock that shows what `readMs` says, and on which no timer ever fires. */
export function clockShowing(readMs: () => number): Clock {
  const never: Timer = { cancel: () => undefined };
  const { promise: forever } = Promise.withResolvers<void>();
  return { nowMs: readMs, monotonicMs: readMs, after: () => never, sleep: () => forever };
}

/** A turn of the event loop, in which promises that are ready go on. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
