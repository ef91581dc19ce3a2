/** What the spool asks of a file system, injected so that a test can fill it, break it and crash at every write. */
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeSync,
} from 'node:fs';
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
  /** @returns how many bytes were taken, perhaps fewer than there are: then there is no room for the others. */
  write(text: string): number;
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
  append(path) {
    // Usage says who asked for what and when: nobody else's business on this machine.
    const descriptor = openSync(path, 'a', 0o600);
    return {
      write: (text) => writeSync(descriptor, text),
      close: () => closeSync(descriptor),
    };
  },
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

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
