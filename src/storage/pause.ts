/** Waiting that can be cut short. */

/** Ends after `pauseMs`, or as soon as `signal` aborts. */
export function pause(pauseMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timeout);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timeout = setTimeout(end, pauseMs);
    signal.addEventListener('abort', end);
  });
}
