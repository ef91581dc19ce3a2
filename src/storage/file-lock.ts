/** A lock on a file that the kernel keeps for a process and drops with it, however that ends. */
import { Database, SQLiteError } from 'bun:sqlite';

export interface FileLock {
  /** Safe to call again. */
  release(): void;
}

/** Keeps held locks from being collected as garbage, which would drop them. */
const held = new Set<Database>();

/**
 * The lock is the one that SQLite takes on the file, which is made empty when it is missing; so there is never a stale
 * one to judge. Nothing else in this process may open that file: closing it would drop the lock.
 *
 * @param busyTimeoutMs how long to wait for somebody who holds it; the thread waits with it.
 * @returns null when another holds it.
 * @throws what the file system or SQLite says of a file that cannot be locked.
 */
export function takeFileLock(path: string, busyTimeoutMs = 0): FileLock | null {
  let file: Database | undefined;
  try {
    file = new Database(path, { create: true });
    file.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    // SQLite as it is built here refuses OFF, and any other than this leaves a journal beside the lock.
    file.run('PRAGMA journal_mode = MEMORY');
    file.run('PRAGMA locking_mode = EXCLUSIVE');
    file.run('BEGIN EXCLUSIVE');
  } catch (error) {
    file?.close();
    if (error instanceof SQLiteError && error.code === 'SQLITE_BUSY') return null;
    throw error;
  }
  const lock = file;
  held.add(lock);
  return {
    release() {
      if (held.delete(lock)) lock.close();
    },
  };
}
