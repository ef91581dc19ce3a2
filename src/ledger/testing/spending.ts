/** What tests of leave to spend ask for, and the refusals that they are given. */
import type { Wanted } from '../admission.ts';
import { FundsError } from '../fund.ts';

/** In nano-USD; all of it is needed, and all of it fair, when not given. */
export const wanting = (most: bigint, least = most, fair = most): Wanted => ({
  mostNanoUsd: most,
  leastNanoUsd: least,
  fairNanoUsd: fair,
});

/** @throws what else it fails with, and an error when it does not. */
export async function refusal(attempt: () => unknown): Promise<FundsError> {
  try {
    await attempt();
  } catch (error) {
    if (error instanceof FundsError) return error;
    throw error;
  }
  throw new Error('was not refused');
}
