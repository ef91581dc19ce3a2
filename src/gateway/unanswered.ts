/** Requests that have no answer yet when this process ends: they are told so, while there is time, and pay nothing. */
import { Abort } from '../base/abort.ts';
import { AppError, describeThrown } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { AttemptRecord } from '../usage/index.ts';

/** What is cut off: the call of a provider. */
interface Cancellable {
  cancel(): void;
}

/** One of them, from when its providers may be asked until it is answered or refused. */
export class Waiting {
  readonly #http: Request;
  readonly #cut = new Abort();
  #call: Cancellable | undefined;

  constructor(http: Request) {
    this.#http = http;
  }

  /** For what waits before a provider is asked: aborted when the client leaves, or this process ends. */
  get signal(): AbortSignal {
    return AbortSignal.any([this.#http.signal, this.#cut.signal]);
  }

  /** From now on this call is waited for. */
  awaits(call: Cancellable): void {
    this.#call = call;
  }

  /** A client that left before pays as it does at any other time. */
  interrupt(error: AppError): void {
    if (this.#http.signal.aborted) return;
    this.#cut.abort(error);
    this.#call?.cancel();
  }

  /** What became of a call is no fault of its provider's where it was cut off here. */
  reportOf(attempt: AttemptRecord | null): AttemptRecord | null {
    return this.#cut.isAborted && attempt !== null ? { ...attempt, errorCode: 'shutting_down' } : attempt;
  }

  /** @throws AppError shutting_down once this process ends, also where an answer came in that very moment. */
  throwIfInterrupted(): void {
    this.#cut.throwIfAborted();
  }
}

export class Unanswered {
  readonly #waiting = new Set<Waiting>();
  #isOver = false;

  get count(): number {
    return this.#waiting.size;
  }

  /**
   * Every one that enters has to leave.
   * @throws AppError shutting_down where this process has interrupted the others already.
   */
  enter(http: Request): Waiting {
    if (this.#isOver) throw interrupted();
    const waiting = new Waiting(http);
    this.#waiting.add(waiting);
    return waiting;
  }

  leave(waiting: Waiting): void {
    this.#waiting.delete(waiting);
  }

  /** No other is let in from then on. */
  interrupt(log: Pick<Log, 'error'>): void {
    this.#isOver = true;
    for (const waiting of [...this.#waiting]) {
      try {
        waiting.interrupt(interrupted());
      } catch (thrown) {
        // One that cannot be ended keeps no other from its end.
        log.error('a request could not be interrupted', { detail: describeThrown(thrown) });
      }
    }
  }
}

const interrupted = (): AppError =>
  new AppError({
    code: 'shutting_down',
    public: 'This server shut down before the answer was there. The request costs nothing: send it again.',
    retryAfterSeconds: 1,
  });
