/**
 * Many deadlines on one timer. A request moves its deadline on with each chunk for the price of an assignment,
 * where a timer of its own would be armed and disarmed each time.
 */
import type { Clock, Timer } from './clock.ts';

const tickMs = 50;
const longestStallMs = 5000;

export interface Deadline {
  /**
   * Sets it to `afterMs` from now, also when it has fired. Never early; late by at most two ticks of 50 ms, and by as
   * long as the process itself stood still, since what came meanwhile is still to be read.
   */
  extend(afterMs: number): void;
  /** For good. */
  stop(): void;
}

class TickingDeadline implements Deadline {
  dueTick = Number.POSITIVE_INFINITY;
  /** Its neighbours among the open ones: a list costs nothing to enter and leave, where a set hashes. */
  before: TickingDeadline | undefined;
  after: TickingDeadline | undefined;
  isOpen = false;
  #isStopped = false;
  readonly #owner: Deadlines;
  readonly onDue: () => void;

  constructor(owner: Deadlines, onDue: () => void) {
    this.#owner = owner;
    this.onDue = onDue;
  }

  extend(afterMs: number): void {
    this.dueTick = this.#owner.tick + Math.ceil(afterMs / tickMs) + 1;
    if (!this.isOpen && !this.#isStopped) this.#owner.open(this);
  }

  stop(): void {
    this.#isStopped = true;
    if (this.isOpen) this.#owner.remove(this);
  }
}

export class Deadlines {
  tick = 0;
  #first: TickingDeadline | undefined;
  #last: TickingDeadline | undefined;
  readonly #clock: Pick<Clock, 'after' | 'monotonicMs'>;
  /** When tick 0 was, and when the next is due, while the timer runs. */
  #originMs = 0;
  #dueAtMs = 0;
  #timer: Timer | undefined;

  constructor(clock: Pick<Clock, 'after' | 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** Time as the deadlines count it: in ticks, and only while one of them is open. Only differences mean anything. */
  get nowMs(): number {
    return this.tick * tickMs;
  }

  /** Calls `onDue` once `afterMs` have passed, unless stopped or extended before. */
  start(afterMs: number, onDue: () => void): Deadline {
    const deadline = new TickingDeadline(this, onDue);
    deadline.extend(afterMs);
    return deadline;
  }

  open(deadline: TickingDeadline): void {
    deadline.isOpen = true;
    deadline.before = this.#last;
    deadline.after = undefined;
    if (this.#last === undefined) this.#first = deadline;
    else this.#last.after = deadline;
    this.#last = deadline;
    if (this.#timer === undefined) this.#run();
  }

  remove(deadline: TickingDeadline): void {
    deadline.isOpen = false;
    const { before, after } = deadline;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
  }

  #run(): void {
    const nowMs = this.#clock.monotonicMs();
    this.#originMs = nowMs - this.tick * tickMs;
    this.#setTimer(nowMs);
  }

  #setTimer(nowMs: number): void {
    this.#dueAtMs = nowMs + tickMs;
    this.#timer = this.#clock.after(tickMs, this.#advance);
  }

  readonly #advance = (): void => {
    const nowMs = this.#clock.monotonicMs();
    // The time that the process stood still is nobody's silence; one that slept for long has lost its connections.
    const stoodStillMs = Math.max(0, nowMs - this.#dueAtMs - tickMs);
    this.#originMs += Math.min(stoodStillMs, longestStallMs);
    // By the clock, since a timer that is set anew each time falls behind it.
    this.tick = Math.floor((nowMs - this.#originMs) / tickMs);
    this.#setTimer(nowMs);
    // Collected first: what fires can stop, extend and start others.
    const due: TickingDeadline[] = [];
    for (let each = this.#first; each !== undefined; each = each.after) {
      if (each.dueTick <= this.tick) due.push(each);
    }
    for (const each of due) {
      if (!each.isOpen || each.dueTick > this.tick) continue;
      this.remove(each);
      each.onDue();
    }
    if (this.#first !== undefined) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  };
}
