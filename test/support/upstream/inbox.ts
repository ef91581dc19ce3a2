/** Keeps the requests of the double in order of arrival and wakes whoever waits for one. */
import { Exchange, type ReceivedRequest } from './exchange.ts';
import type { HttpRequest } from './http/request-reader.ts';
import { type Counts, emptyCounts } from './usage.ts';

export class Inbox {
  readonly #keep: number;
  #waiting: { readonly number: number; readonly resolve: (request: ReceivedRequest) => void }[] = [];
  #arrived = 0;
  requests: Exchange[] = [];
  counts: Counts = emptyCounts();

  constructor(keep: number) {
    this.#keep = keep;
  }

  add(request: HttpRequest): Exchange {
    this.#arrived += 1;
    const exchange = new Exchange(this.#arrived, request, this.counts);
    if (this.#keep > 0) this.requests.push(exchange);
    if (this.requests.length > this.#keep) this.requests.shift();
    return exchange;
  }

  /** Called once an answer is chosen, so that whoever waited finds the request complete. */
  announce(exchange: Exchange): void {
    const due = this.#waiting.filter((waiter) => waiter.number === exchange.number);
    if (due.length === 0) return;
    this.#waiting = this.#waiting.filter((waiter) => waiter.number !== exchange.number);
    for (const waiter of due) waiter.resolve(exchange);
  }

  received(number: number): Promise<ReceivedRequest> {
    const known = this.requests.find((request) => request.number === number);
    if (known !== undefined) return Promise.resolve(known);
    if (number <= this.#arrived) return Promise.reject(new Error(`request ${number} is no longer kept`));
    const { promise, resolve } = Promise.withResolvers<ReceivedRequest>();
    this.#waiting.push({ number, resolve });
    return promise;
  }

  /** Answers under way keep writing to the counts they began with. */
  clear(): void {
    this.#arrived = 0;
    this.requests = [];
    this.counts = emptyCounts();
  }
}
