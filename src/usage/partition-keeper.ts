/** Keeps the request log's partitions while a server runs: at its start and once an hour. */
import { Keeper } from '../base/keeper.ts';
import type { Log } from '../base/log.ts';
import type { WorkParts } from '../storage/work.ts';
import { keepPartitions, type PartitionSettings } from './partitions.ts';

const pauseMs = 3_600_000;

interface PartitionKeeperParts extends WorkParts {
  readonly log: Log;
  readonly settings: PartitionSettings;
}

/** Nobody waits for its first round: rows that have no partition yet are stored all the same. */
export function partitionKeeper({ settings, ...parts }: PartitionKeeperParts): Keeper {
  const { clock, log } = parts;
  return new Keeper({
    clock,
    log,
    pauseMs,
    failure: 'the partitions of the request log could not be kept; it is tried again in an hour',
    async round() {
      const { made, dropped, deletedRows } = await keepPartitions(parts, settings);
      if (made.length > 0) log.info('partitions of the request log were made', { detail: made.join(', ') });
      if (dropped.length + deletedRows > 0) {
        const detail = `${dropped.join(', ') || 'no partition'}, and ${deletedRows} rows without one`;
        log.info('requests older than they are kept were dropped', { detail });
      }
    },
  });
}
