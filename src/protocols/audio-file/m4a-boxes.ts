/** The boxes that an MP4 file is made of. */
import type { AudioBytes } from './audio-bytes.ts';

export interface Box {
  /** Where its contents begin and end. */
  readonly body: number;
  readonly end: number;
}

const headerBytes = 8;
const longHeaderBytes = 16;
/** A day in fragments of a second each has fewer; one of nothing but boxes is not worth reading on. */
const mostBoxes = 100_000;

/** The boxes of a type between two places, in order. The last one may be cut off by the end of the file. */
export function* boxesOf(bytes: AudioBytes, type: string, within: Box): Generator<Box> {
  const end = Math.min(within.end, bytes.length);
  let at = within.body;
  for (let count = 0; count < mostBoxes && at + headerBytes <= end; count += 1) {
    const size = bytes.u32(at);
    const isLong = size === 1 && at + longHeaderBytes <= end;
    const body = at + (isLong ? longHeaderBytes : headerBytes);
    const length = size === 0 ? end - at : isLong ? bytes.u64(at + headerBytes) : size;
    // Less than its own header: no box, and nothing behind it can be found.
    if (at + length < body) return;
    if (bytes.has(type, at + 4)) yield { body, end: Math.min(at + length, end) };
    at += length;
  }
}

/** The first of a type, by the path to it. */
export function findBox(bytes: AudioBytes, path: readonly string[], within: Box): Box | null {
  let box: Box | null = null;
  for (const type of path) {
    const found: Box | undefined = boxesOf(bytes, type, box ?? within).next().value ?? undefined;
    if (found === undefined) return null;
    box = found;
  }
  return box;
}
