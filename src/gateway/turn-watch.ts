/** Whose turn it is in a stream that goes on: the upstream's or the client's. */
import type { Deadline, Deadlines } from '../base/deadlines.ts';

interface SilenceLimits {
  /** Of an upstream's silence, until the client gets a sign of life. */
  readonly keepAliveMs: number;
  readonly onSilence: () => void;
  /** Of a client that takes nothing of what waits for it. */
  readonly clientStallMs: number;
  readonly onStall: () => void;
}

/**
 * Watches the one of the two whose turn it is. An upstream that is silent makes for signs of life to the client, so that
 * neither clients nor proxies take the stream for dead. A client that takes nothing is taken to have gone: its upstream
 * would wait for it, and its connection stay open, for ever.
 */
export class TurnWatch {
  readonly #limits: SilenceLimits;
  readonly #deadline: Deadline;
  readonly #deadlines: Deadlines;
  #isUpstreams = true;
  /** What the client was passed last was more than a sign of life of the upstream's. */
  #hasHeard = true;
  #silentSinceMs = 0;

  constructor(deadlines: Deadlines, limits: SilenceLimits) {
    this.#limits = limits;
    this.#deadlines = deadlines;
    this.#deadline = deadlines.start(Number.POSITIVE_INFINITY, this.#due);
  }

  /** From now on a piece of the stream is awaited. */
  upstreams(): void {
    this.#isUpstreams = true;
    const { nowMs } = this.#deadlines;
    if (this.#hasHeard) this.#silentSinceMs = nowMs;
    this.#deadline.extend(Math.max(0, this.#silentSinceMs + this.#limits.keepAliveMs - nowMs));
  }

  /**
   * From now on a piece waits for the client.
   * @param isContent whether anything generated is in it: some clients take an upstream's own signs of life for silence.
   */
  clients(isContent: boolean): void {
    this.#isUpstreams = false;
    this.#hasHeard = isContent;
    this.#deadline.extend(this.#limits.clientStallMs);
  }

  stop(): void {
    this.#deadline.stop();
  }

  readonly #due = (): void => {
    if (!this.#isUpstreams) {
      this.#limits.onStall();
      return;
    }
    this.#silentSinceMs = this.#deadlines.nowMs;
    this.#deadline.extend(this.#limits.keepAliveMs);
    this.#limits.onSilence();
  };
}
