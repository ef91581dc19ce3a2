/** The end of a piece of work before its time, for those who do it. */

/** Whoever wants to hear of it, once. */
export interface AbortListener {
  /** Throws nothing: others are still to be told. */
  aborted(reason: unknown): void;
}

/**
 * What an `AbortController` is, at a small part of its price, which each request would pay: listeners are objects, and
 * a signal is made only for who needs one.
 */
export class Abort {
  /** Nearly always the only one, which needs no list. */
  #first: AbortListener | undefined;
  #others: AbortListener[] | undefined;
  #controller: AbortController | undefined;
  #reason: { readonly value: unknown } | undefined;

  get isAborted(): boolean {
    return this.#reason !== undefined;
  }

  /** For parts of the runtime. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason.value);
    }
    return this.#controller.signal;
  }

  /** @throws what it was aborted with. */
  throwIfAborted(): void {
    if (this.#reason !== undefined) throw this.#reason.value;
  }

  /** One that comes after the abort is not told. */
  add(listener: AbortListener): void {
    if (this.#first === undefined) this.#first = listener;
    else if (this.#others === undefined) this.#others = [listener];
    else this.#others.push(listener);
  }

  remove(listener: AbortListener): void {
    if (this.#first === listener) {
      this.#first = this.#others?.shift();
      return;
    }
    const at = this.#others?.indexOf(listener) ?? -1;
    if (at !== -1) this.#others?.splice(at, 1);
  }

  /** Does nothing the second time. */
  abort(reason: unknown = new DOMException('The operation was aborted.', 'AbortError')): void {
    if (this.#reason !== undefined) return;
    this.#reason = { value: reason };
    const first = this.#first;
    const others = this.#others ?? [];
    this.#first = undefined;
    this.#others = undefined;
    this.#controller?.abort(reason);
    first?.aborted(reason);
    for (const listener of others) listener.aborted(reason);
  }
}
