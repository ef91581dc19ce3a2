/** Whether a start would find a folder that it can keep spools in, for whoever asks before there is one to serve. */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listHolders } from './adopt-spools.ts';
import { type SpoolDisk, systemDisk } from './segment-log.ts';
import { folderError, lockName, removeSpool, takeOwnLock } from './spool.ts';

/** A page of a file system, so that one without room for a line is found out. */
const trialBytes = new Uint8Array(4096).fill(0x20);

/**
 * Does what a start does, under a name that nobody takes for a spool's, and leaves nothing behind: what a look makes,
 * whoever serves later may not be able to write to.
 * @param folder of all spools of this data folder.
 * @returns false where there is no data folder yet, and a start would make it.
 * @throws AppError `internal_error` that says what is wrong with which folder.
 */
export function trySpoolFolder(folder: string, disk: SpoolDisk = systemDisk): boolean {
  const isThere = existsSync(dirname(folder));
  try {
    if (!isThere) accessSync(nearestExisting(folder), writable);
    else if (existsSync(folder)) writeTrial(folder, disk);
    else writeTrial(dirname(folder), disk);
  } catch (cause) {
    throw folderError(folder, cause);
  }
  tryLeftSpools(folder, disk);
  return isThere;
}

/**
 * For who keeps no spool and takes over those of dead processes all the same.
 * @throws AppError `internal_error` that says what is wrong with which one.
 */
export function tryLeftSpools(folder: string, disk: SpoolDisk = systemDisk): void {
  for (const name of listHolders(folder, disk)) tryLeftSpool(join(folder, name), disk);
}

const writable = constants.R_OK | constants.W_OK | constants.X_OK;

function nearestExisting(path: string): string {
  const parent = dirname(path);
  return existsSync(parent) || parent === path ? parent : nearestExisting(parent);
}

function writeTrial(folder: string, disk: SpoolDisk): void {
  // One that was killed meanwhile leaves its own, and another process may have its number.
  const name = `.trial-${crypto.randomUUID()}`;
  const own = join(folder, name);
  const lock = takeOwnLock(folder, name, disk);
  try {
    const path = join(own, 'trial');
    const file = disk.append(path);
    try {
      const taken = file.write(trialBytes, trialBytes.length);
      if (taken < trialBytes.length) throw new Error('there is no room for a line on its disk');
    } finally {
      file.close();
      disk.remove(path);
    }
  } finally {
    removeSpool(own, disk);
    lock.release();
  }
}

/**
 * A dead process's is written to the database at the next start, which has to read it and take it away. Its lock is not
 * tried: a start in this moment would take it for a living one's.
 */
function tryLeftSpool(own: string, disk: SpoolDisk): void {
  try {
    accessSync(own, writable);
    tryLockFile(join(own, lockName));
  } catch (cause) {
    // Its process has ended in this moment, or it owes nothing: a start goes on past it too.
    if (isEmpty(own, disk)) return;
    throw folderError(own, cause);
  }
}

/** A start makes one that is missing. */
function tryLockFile(path: string): void {
  if (!existsSync(path)) return;
  accessSync(path, constants.R_OK | constants.W_OK);
  if (!statSync(path).isFile()) throw new Error(`${path} is no file that can be locked`);
}

function isEmpty(own: string, disk: SpoolDisk): boolean {
  try {
    return disk.list(own).length === 0;
  } catch {
    return false;
  }
}
