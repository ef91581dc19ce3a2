/** One process at a time in a data folder: two on one embedded database would destroy it. */
import { access, constants, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type FileLock, takeFileLock } from './file-lock.ts';
import { DataDirInUseError, StorageError } from './storage-error.ts';

export interface DataDirLock {
  /** The folder, absolute. */
  readonly dataDir: string;
  release(): Promise<void>;
}

/** Longer than anyone who only looks at the lock keeps it. */
const busyTimeoutMs = 250;

/**
 * Creates the folder when it is missing.
 *
 * The lock is on the empty file `sluice.lock`, which nothing else in this process may open: see `file-lock.ts`.
 *
 * @throws DataDirInUseError, or StorageError when the folder cannot be written.
 */
export async function lockDataDir(dataDir: string): Promise<DataDirLock> {
  const folder = resolve(dataDir);
  await makeWritable(folder);
  const lock = await takeLock(folder);
  const pidPath = join(folder, 'sluice.pid');
  let isHeld = true;
  try {
    await writeFile(pidPath, `${process.pid}\n`);
  } catch (error) {
    // A folder can be writable on a disk that is full.
    lock.release();
    throw dataDirError(folder, error);
  }
  return {
    dataDir: folder,
    async release() {
      if (!isHeld) return;
      isHeld = false;
      await rm(pidPath, { force: true });
      lock.release();
    },
  };
}

/** Who holds the folder now; null when nobody does. Changes nothing. */
export async function findDataDirHolder(dataDir: string): Promise<{ readonly pid: number | null } | null> {
  const folder = resolve(dataDir);
  try {
    await access(lockPath(folder));
  } catch {
    return null;
  }
  try {
    // The holder of which a living process is named there will not let go of it for a wait; a look of another will.
    const waitMs = isAlive(await readHolderPid(folder)) ? 0 : busyTimeoutMs;
    (await takeLock(folder, waitMs)).release();
    return null;
  } catch (error) {
    if (error instanceof DataDirInUseError) return { pid: error.holderPid };
    throw error;
  }
}

async function makeWritable(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw dataDirError(folder, error);
  }
}

function isAlive(pid: number | null): boolean {
  if (pid === null) return false;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function takeLock(folder: string, waitMs = busyTimeoutMs): Promise<FileLock> {
  let lock: FileLock | null;
  try {
    lock = takeFileLock(lockPath(folder), waitMs);
  } catch (error) {
    throw dataDirError(folder, error);
  }
  if (lock === null) throw new DataDirInUseError(folder, await readHolderPid(folder));
  return lock;
}

async function readHolderPid(folder: string): Promise<number | null> {
  try {
    const pid = Number.parseInt(await readFile(join(folder, 'sluice.pid'), 'utf8'), 10);
    return Number.isSafeInteger(pid) ? pid : null;
  } catch {
    return null;
  }
}

const lockPath = (folder: string) => join(folder, 'sluice.lock');

function dataDirError(folder: string, error: unknown): StorageError {
  const why = error instanceof Error ? error.message : String(error);
  return new StorageError('data_dir', `The data folder ${folder} cannot be used: ${why}.`, error);
}
