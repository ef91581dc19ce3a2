/**
 * What a process still owes the database, in files that outlive it: each request from before its first provider is
 * asked until its row is stored. README.md says what that promises.
 */
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { AppError, describeThrown } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { FileLock } from '../../storage/file-lock.ts';
import type { OpenedRequest, UsageRecord } from '../record.ts';
import { SegmentLog, type SpoolDisk, syncedDisk, systemDisk } from './segment-log.ts';
import { headLine, isSettledLine, writeOpenedLine, writeSettledLine } from './spool-lines.ts';

export interface SpoolOptions {
  /** Of all spools of this data folder. */
  readonly folder: string;
  /** Whose it is: letters, digits and hyphens. */
  readonly holderId: string;
  /** With so many bytes on the disk no new request is let in. */
  readonly maxBytes: number;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Log;
  /** Whether each line waits until the disk has it; false when not given. */
  readonly isSynced?: boolean;
  /** The system's when not given. */
  readonly disk?: SpoolDisk;
  /** Of a segment, when the next one is begun; 4 MiB when not given. */
  readonly segmentBytes?: number;
}

const usualSegmentBytes = 4_194_304;
/** After a failed write, until a request may try again. */
const retryMs = 1000;

export class Spool {
  readonly #options: SpoolOptions;
  readonly #disk: SpoolDisk;
  readonly #folder: string;
  readonly #lock: FileLock;
  readonly #segments: SegmentLog;
  #failureCount = 0;
  /** Monotonic; undefined while the last write went well. */
  #failedAtMs: number | undefined;
  #isClosed = false;

  /** @throws AppError internal_error when the folder cannot be used. */
  constructor(options: SpoolOptions) {
    const { folder, holderId, isSynced = false, segmentBytes = usualSegmentBytes } = options;
    const disk = options.disk ?? (isSynced ? syncedDisk : systemDisk);
    this.#options = options;
    this.#disk = disk;
    this.#folder = join(folder, holderId);
    try {
      this.#lock = takeOwnLock(folder, holderId, disk);
    } catch (cause) {
      throw folderError(folder, cause);
    }
    this.#segments = new SegmentLog({ folder: this.#folder, disk, headLine, segmentBytes });
  }

  /** On the disk. */
  get bytes(): number {
    return this.#segments.bytes;
  }

  /** Lines that the disk did not take since the start. */
  get failureCount(): number {
    return this.#failureCount;
  }

  /** Nothing new may begin: it is at its bound, or its disk failed a moment ago. */
  get isFull(): boolean {
    const failedAtMs = this.#failedAtMs;
    if (failedAtMs !== undefined && this.#options.clock.monotonicMs() - failedAtMs < retryMs) return true;
    if (this.bytes < this.#options.maxBytes) return false;
    // Old segments are emptied when one is filled, and while nothing may begin none is.
    if (!this.#isClosed) this.#onDisk(() => this.#segments.emptyOldSegments());
    return this.bytes >= this.#options.maxBytes;
  }

  /** Whether the request's record would outlive this process. */
  keeps(requestId: string): boolean {
    return isSettledLine(this.#segments.lineOf(requestId));
  }

  /**
   * The ledger knows its process as this holder too, from before that one leases anything: whoever finds the spool gives
   * back what both leased.
   * @throws AppError `accounting_unavailable` when that cannot be noted.
   */
  alsoOf(holderId: string): void {
    const path = join(this.#folder, `${otherHolderPrefix}${holderId}`);
    if (!this.#isClosed && this.#onDisk(() => this.#disk.append(path).close())) return;
    throw unavailable();
  }

  /**
   * A provider is about to be asked.
   * @throws AppError `accounting_unavailable` when the request cannot be kept: then nobody may be asked for it.
   */
  open(request: OpenedRequest): void {
    if (!this.#append(request.requestId, writeOpenedLine(request))) throw unavailable();
  }

  /** The request is over, and its answer's end has not been told yet. Takes it also when full. Never throws. */
  settle(record: UsageRecord): void {
    this.#append(record.requestId, writeSettledLine(record));
  }

  /** The request's row is stored, or never will be. */
  forget(requestId: string): void {
    this.#onDisk(() => this.#segments.forget(requestId));
  }

  /**
   * Leaves nothing when nothing is needed; else all that is, for whoever starts next. Safe to call again.
   * @param isReleased false when the holder still has leases, which whoever starts next gives back.
   */
  close(isReleased = true): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#onDisk(() => {
      this.#segments.close();
      if (isReleased && this.#segments.neededCount === 0) removeSpool(this.#folder, this.#disk);
    });
    this.#lock.release();
  }

  #append(requestId: string, line: string): boolean {
    if (this.#isClosed) return false;
    if (!this.#onDisk(() => this.#segments.append(requestId, line))) return false;
    if (this.#failedAtMs !== undefined) this.#options.log.warn('the spool can be written again');
    this.#failedAtMs = undefined;
    return true;
  }

  #onDisk(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (thrown) {
      this.#failureCount += 1;
      const isFirst = this.#failedAtMs === undefined;
      this.#failedAtMs = this.#options.clock.monotonicMs();
      const detail = describeThrown(thrown);
      if (isFirst) {
        const message = 'the spool cannot be written: paid requests are refused until it can';
        this.#options.log.error(message, { detail });
      }
      return false;
    }
  }
}

const unavailable = (): AppError =>
  new AppError({
    code: 'accounting_unavailable',
    public: 'Usage cannot be recorded at the moment, so requests cannot be served. Try again later.',
    retryAfterSeconds: retryMs / 1000,
  });

export const lockName = 'lock';
const otherHolderPrefix = 'holder-';

/** Whose leases come back with the spool in this folder besides those of the holder that it is named by, the first to come first. */
export function otherHolders(folder: string, disk: SpoolDisk): readonly string[] {
  return disk
    .list(folder)
    .filter((name) => name.startsWith(otherHolderPrefix))
    .map((name) => name.slice(otherHolderPrefix.length))
    .toSorted((one, other) => Number(one) - Number(other));
}

/** Takes the folder of a spool away whose segments are gone. Its lock must be held, and is free afterwards. */
export function removeSpool(folder: string, disk: SpoolDisk): void {
  for (const holderId of otherHolders(folder, disk))
    disk.remove(join(folder, `${otherHolderPrefix}${holderId}`));
  disk.remove(join(folder, lockName));
  disk.removeFolder(folder);
}

/**
 * Under a name that nobody takes for a spool's until the lock is held: a free one would look like a dead process's.
 * @throws what the disk throws, also for a holder who has a spool already.
 */
export function takeOwnLock(folder: string, holderId: string, disk: SpoolDisk): FileLock {
  const unborn = join(folder, `.${holderId}`);
  disk.makeFolder(unborn);
  const lock = lockUnborn(unborn, disk);
  try {
    disk.rename(unborn, join(folder, holderId));
  } catch (thrown) {
    removeSpool(unborn, disk);
    lock.release();
    throw thrown;
  }
  return lock;
}

/** Nobody looks for what is left under such a name: what cannot be locked must not stay. */
function lockUnborn(unborn: string, disk: SpoolDisk): FileLock {
  let lock: FileLock | null;
  try {
    lock = disk.lock(join(unborn, lockName));
  } catch (thrown) {
    removeSpool(unborn, disk);
    throw thrown;
  }
  if (lock === null) throw new Error(`${unborn} is locked by another process`);
  return lock;
}

/** @param folder of all spools of this data folder, or of one of them. */
export function folderError(folder: string, cause: unknown): AppError {
  return new AppError({
    code: 'internal_error',
    public: `The folder ${folder}, where usage is kept until the database has it, cannot be used: ${describeThrown(cause)}. Make it writable for the user that this runs as, or set SLUICE_DATA_DIR to a folder that is.`,
    cause,
  });
}
