/**
 * Small pieces of work in turns of the event loop, so many in one and each in a turn after it was asked for. The runtime
 * goes on with whatever is ready before it looks at its sockets again: without a bound, many streams that always have
 * something ready would keep new requests waiting for seconds. What arrives for one of them while it waits for its turn
 * is one piece with what came before, so that the busier the process is, the less each byte costs.
 */

/** Some twenty to forty microseconds each. */
const usualMost = 25;

export class Turns {
  readonly #most: number;
  readonly #afterThisTurn: (run: () => void) => void;
  #isCounting = false;
  #waiting: (() => void)[] = [];

  /** @param options.afterThisTurn runs something once the sockets have been looked at. */
  constructor(options: { most?: number; afterThisTurn?: (run: () => void) => void } = {}) {
    this.#most = options.most ?? usualMost;
    this.#afterThisTurn = options.afterThisTurn ?? setImmediate;
  }

  /** Resolves in a later turn, in the order asked for. */
  next(): Promise<void> {
    if (!this.#isCounting) {
      this.#isCounting = true;
      this.#afterThisTurn(this.#begin);
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    return promise;
  }

  readonly #begin = (): void => {
    const waiting = this.#waiting;
    this.#waiting = waiting.slice(this.#most);
    this.#isCounting = this.#waiting.length > 0;
    if (this.#isCounting) this.#afterThisTurn(this.#begin);
    for (const resolve of waiting.slice(0, this.#most)) resolve();
  };
}
