/** What the spool asks of a file system, injected so that a test can fill it, break it and crash at every write. */
import {
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { type FileLock, takeFileLock } from '../../storage/file-lock.ts';

/** Everything is synchronous: the page cache takes a line in some two microseconds, less than a turn of the event loop. */
export interface SpoolDisk {
  makeFolder(path: string): void;
  /** Names, in order; none where there is no such folder. */
  list(path: string): readonly string[];
  rename(from: string, to: string): void;
  /** Null when another holds it. Makes the file; fails where there is no folder for it. */
  lock(path: string): FileLock | null;
  /** Makes the file. */
  append(path: string): SpoolFile;
  read(path: string): string;
  remove(path: string): void;
  /** Of a folder with something in it nothing happens. */
  removeFolder(path: string): void;
}

export interface SpoolFile {
  /**
   * Takes so many of the bytes, from the first one on.
   * @returns how many were taken, perhaps fewer: then there is no room for the others.
   */
  write(bytes: Uint8Array, length: number): number;
  close(): void;
}

export const systemDisk: SpoolDisk = {
  makeFolder: (path) => void mkdirSync(path, { recursive: true, mode: 0o700 }),
  list(path) {
    try {
      return readdirSync(path).sort();
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  },
  rename: (from, to) => renameSync(from, to),
  lock: (path) => takeFileLock(path),
  append: (path) => appendTo(path, usualFlags),
  read: (path) => readFileSync(path, 'utf8'),
  remove: (path) => rmSync(path, { force: true }),
  removeFolder(path) {
    try {
      rmdirSync(path);
    } catch {
      // Somebody put something there, or was first.
    }
  },
};

/** What it took is on the disk when a write returns, and outlives the machine's loss of power. */
export const syncedDisk: SpoolDisk = {
  ...systemDisk,
  append(path) {
    const file = appendTo(path, usualFlags | constants.O_DSYNC);
    // The new file's name is an entry of its folder.
    const folder = openSync(dirname(path), constants.O_RDONLY);
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
    return file;
  },
};

/** Usage says who asked for what and when: nobody else's business on this machine. */
const ownerOnly = 0o600;
const usualFlags = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY;

function appendTo(path: string, flags: number): SpoolFile {
  const descriptor = openSync(path, flags, ownerOnly);
  return {
    write: (bytes, length) => writeSync(descriptor, bytes, 0, length),
    close: () => closeSync(descriptor),
  };
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
