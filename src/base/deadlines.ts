/**
 * Many deadlines on one timer. A request moves its deadline on with each chunk for the price of an assignment,
 * where a timer of its own would be armed and disarmed each time.
 */

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
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Calls `onDue` once, unless stopped or extended before `afterMs` have passed. */
  start(afterMs: number, onDue: () => void): Deadline {
    const deadline = new TickingDeadline(this, onDue);
    deadline.extend(afterMs);
    this.#open.add(deadline);
    this.#timer ??= setInterval(() => this.#advance(), tickMs);
    return deadline;
  }

  remove(deadline: TickingDeadline): void {
    this.#open.delete(deadline);
  }

  #advance(): void {
    this.tick += 1;
    for (const deadline of this.#open) {
      if (deadline.dueTick > this.tick) continue;
      this.#open.delete(deadline);
      deadline.onDue();
    }
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
