/** How long the fragments of a track are, in films that are written while they are recorded. */
import type { AudioBytes } from './audio-bytes.ts';
import { type Box, boxesOf, findBox } from './m4a-boxes.ts';

const headerFlags = { baseOffset: 0x1, description: 0x2, sampleDuration: 0x8 } as const;
const runFlags = {
  dataOffset: 0x1,
  firstSampleFlags: 0x4,
  sampleDuration: 0x100,
  sampleSize: 0x200,
  sampleFlags: 0x400,
  sampleOffset: 0x800,
} as const;

/** In ticks of the track. */
export function fragmentTicks(bytes: AudioBytes, film: Box, trackId: number | null): number {
  const inherited = defaultTicks(bytes, film, trackId);
  let ticks = 0;
  for (const fragment of boxesOf(bytes, 'moof', { body: 0, end: bytes.length })) {
    for (const part of boxesOf(bytes, 'traf', fragment)) {
      const header = findBox(bytes, ['tfhd'], part);
      if (header === null || bytes.u32(header.body + 4) !== trackId) continue;
      const each = ownTicks(bytes, header) ?? inherited;
      for (const run of boxesOf(bytes, 'trun', part)) ticks += runTicks(bytes, run, each);
    }
  }
  return ticks;
}

function defaultTicks(bytes: AudioBytes, film: Box, trackId: number | null): number {
  const extension = findBox(bytes, ['mvex'], film);
  if (extension === null) return 0;
  for (const track of boxesOf(bytes, 'trex', extension)) {
    if (bytes.u32(track.body + 4) === trackId) return bytes.u32(track.body + 12);
  }
  return 0;
}

function ownTicks(bytes: AudioBytes, { body }: Box): number | null {
  const flags = bytes.u24(body + 1);
  if ((flags & headerFlags.sampleDuration) === 0) return null;
  const before = (flags & headerFlags.baseOffset ? 8 : 0) + (flags & headerFlags.description ? 4 : 0);
  return bytes.u32(body + 8 + before);
}

function runTicks(bytes: AudioBytes, { body, end }: Box, each: number): number {
  const flags = bytes.u24(body + 1);
  const samples = bytes.u32(body + 4);
  if ((flags & runFlags.sampleDuration) === 0) return samples * each;
  const width = [runFlags.sampleSize, runFlags.sampleFlags, runFlags.sampleOffset].reduce(
    (sum, flag) => sum + (flags & flag ? 4 : 0),
    4,
  );
  let at = body + 8 + (flags & runFlags.dataOffset ? 4 : 0) + (flags & runFlags.firstSampleFlags ? 4 : 0);
  let ticks = 0;
  // The box holds no more samples than it has room for, whatever it says.
  for (let sample = 0; sample < samples && at + 4 <= end; sample += 1) {
    ticks += bytes.u32(at);
    at += width;
  }
  return ticks;
}
