/** Keeps the sums while a server runs: folds into them what was stored since, every few seconds. */
import type { Clock, Timer } from '../base/clock.ts';
import { describeThrown } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Database } from '../storage/database.ts';
import { foldUnsummed, vacuumUnsummed } from './unsummed.ts';

/** The longer, the more requests share a row of sums, and the more a report has to sum by itself. */
const pauseMs = 2_000;
/** The embedded database does one thing at a time: others wait as long as this many take. */
const foldedAtOnce = 5_000;

export interface RollupKeeperParts {
  readonly storage: { readonly db: Database };
  readonly clock: Clock;
  readonly log: Log;
}

export class RollupKeeper {
  readonly #parts: RollupKeeperParts;
  #timer: Timer | undefined;
  #round: Promise<void>;
  #isFailing = false;
  #isClosed = false;

  constructor(parts: RollupKeeperParts) {
    this.#parts = parts;
    this.#round = this.#run();
  }

  /** Waits for what is under way. What is not folded then is by whoever comes next; reports have it all the same. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#round;
  }

  async #run(): Promise<void> {
    const { storage, clock, log } = this.#parts;
    try {
      let hasMore = true;
      while (hasMore && !this.#isClosed) ({ hasMore } = await foldUnsummed(storage.db, foldedAtOnce));
      await vacuumUnsummed(storage.db);
      this.#isFailing = false;
    } catch (error) {
      // While a database is away this would be said every other second.
      if (!this.#isFailing) {
        log.warn('requests could not be added to the sums of usage; it is tried until they are', {
          detail: describeThrown(error),
        });
      }
      this.#isFailing = true;
    }
    if (this.#isClosed) return;
    this.#timer = clock.after(pauseMs, () => {
      this.#round = this.#run();
    });
  }
}
