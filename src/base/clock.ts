/** Time and its timers, injected so that tests can hold it still, or let days pass at once. */

export interface Timer {
  /** Safe to call again, and after it has fired. */
  cancel(): void;
}

export interface Clock {
  /** Milliseconds since the Unix epoch. */
  nowMs(): number;
  /** Milliseconds on a clock that never goes back; only differences mean anything. */
  monotonicMs(): number;
  /** Calls `run` once when `delayMs` have passed, unless cancelled before. The process stays alive until then. */
  after(delayMs: number, run: () => void): Timer;
  /** Resolves when `delayMs` have passed, or as soon as `signal` is aborted. It never rejects. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, run) {
    const timeout = setTimeout(run, delayMs);
    return { cancel: () => clearTimeout(timeout) };
  },
  sleep: (delayMs, signal) => sleepBy(systemClock, delayMs, signal),
};

/** `sleep` in terms of `after`, for every clock. */
export function sleepBy(clock: Pick<Clock, 'after'>, delayMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = clock.after(delayMs, end);
  signal?.addEventListener('abort', end, { once: true });
  return promise;

  function end(): void {
    timer.cancel();
    signal?.removeEventListener('abort', end);
    resolve();
  }
}

/** Does `work` with a signal that is aborted, by a TimeoutError, once `limitMs` have passed. */
export async function withinTime<Result>(
  clock: Pick<Clock, 'after'>,
  limitMs: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const abort = new AbortController();
  const late = () => abort.abort(new DOMException(`It took longer than ${limitMs} ms.`, 'TimeoutError'));
  const timer = clock.after(limitMs, late);
  try {
    return await work(abort.signal);
  } finally {
    timer.cancel();
  }
}
