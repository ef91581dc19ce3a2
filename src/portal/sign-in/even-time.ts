/** Answers that must not tell by their time whether an account exists. */
import type { Clock } from '../../base/clock.ts';

/** Longer than the longest of the works that it hides takes on a machine that is not overloaded. */
const floorMs = 250;

/** Does the work and answers no earlier than a fixed time after it began, whether it succeeds or not. */
export async function inEvenTime<Result>(clock: Clock, work: () => Promise<Result>): Promise<Result> {
  const begunMs = clock.monotonicMs();
  try {
    return await work();
  } finally {
    await clock.sleep(Math.max(0, begunMs + floorMs - clock.monotonicMs()));
  }
}
