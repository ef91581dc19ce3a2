/** Writing a batch of which the database may refuse a part: what is sound in it is written all the same. */
import { describeThrown } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { writeUsd } from '../base/money.ts';
import type { UsageRecord } from '../usage/index.ts';

/** Writes one batch, all or nothing and idempotent by request id. */
export type WriteBatch = (records: readonly UsageRecord[]) => Promise<void>;

export interface BatchStore {
  readonly write: WriteBatch;
  /** True for an error of `write` that comes from what the records hold, and so would come again for ever. */
  readonly isAboutRecords: (thrown: unknown) => boolean;
}

export interface BisectingWrite extends BatchStore {
  readonly log: Log;
  /** These are stored. */
  onWritten?(records: readonly UsageRecord[]): void;
  /** This one never will be. */
  onSetAside?(record: UsageRecord): void;
}

/**
 * A batch that the database refuses for what is in it is halved, until the record at fault stands alone.
 * @param isAgain it was alone before: what was refused for what went on beside it, such as a partition of the log that was
 *   made at that moment, is taken the second time.
 * @throws what `write` throws for another reason; parts may have been written before.
 */
export async function writeBisecting(
  batch: readonly UsageRecord[],
  bisecting: BisectingWrite,
  isAgain = false,
): Promise<void> {
  const { write, isAboutRecords, onWritten, onSetAside, log } = bisecting;
  try {
    await write(batch);
  } catch (cause) {
    if (!isAboutRecords(cause)) throw cause;
    const [record, ...others] = batch;
    if (record === undefined) throw cause;
    if (others.length > 0) {
      const middle = Math.ceil(batch.length / 2);
      await writeBisecting(batch.slice(0, middle), bisecting);
      await writeBisecting(batch.slice(middle), bisecting);
      return;
    }
    if (!isAgain) return await writeBisecting(batch, bisecting, true);
    onSetAside?.(record);
    log.error('usage that the database refuses is set aside and not charged', {
      ...describeRecord(record),
      detail: describeThrown(cause),
    });
    return;
  }
  onWritten?.(batch);
}

/** Enough to enter it by hand. */
export function describeRecord(record: UsageRecord) {
  const { requestId, keyId, userId, model, inputTokens, outputTokens, costNanoUsd } = record;
  return { requestId, keyId, userId, model, inputTokens, outputTokens, costUsd: writeUsd(costNanoUsd) };
}
