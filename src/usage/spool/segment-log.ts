/**
 * Lines in append-only files, one line needed of each request: the newest. A file goes when nothing in it is needed, and
 * a few lines do not keep one: they are written once more, into the newest.
 */
import { join } from 'node:path';
import type { SpoolDisk, SpoolFile } from './spool-disk.ts';

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
  /** The lines that are needed still, by request. */
  readonly needed: Map<string, string>;
  neededBytes: number;
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
  readonly #segmentOf = new Map<string, Segment>();
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
    return this.#segmentOf.size;
  }

  /** The line takes the place of the request's line before it. @throws what the disk throws; that one stays needed then. */
  append(requestId: string, line: string): void {
    const segment = this.#write(line);
    this.#need(segment, requestId, line);
    if (segment.bytes < this.#options.segmentBytes) return;
    this.#seal();
    this.#emptyOldSegments();
  }

  /** Nothing is needed of this request any more. */
  forget(requestId: string): void {
    const segment = this.#segmentOf.get(requestId);
    if (segment === undefined) return;
    this.#segmentOf.delete(requestId);
    this.#release(segment, requestId);
  }

  /** Ends the writing. What is needed stays on the disk, and nothing else does when nothing is. */
  close(): void {
    this.#seal();
    if (this.neededCount === 0) for (const segment of [...this.#segments]) this.#remove(segment);
  }

  #need(segment: Segment, requestId: string, line: string): void {
    const before = this.#segmentOf.get(requestId);
    // Its lines are ASCII but for names, and the share is no exact thing.
    segment.neededBytes += line.length - (segment.needed.get(requestId)?.length ?? 0);
    segment.needed.set(requestId, line);
    if (before === segment) return;
    this.#segmentOf.set(requestId, segment);
    if (before !== undefined) this.#release(before, requestId);
  }

  #release(segment: Segment, requestId: string): void {
    segment.neededBytes -= segment.needed.get(requestId)?.length ?? 0;
    segment.needed.delete(requestId);
    if (segment.needed.size > 0) return;
    const isCurrent = segment === this.#current?.segment;
    if (isCurrent && segment.bytes < tidyBytes) return;
    if (isCurrent) this.#seal();
    this.#remove(segment);
  }

  #write(line: string): Segment {
    this.#current ??= this.#begin();
    const { segment, file } = this.#current;
    try {
      segment.bytes += this.#writeWhole(file, line);
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
    const segment: Segment = { path, bytes: 0, needed: new Map(), neededBytes: 0 };
    this.#segments.add(segment);
    try {
      segment.bytes += this.#writeWhole(file, headLine);
    } catch (thrown) {
      closeQuietly(file);
      this.#remove(segment);
      throw thrown;
    }
    return { segment, file };
  }

  #writeWhole(file: SpoolFile, text: string): number {
    const length = Buffer.byteLength(text);
    const taken = file.write(text);
    this.#bytes += taken;
    if (taken === length) return length;
    throw new Error(`only ${taken} of ${length} bytes could be written`);
  }

  #seal(): void {
    const current = this.#current;
    if (current === undefined) return;
    this.#current = undefined;
    closeQuietly(current.file);
    if (current.segment.needed.size === 0) this.#remove(current.segment);
  }

  /** Some requests take an hour: they must not keep what thousands of others wrote beside them. */
  #emptyOldSegments(): void {
    for (const segment of [...this.#segments]) {
      if (segment === this.#current?.segment || segment.neededBytes > segment.bytes * emptyingShare) continue;
      for (const [requestId, line] of [...segment.needed]) this.#need(this.#write(line), requestId, line);
    }
  }

  #remove(segment: Segment): void {
    if (!this.#segments.delete(segment)) return;
    this.#bytes -= segment.bytes;
    this.#options.disk.remove(segment.path);
  }
}

function closeQuietly(file: SpoolFile): void {
  try {
    file.close();
  } catch {
    // What was written is with the kernel; the descriptor is gone either way.
  }
}
