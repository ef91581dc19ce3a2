/** A bound on how long an answer may take. */

/** Settles like `work`, or rejects with `onLate()` after `limitMs`; the work itself is not stopped. */
export async function withinTime<Value>(
  work: Promise<Value>,
  limitMs: number,
  onLate: () => Error,
): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timeout = setTimeout(() => late.reject(onLate()), limitMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timeout);
  }
}
