/**
 * What requests used, on its way to the database: collected off the request path and written in batches, usage rows
 * and wallet charges in one transaction. A batch that fails is kept and tried again, so nothing is lost while the
 * process lives.
 */
import type { Log } from '../base/log.ts';
import type { UsageRecord } from '../usage/index.ts';

/** Writes one batch, all or nothing and idempotent by request id. */
export type WriteBatch = (records: readonly UsageRecord[]) => Promise<void>;

const batchDelayMs = 100;
const maxBatchRows = 1000;
const maxRetryDelayMs = 10_000;

export class Settlement {
  readonly #write: WriteBatch;
  readonly #log: Log;
  #waiting: UsageRecord[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> | undefined;
  #failures = 0;

  constructor(options: { write: WriteBatch; log: Log }) {
    this.#write = options.write;
    this.#log = options.log;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  add(record: UsageRecord): void {
    this.#waiting.push(record);
    if (this.#waiting.length >= maxBatchRows && this.#failures === 0) void this.#startWriting();
    else this.#timer ??= setTimeout(() => void this.#startWriting(), batchDelayMs);
  }

  /** Writes all that waits. @throws the database's error when it cannot; what waits is kept. */
  async flush(): Promise<void> {
    await this.#writing;
    while (this.#waiting.length > 0) await this.#writeBatch();
  }

  #startWriting(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      try {
        await this.#writeBatch();
      } catch (cause) {
        this.#retryLater(cause);
        return;
      }
    }
  }

  async #writeBatch(): Promise<void> {
    const batch = this.#waiting.slice(0, maxBatchRows);
    await this.#write(batch);
    this.#waiting = this.#waiting.slice(batch.length);
    this.#failures = 0;
  }

  #retryLater(cause: unknown): void {
    this.#failures += 1;
    const delayMs = Math.min(maxRetryDelayMs, batchDelayMs * 2 ** this.#failures);
    this.#log.error('usage could not be written; it is kept and will be tried again', {
      count: this.#waiting.length,
      detail: cause instanceof Error ? cause.message : String(cause),
    });
    this.#timer ??= setTimeout(() => void this.#startWriting(), delayMs);
  }
}
