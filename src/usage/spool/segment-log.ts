/**
 * Lines in append-only files, one line needed of each request: the newest. A file goes when nothing in it is needed, and
 * a few lines do not keep one: they are written once more, into the newest. What that asks of a file system comes first.
 */
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
import { dirname, join } from 'node:path';
import { type FileLock, takeFileLock } from '../../storage/file-lock.ts';

/**
 * What the spool asks of a file system, injected so that a test can fill it, break it and crash at every write. Everything
 * is synchronous: the page cache takes a line in some two microseconds, less than a turn of the event loop.
 */
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

export interface SegmentLogOptions {
  readonly folder: string;
  readonly disk: SpoolDisk;
  /** The first line of each. */
  readonly headLine: string;
  /** Of a segment, when the next one is begun. */
  readonly segmentBytes: number;
}

interface Segment {
  readonly path: string;
  bytes: number;
  /** Of the lines that are needed still. */
  neededCount: number;
  neededBytes: number;
}

/** The line that is needed of a request. */
interface NeededLine {
  segment: Segment;
  line: string;
}

/** A segment in which nothing is needed is thrown away when it is as large, so that there is little to read after a crash. */
const tidyBytes = 65_536;
/** A segment of which less than this part is needed is emptied. So the disk takes four times what is needed at most, and each byte is written again a third time on average at most. */
const emptyingShare = 0.25;

export const segmentSuffix = '.jsonl';

export class SegmentLog {
  readonly #options: SegmentLogOptions;
  /** The oldest first. */
  readonly #segments = new Set<Segment>();
  readonly #needed = new Map<string, NeededLine>();
  /** The one that is written to; undefined until the next line. */
  #current: { readonly segment: Segment; readonly file: SpoolFile } | undefined;
  #number = 0;
  #bytes = 0;

  constructor(options: SegmentLogOptions) {
    this.#options = options;
  }

  /** On the disk. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Of how many requests a line is needed. */
  get neededCount(): number {
    return this.#needed.size;
  }

  /** What is needed of this request. */
  lineOf(requestId: string): string | undefined {
    return this.#needed.get(requestId)?.line;
  }

  /** The line takes the place of the request's line before it. @throws what the disk throws; that one stays needed then. */
  append(requestId: string, line: string): void {
    const segment = this.#write(line);
    this.#need(segment, requestId, line);
    if (segment.bytes < this.#options.segmentBytes) return;
    this.#seal();
    this.emptyOldSegments();
  }

  /** Nothing is needed of this request any more. */
  forget(requestId: string): void {
    const needed = this.#needed.get(requestId);
    if (needed === undefined) return;
    this.#needed.delete(requestId);
    this.#release(needed.segment, needed.line.length);
  }

  /** Ends the writing. What is needed stays on the disk, and nothing else does when nothing is. */
  close(): void {
    this.#seal();
    if (this.neededCount === 0) for (const segment of [...this.#segments]) this.#remove(segment);
  }

  #need(segment: Segment, requestId: string, line: string): void {
    const before = this.#needed.get(requestId);
    segment.neededCount += 1;
    // Its lines are ASCII but for names, and the share is no exact thing.
    segment.neededBytes += line.length;
    if (before === undefined) {
      this.#needed.set(requestId, { segment, line });
      return;
    }
    const { segment: segmentBefore, line: lineBefore } = before;
    before.segment = segment;
    before.line = line;
    this.#release(segmentBefore, lineBefore.length);
  }

  #release(segment: Segment, bytes: number): void {
    segment.neededCount -= 1;
    segment.neededBytes -= bytes;
    if (segment.neededCount > 0) return;
    const isCurrent = segment === this.#current?.segment;
    if (isCurrent && segment.bytes < tidyBytes) return;
    if (isCurrent) this.#seal();
    this.#remove(segment);
  }

  #write(line: string): Segment {
    this.#current ??= this.#begin();
    const { segment, file } = this.#current;
    try {
      this.#writeWhole(segment, file, line);
    } catch (thrown) {
      // Part of the line may stand there, and what comes behind it could not be read.
      this.#seal();
      throw thrown;
    }
    return segment;
  }

  #begin(): { segment: Segment; file: SpoolFile } {
    const { disk, folder, headLine } = this.#options;
    this.#number += 1;
    const path = join(folder, `${String(this.#number).padStart(9, '0')}${segmentSuffix}`);
    const file = disk.append(path);
    const segment: Segment = { path, bytes: 0, neededCount: 0, neededBytes: 0 };
    this.#segments.add(segment);
    try {
      this.#writeWhole(segment, file, headLine);
    } catch (thrown) {
      closeQuietly(file);
      this.#remove(segment);
      throw thrown;
    }
    return { segment, file };
  }

  /** What a full disk took of the text counts as well, until its file is removed. */
  #writeWhole(segment: Segment, file: SpoolFile, text: string): void {
    const { bytes, length } = encode(text);
    const taken = file.write(bytes, length);
    segment.bytes += taken;
    this.#bytes += taken;
    if (taken === length) return;
    throw new Error(`only ${taken} of ${length} bytes could be written`);
  }

  #seal(): void {
    const current = this.#current;
    if (current === undefined) return;
    this.#current = undefined;
    closeQuietly(current.file);
    if (current.segment.neededCount === 0) this.#remove(current.segment);
  }

  /** Some requests take an hour: they must not keep what thousands of others wrote beside them. @throws what the disk throws. */
  emptyOldSegments(): void {
    const sparse = new Set<Segment>();
    for (const segment of this.#segments) {
      const isSparse = segment.neededBytes <= segment.bytes * emptyingShare;
      if (segment !== this.#current?.segment && isSparse) sparse.add(segment);
    }
    if (sparse.size === 0) return;
    for (const [requestId, { segment, line }] of this.#needed) {
      if (sparse.has(segment)) this.#need(this.#write(line), requestId, line);
    }
  }

  #remove(segment: Segment): void {
    if (!this.#segments.delete(segment)) return;
    this.#bytes -= segment.bytes;
    this.#options.disk.remove(segment.path);
  }
}

const encoder = new TextEncoder();
/** Lines are written one after the other, and nearly all fit. */
const shared = new Uint8Array(65_536);

/** What is behind the length is not the text's. */
function encode(text: string): { readonly bytes: Uint8Array; readonly length: number } {
  // A character takes three bytes at most.
  if (text.length * 3 <= shared.length)
    return { bytes: shared, length: encoder.encodeInto(text, shared).written };
  const bytes = encoder.encode(text);
  return { bytes, length: bytes.length };
}

function closeQuietly(file: SpoolFile): void {
  try {
    file.close();
  } catch {
    // What was written is with the kernel; the descriptor is gone either way.
  }
}
