/** Keeps the sums while a server runs: folds into them what was stored since, every few seconds, and settles days that are over. */
import type { Clock } from '../base/clock.ts';
import { Keeper } from '../base/keeper.ts';
import type { Log } from '../base/log.ts';
import type { Database } from '../storage/database.ts';
import { foldUnsummed, settleUsage, vacuumUnsummed } from './unsummed.ts';

/** The longer, the more requests share a row of sums, and the more a report has to sum by itself. */
const pauseMs = 2_000;
/** Days are settled an hour after their end, so that this is no delay. */
const settlingPauseMs = 10_000;
/** The embedded database does one thing at a time: others wait as long as this many take. */
const foldedAtOnce = 5_000;

interface RollupKeeperParts {
  readonly storage: { readonly db: Database };
  readonly clock: Clock;
  readonly log: Log;
}

/** What is not folded at its end is by whoever comes next; reports have it all the same. */
export function rollupKeeper({ storage: { db }, clock, log }: RollupKeeperParts): Keeper {
  return new Keeper({
    clock,
    log,
    pauseMs,
    failure: 'requests could not be added to the sums of usage; it is tried until they are',
    async round(closing) {
      await foldAll(db, closing);
      await vacuumUnsummed(db);
    },
  });
}

/** Apart from folding, which goes on when a day cannot be settled. */
export function settlingKeeper({ storage: { db }, clock, log }: RollupKeeperParts): Keeper {
  return new Keeper({
    clock,
    log,
    pauseMs: settlingPauseMs,
    failure:
      'a day of usage could not be settled; it is tried again, and reports of it are right and take longer',
    async round(closing) {
      let hasMore = true;
      while (hasMore && !closing.aborted) {
        // Whoever settles day after day leaves no turn to those that fold: it folds itself, so that nothing piles up.
        await foldAll(db, closing);
        if (!closing.aborted) ({ hasMore } = await settleUsage(db, clock.nowMs()));
      }
    },
  });
}

async function foldAll(db: Database, closing: AbortSignal): Promise<void> {
  let hasMore = true;
  while (hasMore && !closing.aborted) ({ hasMore } = await foldUnsummed(db, foldedAtOnce));
}
