/**
 * Many deadlines on one timer. A request moves its deadline on with each chunk for the price of an assignment,
 * where a timer of its own would be armed and disarmed each time.
 */
import type { Clock, Timer } from './clock.ts';

const tickMs = 50;

export interface Deadline {
  /** Sets it to `afterMs` from now. Late by at most two ticks of 50 ms, never early. */
  extend(afterMs: number): void;
  stop(): void;
}

class TickingDeadline implements Deadline {
  dueTick = Number.POSITIVE_INFINITY;
  readonly #owner: Deadlines;
  readonly onDue: () => void;

  constructor(owner: Deadlines, onDue: () => void) {
    this.#owner = owner;
    this.onDue = onDue;
  }

  extend(afterMs: number): void {
    this.dueTick = this.#owner.tick + Math.ceil(afterMs / tickMs) + 1;
  }

  stop(): void {
    this.#owner.remove(this);
  }
}

export class Deadlines {
  tick = 0;
  readonly #open = new Set<TickingDeadline>();
  readonly #clock: Pick<Clock, 'after' | 'monotonicMs'>;
  /** When tick 0 was, while the timer runs. */
  #originMs = 0;
  #timer: Timer | undefined;

  constructor(clock: Pick<Clock, 'after' | 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** Calls `onDue` once, unless stopped or extended before `afterMs` have passed. */
  start(afterMs: number, onDue: () => void): Deadline {
    const deadline = new TickingDeadline(this, onDue);
    deadline.extend(afterMs);
    this.#open.add(deadline);
    if (this.#timer === undefined) this.#run();
    return deadline;
  }

  remove(deadline: TickingDeadline): void {
    this.#open.delete(deadline);
  }

  #run(): void {
    this.#originMs = this.#clock.monotonicMs() - this.tick * tickMs;
    this.#timer = this.#clock.after(tickMs, this.#advance);
  }

  readonly #advance = (): void => {
    // By the clock, since a timer that is set anew each time falls behind it.
    this.tick = Math.floor((this.#clock.monotonicMs() - this.#originMs) / tickMs);
    this.#timer = this.#clock.after(tickMs, this.#advance);
    for (const deadline of this.#open) {
      if (deadline.dueTick > this.tick) continue;
      this.#open.delete(deadline);
      deadline.onDue();
    }
    if (this.#open.size > 0) return;
    this.#timer.cancel();
    this.#timer = undefined;
  };
}
