/** Signs of life inside a stream whose upstream is silent, so that neither clients nor proxies take it for dead. */
import type { Deadline, Deadlines } from '../base/deadlines.ts';

export class KeepAlive {
  readonly #afterMs: number;
  readonly #send: () => void;
  readonly #deadline: Deadline;

  /** @param send called after each `afterMs` of waiting, and never between `heard` and `waiting`. */
  constructor(deadlines: Deadlines, { afterMs, send }: { afterMs: number; send: () => void }) {
    this.#afterMs = afterMs;
    this.#send = send;
    this.#deadline = deadlines.start(Number.POSITIVE_INFINITY, this.#sendNow);
  }

  /** From now on a piece of the stream is awaited. */
  waiting(): void {
    this.#deadline.extend(this.#afterMs);
  }

  /** A piece came. */
  heard(): void {
    this.#deadline.extend(Number.POSITIVE_INFINITY);
  }

  stop(): void {
    this.#deadline.stop();
  }

  readonly #sendNow = (): void => {
    this.#deadline.extend(this.#afterMs);
    this.#send();
  };
}
