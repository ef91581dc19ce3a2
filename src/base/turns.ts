/**
 * Small pieces of work in turns of the event loop, so many in one. The runtime goes on with whatever is ready before it
 * looks at its sockets again: without a bound, many streams that always have something ready would keep new requests
 * waiting for seconds.
 */

/** Some twenty to forty microseconds each. */
const usualMost = 100;

export class Turns {
  readonly #most: number;
  readonly #afterThisTurn: (run: () => void) => void;
  #taken = 0;
  #isCounting = false;
  #waiting: (() => void)[] = [];

  /** @param options.afterThisTurn runs something once the sockets have been looked at. */
  constructor(options: { most?: number; afterThisTurn?: (run: () => void) => void } = {}) {
    this.#most = options.most ?? usualMost;
    this.#afterThisTurn = options.afterThisTurn ?? setImmediate;
  }

  /** @returns undefined when there is room in this turn; else a promise of room in a later one, in the order asked for. */
  take(): Promise<void> | undefined {
    if (!this.#isCounting) {
      this.#isCounting = true;
      this.#afterThisTurn(this.#next);
    }
    if (this.#taken < this.#most) {
      this.#taken += 1;
      return undefined;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  readonly #next = (): void => {
    const waiting = this.#waiting;
    this.#waiting = waiting.slice(this.#most);
    this.#taken = Math.min(waiting.length, this.#most);
    this.#isCounting = this.#taken > 0;
    if (this.#isCounting) this.#afterThisTurn(this.#next);
    for (const resolve of waiting.slice(0, this.#most)) resolve();
  };
}
