/** Random choices that a seed repeats. */

export class Random {
  #state: number;

  /** @param seed two numbers, such as a run's and a request's, so that each request can be made again by itself. */
  constructor(seed: number, number = 0) {
    this.#state = (Math.imul(seed | 0, 0x9e3779b1) ^ Math.imul((number + 1) | 0, 0x85ebca6b)) | 0;
    this.next();
    this.next();
  }

  /** From 0 up to, but not including, 1: mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from 0 up to, but not including, the bound. */
  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  /** Whether it happens, one time in so many. */
  oneIn(times: number): boolean {
    return this.next() * times < 1;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('there is nothing to pick from');
    return item;
  }

  /** Each item with its weight. */
  weighted<Item>(items: readonly (readonly [number, Item])[]): Item {
    let left = this.next() * items.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, item] of items) {
      left -= weight;
      if (left < 0) return item;
    }
    throw new Error('there is nothing to pick from');
  }
}
