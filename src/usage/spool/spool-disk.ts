/** What the spool asks of a file system, injected so that a test can fill it, break it and crash at every write. */
import {
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { type FileLock, takeFileLock } from '../../storage/file-lock.ts';

/** Everything is synchronous: the page cache takes a line in a microsecond or less, which no turn of the event loop would. */
export interface SpoolDisk {
  makeFolder(path: string): void;
  /** Names, in order; none where there is no such folder. */
  list(path: string): readonly string[];
  rename(from: string, to: string): void;
  /** Null when another holds it. Makes the file; fails where there is no folder for it. */
  lock(path: string): FileLock | null;
  /**
   * Makes the file.
   * @param bytes that are to be written into it together, or a little more.
   */
  begin(path: string, bytes: number): SpoolFile;
  /** Makes an empty file. */
  mark(path: string): void;
  read(path: string): string;
  remove(path: string): void;
  /** Of a folder with something in it nothing happens. */
  removeFolder(path: string): void;
}

export interface SpoolFile {
  /** That were taken. */
  readonly bytes: number;
  /** Whether it has room for the text; always so of a file that grows. */
  fits(text: string): boolean;
  /** Takes a text that fits. @throws what the disk throws, which may have taken a part of it. */
  write(text: string): void;
  /** Takes away what stands behind so many bytes. */
  truncate(bytes: number): void;
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
  begin: (path, bytes) => (isMappable(dirname(path)) ? mapFile(path, bytes) : appendTo(path, usualFlags)),
  mark: (path) => closeSync(openSync(path, usualFlags, ownerOnly)),
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
  begin(path) {
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
  let taken = 0;
  return {
    get bytes() {
      return taken;
    },
    fits: () => true,
    write(text) {
      const { bytes, length } = encode(text);
      const written = writeSync(descriptor, bytes, 0, length);
      taken += written;
      if (written < length) throw new Error(`only ${written} of ${length} bytes could be written`);
    },
    truncate(bytes) {
      ftruncateSync(descriptor, bytes);
      taken = bytes;
    },
    close: () => closeSync(descriptor),
  };
}

const encoder = new TextEncoder();
/** Lines are written one after the other, and nearly all fit. */
const shared = new Uint8Array(65_536);

/** What is behind the length is not the text's. */
function encode(text: string): { readonly bytes: Uint8Array; readonly length: number } {
  if (text.length * mostBytesOfCharacter <= shared.length)
    return { bytes: shared, length: encoder.encodeInto(text, shared).written };
  const bytes = encoder.encode(text);
  return { bytes, length: bytes.length };
}

/** In UTF-8, of a UTF-16 code unit. */
const mostBytesOfCharacter = 3;

/**
 * By the numbers of statfs(2): ext2 to ext4, XFS, tmpfs. What is written over in a file of theirs needs no new room, so
 * that writing into memory cannot fail for a full disk, which would kill the process. Where each write goes to a new
 * place (btrfs, ZFS), over a network, or through layers, a write can fail and has to say so.
 */
const mappableKinds: ReadonlySet<number> = new Set([0xef53, 0x5846_5342, 0x0102_1994]);

function isMappable(folder: string): boolean {
  return process.platform === 'linux' && mappableKinds.has(statfsSync(folder).type);
}

/**
 * A file of zeros in memory that the kernel shares with it: what is written there is as much in the page cache as by a
 * write, outlives the process as well, and costs no call of the kernel. The zeros are written first, so that the room
 * is there, and they end what was written for who reads it.
 */
function mapFile(path: string, bytes: number): SpoolFile {
  const descriptor = openSync(path, usualFlags, ownerOnly);
  try {
    const written = writeSync(descriptor, new Uint8Array(bytes));
    if (written < bytes) throw new Error(`there is room for ${written} of ${bytes} bytes`);
  } catch (thrown) {
    rmSync(path, { force: true });
    throw thrown;
  } finally {
    closeSync(descriptor);
  }
  const mapped = Bun.mmap(path, { shared: true });
  const memory = Buffer.from(mapped.buffer, mapped.byteOffset, mapped.byteLength);
  let taken = 0;
  const hasRoom = (length: number) => taken + length <= memory.length;
  return {
    get bytes() {
      return taken;
    },
    fits: (text) => hasRoom(text.length * mostBytesOfCharacter) || hasRoom(Buffer.byteLength(text)),
    write(text) {
      taken += memory.write(text, taken);
    },
    truncate(length) {
      memory.fill(0, length, taken);
      taken = length;
    },
    // The kernel lets go of it once the memory is collected.
    close: () => undefined,
  };
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
