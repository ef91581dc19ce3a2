/** What tests of leave to spend ask for, and the refusals that they are given. */
import { type Clock, systemClock } from '../../base/clock.ts';
import type { Admission, Wanted } from '../admission.ts';
import { FundsError } from '../fund.ts';
import type { Payer, Wallets } from '../wallets.ts';

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

/**
 * For who asks for what another process has free, where it is there: that process has seconds to give it back in, since
 * the machine may be busy, and the first look comes soon all the same.
 */
export const patientClock: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(ms ** 2 / 5, signal),
};

export interface Held {
  readonly wallets: Wallets;
  readonly admission: Admission;
}

/**
 * Requests that come at the same moment, and what became of each. A process that is too busy to give back in time what it
 * has free lets a request of another one be refused: that one comes again, as clients do, until all of it is held.
 */
export function holdAtOnce(
  payer: Payer,
  wanted: {
    readonly requests: number;
    /** In nano-USD. */
    readonly each: bigint;
    readonly of: bigint;
    readonly walletsAt: (index: number) => Wallets;
  },
): Promise<readonly PromiseSettledResult<Held>[]> {
  const { requests, each, of, walletsAt } = wanted;
  let heldNanoUsd = 0n;
  return Promise.allSettled(
    Array.from({ length: requests }, async (_, index) => {
      const wallets = walletsAt(index);
      for (;;) {
        const held = await holdOnce(wallets);
        if (!(held instanceof FundsError)) return held;
        if (heldNanoUsd >= of) throw held;
        await new Promise((resolve) => setImmediate(resolve));
      }
    }),
  );

  async function holdOnce(wallets: Wallets): Promise<Held | FundsError> {
    let admission: Admission | undefined;
    try {
      admission = await wallets.admit(payer);
      await admission.hold(wanting(each));
      heldNanoUsd += each;
      return { wallets, admission };
    } catch (error) {
      admission?.release();
      if (error instanceof FundsError) return error;
      throw error;
    }
  }
}
