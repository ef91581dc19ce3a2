/** Decides which answer a request gets: queued ones first, then standing rules, then the default. */
import type { Answer } from './answer.ts';
import type { ReceivedRequest } from './exchange.ts';

type Matcher = (request: ReceivedRequest) => boolean;
/** Or what is made of the request. */
export type Answering = Answer | ((request: ReceivedRequest) => Answer);

export class Script {
  #queue: Answer[] = [];
  #rules: { readonly matches: Matcher; readonly answer: Answering }[] = [];
  readonly #initial: Answering;
  #usual: Answering;

  constructor(usual: Answering) {
    this.#initial = usual;
    this.#usual = usual;
  }

  /** Each is given once, in this order. */
  enqueue(answers: readonly Answer[]): void {
    this.#queue.push(...answers);
  }

  /** Given to every matching request that finds the queue empty; a later rule goes before an earlier one. */
  when(matches: Matcher, answer: Answering): void {
    this.#rules.unshift({ matches, answer });
  }

  byDefault(answer: Answering): void {
    this.#usual = answer;
  }

  clear(): void {
    this.#queue = [];
    this.#rules = [];
    this.#usual = this.#initial;
  }

  get queued(): number {
    return this.#queue.length;
  }

  choose(request: ReceivedRequest): Answer {
    const found =
      this.#queue.shift() ?? this.#rules.find((rule) => rule.matches(request))?.answer ?? this.#usual;
    return typeof found === 'function' ? found(request) : found;
  }
}
