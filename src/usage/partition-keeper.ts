/** Keeps the request log's partitions while a server runs: at its start and once an hour. */
import type { Timer } from '../base/clock.ts';
import { describeThrown } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { WorkParts } from '../storage/work.ts';
import { keepPartitions, type PartitionSettings } from './partitions.ts';

const pauseMs = 3_600_000;

export interface PartitionKeeperParts extends WorkParts {
  readonly log: Log;
  readonly settings: PartitionSettings;
}

export class PartitionKeeper {
  readonly #parts: PartitionKeeperParts;
  #timer: Timer | undefined;
  #round: Promise<void>;
  #isClosed = false;

  /** It begins at once, beside what its server does: rows that have no partition yet are stored all the same. */
  constructor(parts: PartitionKeeperParts) {
    this.#parts = parts;
    this.#round = this.#run();
  }

  /** Waits for what is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#round;
  }

  async #run(): Promise<void> {
    const { log, settings, clock } = this.#parts;
    try {
      const { made, dropped, deletedRows } = await keepPartitions(this.#parts, settings);
      if (made.length > 0) log.info('partitions of the request log were made', { detail: made.join(', ') });
      if (dropped.length + deletedRows > 0) {
        const detail = `${dropped.join(', ') || 'no partition'}, and ${deletedRows} rows without one`;
        log.info('requests older than they are kept were dropped', { detail });
      }
    } catch (error) {
      log.warn('the partitions of the request log could not be kept; it is tried again in an hour', {
        detail: describeThrown(error),
      });
    }
    if (this.#isClosed) return;
    this.#timer = clock.after(pauseMs, () => {
      this.#round = this.#run();
    });
  }
}
