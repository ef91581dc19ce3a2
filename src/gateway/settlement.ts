/**
 * What requests used, on its way to the database: collected off the request path and written in batches, usage rows
 * and wallet charges together. A batch that fails is kept and tried again, and the spool keeps all of it for the case
 * that the process dies.
 */
import type { Clock, Timer } from '../base/clock.ts';
import { AppError, describeThrown } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { writeUsd } from '../base/money.ts';
import type { OpenedRequest, Spool, UsageRecord } from '../usage/index.ts';
import { type BatchStore, type BisectingWrite, describeRecord, writeBisecting } from './write-bisecting.ts';

export interface SettlementOptions extends BatchStore {
  /** Told of a record that will never be written, because the database refuses it. */
  readonly onSetAside?: (record: UsageRecord) => void;
  /** Without one all is lost that is not written when the process dies. */
  readonly spool?: Spool;
  readonly clock: Clock;
  readonly log: Log;
  /** With this many waiting no new request is let in; 100,000 when not given. */
  readonly maxWaiting?: number;
}

const batchDelayMs = 100;
const maxBatchRows = 1000;
const maxRetryDelayMs = 10_000;
const closingMs = 5000;
const closingRetryMs = 250;

export class Settlement {
  readonly #options: SettlementOptions;
  readonly #maxWaiting: number;
  readonly #bisecting: BisectingWrite;
  /** By the request's id, in order of arrival; a record leaves when it is written, not before. */
  readonly #waiting = new Map<string, UsageRecord>();
  /** Requests that are over for their clients, and whose usage is not known yet. */
  readonly #owed = new Set<() => void>();
  #onPaid: (() => void) | undefined;
  #timer: Timer | undefined;
  #writing: Promise<void> | undefined;
  #failures = 0;
  #isHurried = false;
  #isClosed = false;

  constructor(options: SettlementOptions) {
    this.#options = options;
    this.#maxWaiting = options.maxWaiting ?? 100_000;
    this.#bisecting = {
      ...options,
      onWritten: (batch) => {
        for (const record of batch) this.#letGo(record);
      },
      onSetAside: (record) => {
        this.#letGo(record);
        options.onSetAside?.(record);
      },
    };
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  /** Records that will come. */
  get owedCount(): number {
    return this.#owed.size;
  }

  get isFull(): boolean {
    const { spool } = this.#options;
    return this.#waiting.size + this.#owed.size >= this.#maxWaiting || spool?.isFull === true;
  }

  /** @throws AppError `accounting_unavailable` while too much waits: what is served must be accounted for. */
  requireRoom(): void {
    if (!this.isFull) return;
    throw new AppError({
      code: 'accounting_unavailable',
      public: 'Usage cannot be recorded at the moment, so requests cannot be served. Try again later.',
      retryAfterSeconds: maxRetryDelayMs / 1000,
    });
  }

  /**
   * A provider is about to be asked: from now on the request is accounted for, also if this process dies.
   * @throws AppError `accounting_unavailable` when that cannot be promised.
   */
  open(request: OpenedRequest): void {
    this.#options.spool?.open(request);
  }

  /** No record will come of a request that was opened. */
  forget(requestId: string): void {
    this.#options.spool?.forget(requestId);
  }

  /**
   * A record will come, later than its answer went.
   * @param hurry called when it can be waited for no longer.
   * @returns what to call when it has been added.
   */
  owe(hurry: () => void): () => void {
    this.#owed.add(hurry);
    if (this.#isHurried) queueMicrotask(hurry);
    return () => {
      this.#owed.delete(hurry);
      if (this.#owed.size === 0) this.#onPaid?.();
    };
  }

  /** The record of a request that has ended and is not stored yet. */
  find(requestId: string): UsageRecord | undefined {
    return this.#waiting.get(requestId);
  }

  /** Takes it even when full: the request has been served. Kept, on the disk too, when it returns. */
  add(record: UsageRecord): void {
    if (this.#isClosed) {
      this.#options.log.error('usage came after the stop and is lost', describeRecord(record));
      return;
    }
    this.#options.spool?.settle(record);
    this.#waiting.set(record.requestId, record);
    const isBatchFull = this.#waiting.size >= maxBatchRows;
    if (isBatchFull && this.#failures === 0 && this.#writing === undefined) this.#writeInBackground();
    else this.#writeLater(batchDelayMs);
  }

  /** Writes all that waits. @throws the database's error when it cannot; what waits is kept. */
  async flush(): Promise<void> {
    do await this.#writeNow();
    while (this.#waiting.size > 0);
  }

  /**
   * Writes what waits, trying again for `limitMs`. Nothing is taken or tried after it.
   * @throws AppError `accounting_unavailable` when some are not written; how many, what they cost, and whether the spool
   *   keeps them, is in the log too.
   */
  async close(limitMs = closingMs): Promise<void> {
    const { clock } = this.#options;
    const limit = new AbortController();
    const late = new Promise((resolve) => limit.signal.addEventListener('abort', resolve));
    const limitTimer = clock.after(limitMs, () => limit.abort());
    await Promise.race([this.#collectOwed(), late]);
    while (this.#waiting.size > 0 && !limit.signal.aborted) {
      // Raced, because a statement can hang for as long as the network likes.
      await Promise.race([this.flush().catch(() => clock.sleep(closingRetryMs, limit.signal)), late]);
    }
    limitTimer.cancel();
    this.#timer?.cancel();
    this.#isClosed = true;
    if (this.#waiting.size > 0) throw this.#giveUp();
  }

  /** What is owed is guessed now rather than lost. */
  #collectOwed(): Promise<void> {
    this.#isHurried = true;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onPaid = resolve;
    for (const hurry of [...this.#owed]) hurry();
    if (this.#owed.size === 0) resolve();
    return promise;
  }

  #writeInBackground(): void {
    // Its failure has been logged, and it is tried again.
    this.#writeNow().catch(() => undefined);
  }

  #writeLater(delayMs: number): void {
    this.#timer ??= this.#options.clock.after(delayMs, () => this.#writeInBackground());
  }

  /** One at a time, whoever asks: two would write the same records. */
  #writeNow(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  /**
   * What comes while this writes waits for the next time, unless it fills a batch: a statement costs as much as some
   * hundred records, so that under load many small batches would cost more than everything else of a request: at 3,000
   * requests a second the process spent 75 µs on each without this rest, and spends 16 with it.
   */
  async #writeAll(): Promise<void> {
    let due = this.#waiting.size;
    try {
      while (due > 0 || this.#waiting.size >= maxBatchRows) {
        const batch = this.#waiting.values().take(maxBatchRows).toArray();
        await writeBisecting(batch, this.#bisecting);
        due -= batch.length;
        this.#failures = 0;
      }
    } catch (cause) {
      this.#retryLater(cause);
      throw cause;
    }
    if (this.#waiting.size > 0) this.#writeLater(batchDelayMs);
  }

  #letGo(record: UsageRecord): void {
    this.#waiting.delete(record.requestId);
    this.#options.spool?.forget(record.requestId);
  }

  #retryLater(cause: unknown): void {
    if (this.#isClosed) return;
    this.#failures += 1;
    this.#options.log.error('usage could not be written; it is kept and will be tried again', {
      count: this.#waiting.size,
      detail: describeThrown(cause),
    });
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#writeLater(Math.min(maxRetryDelayMs, batchDelayMs * 2 ** this.#failures));
  }

  #giveUp(): AppError {
    const { spool, log } = this.#options;
    const { kept = [], lost = [] } = Object.groupBy(this.#waiting.values(), ({ requestId }) =>
      spool?.keeps(requestId) === true ? 'kept' : 'lost',
    );
    const told: string[] = [];
    if (kept.length > 0) {
      const sum = sumOf(kept);
      log.error('usage could not be written before the stop; the next start writes it', sum);
      told.push(`${describeSum(sum)}, is kept in the data folder and written by the next start there`);
    }
    if (lost.length > 0) {
      const sum = sumOf(lost);
      log.error('usage could not be written before the stop and is lost', sum);
      told.push(`${describeSum(sum)}, could not be written and is lost`);
    }
    return new AppError({ code: 'accounting_unavailable', public: `${told.join('. ')}.` });
  }
}

const sumOf = (records: readonly UsageRecord[]) => ({
  count: records.length,
  costUsd: writeUsd(records.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0n)),
});

const describeSum = ({ count, costUsd }: ReturnType<typeof sumOf>): string =>
  `The usage of ${count} requests, worth ${costUsd} USD`;
