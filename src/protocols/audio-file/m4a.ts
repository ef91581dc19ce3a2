/** How long an M4A is: its sound track says it, else the whole film, else all of its fragments together. */
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
function* boxesOf(bytes: AudioBytes, type: string, within: Box): Generator<Box> {
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

/** Says that the length is not known yet; of the long form all bits are set too. */
const unknownTicks = 0xffffffff;

export function m4aSeconds(bytes: AudioBytes): number | null {
  const film = findBox(bytes, ['moov'], { body: 0, end: bytes.length });
  if (film === null) return null;
  const track = soundTrack(bytes, film);
  const trackHeader = track === null ? null : findBox(bytes, ['mdia', 'mdhd'], track);
  const trackSeconds = trackHeader === null ? null : headerSeconds(bytes, trackHeader);
  if (trackSeconds !== null) return trackSeconds;
  const filmHeader = findBox(bytes, ['mvhd'], film);
  const filmSeconds = filmHeader === null ? null : headerSeconds(bytes, filmHeader);
  if (filmSeconds !== null) return filmSeconds;
  if (track === null || trackHeader === null) return null;
  const ticks = fragmentTicks(bytes, film, trackId(bytes, track));
  const scale = timescale(bytes, trackHeader);
  return ticks === 0 || scale === 0 ? null : ticks / scale;
}

function soundTrack(bytes: AudioBytes, film: Box): Box | null {
  for (const track of boxesOf(bytes, 'trak', film)) {
    const handler = findBox(bytes, ['mdia', 'hdlr'], track);
    if (handler !== null && bytes.has('soun', handler.body + 8)) return track;
  }
  return null;
}

function trackId(bytes: AudioBytes, track: Box): number | null {
  const header = findBox(bytes, ['tkhd'], track);
  if (header === null) return null;
  return bytes.u32(header.body + (bytes.u8(header.body) === 1 ? 20 : 12));
}

/** Of `mvhd` and `mdhd`, which begin alike. */
function headerSeconds(bytes: AudioBytes, { body }: Box): number | null {
  const isLong = bytes.u8(body) === 1;
  const scale = timescale(bytes, { body });
  const ticks = isLong ? bytes.u64(body + 24) : bytes.u32(body + 16);
  const isUnknown = ticks === 0 || (!isLong && ticks === unknownTicks) || ticks >= 2 ** 63;
  return isUnknown || scale === 0 ? null : ticks / scale;
}

function timescale(bytes: AudioBytes, { body }: Pick<Box, 'body'>): number {
  return bytes.u32(body + (bytes.u8(body) === 1 ? 20 : 12));
}

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
function fragmentTicks(bytes: AudioBytes, film: Box, trackId: number | null): number {
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
