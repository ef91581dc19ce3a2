/**
 * Small pieces of work in turns of the event loop, so many in one. The runtime goes on with whatever is ready before it
 * looks at its sockets again: without a bound, many streams that always have something ready, or many requests that
 * come at once, would keep everyone else waiting for seconds. What arrives for a stream while it waits for its turn is
 * one piece with what came before, so that the busier the process is, the less each byte costs.
 */

/** Some twenty to sixty microseconds each. */
const usualMost = 25;

/** Kept in the list of those who wait, so that it is copied once for many turns. */
const mostThrough = 1000;

export class Turns {
  readonly #most: number;
  readonly #afterThisTurn: (run: () => void) => void;
  /** How many were done in this turn, and in those before it in which little was. */
  #done = 0;
  #isCounting = false;
  #waiting: (() => void)[] = [];
  /** How many of those that wait are through; the list is emptied once all of them are. */
  #through = 0;

  /** @param options.afterThisTurn runs something once the sockets have been looked at. */
  constructor(options: { most?: number; afterThisTurn?: (run: () => void) => void } = {}) {
    this.#most = options.most ?? usualMost;
    this.#afterThisTurn = options.afterThisTurn ?? setImmediate;
  }

  /** @returns undefined while there is room in this turn; else what resolves in a later one, in the order asked for. */
  enter(): Promise<void> | undefined {
    if (this.#done >= this.#most || this.#waiting.length > this.#through) return this.next();
    this.#done += 1;
    // Where little is done nobody looks for the end of the turn, and what was done counts in the next one as well.
    if (this.#done > this.#most / 2) this.#count();
    return undefined;
  }

  /** Resolves in a later turn, in the order asked for. */
  next(): Promise<void> {
    this.#count();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    return promise;
  }

  #count(): void {
    if (this.#isCounting) return;
    this.#isCounting = true;
    this.#afterThisTurn(this.#begin);
  }

  readonly #begin = (): void => {
    this.#isCounting = false;
    const until = Math.min(this.#waiting.length, this.#through + this.#most);
    this.#done = until - this.#through;
    if (this.#done === 0) return;
    this.#count();
    const due = this.#waiting.slice(this.#through, until);
    this.#through = until;
    // While somebody always waits the list is never empty: those who are through leave it once they are most of it.
    if (until === this.#waiting.length || (until > mostThrough && until * 2 > this.#waiting.length)) {
      this.#waiting = this.#waiting.slice(until);
      this.#through = 0;
    }
    for (const resolve of due) resolve();
  };
}
