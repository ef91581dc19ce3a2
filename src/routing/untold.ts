/** What others are still to be told: of each the newest, and of more than there is room for the oldest are forgotten. */
const mostUntold = 10_000;
const mostAtOnce = 500;

type Told<Value> = readonly (readonly [name: string, value: Value])[];

export class Untold<Value> {
  readonly #values = new Map<string, Value>();

  get size(): number {
    return this.#values.size;
  }

  add(name: string, value: Value): void {
    this.#values.delete(name);
    this.#values.set(name, value);
    if (this.#values.size <= mostUntold) return;
    const oldest = this.#values.keys().next();
    if (oldest.done !== true) this.#values.delete(oldest.value);
  }

  /** As many as are told at once. */
  take(): Told<Value> {
    const taken = [...this.#values.entries().take(mostAtOnce)];
    for (const [name] of taken) this.#values.delete(name);
    return taken;
  }

  /** What is newer stays. */
  putBack(taken: Told<Value>): void {
    for (const [name, value] of taken) if (!this.#values.has(name)) this.add(name, value);
  }
}
