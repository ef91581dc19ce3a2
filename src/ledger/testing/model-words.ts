/** What processes are told of each other's changes, on its way: late, in another order, and some of it twice. */
import type { Action } from './explore.ts';

interface Word extends Action {
  readonly to: number;
}

export class ModelWords {
  readonly #areSlow: boolean;
  readonly #onTheWay: Word[] = [];
  readonly #told: Word[] = [];
  #repeats: number;

  /** @param repeats how many may come a second time; null where all are told at once. */
  constructor(repeats: number | null) {
    this.#areSlow = repeats !== null;
    this.#repeats = repeats ?? 0;
  }

  send(to: number, what: string, perform: () => void): void {
    if (this.#areSlow) this.#onTheWay.push({ to, name: () => `${to} is told: ${what}`, perform });
    else perform();
  }

  /** Each may be the next to arrive. */
  get arriving(): readonly Action[] {
    return this.#onTheWay.map((word) => ({ name: word.name, perform: () => this.#arrive(word) }));
  }

  get again(): readonly Action[] {
    if (this.#repeats === 0) return [];
    return this.#told.map((word) => ({
      name: () => `${word.name()} again`,
      perform: () => this.#repeat(word),
    }));
  }

  #arrive(word: Word): void {
    this.#onTheWay.splice(this.#onTheWay.indexOf(word), 1);
    this.#told.push(word);
    word.perform();
  }

  #repeat(word: Word): void {
    this.#repeats -= 1;
    this.#told.splice(this.#told.indexOf(word), 1);
    word.perform();
  }
}
