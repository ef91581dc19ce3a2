/** How long an Ogg file is: the last position of its streams. */
import type { AudioBytes } from './audio-bytes.ts';
import { flacSampleRate } from './flac.ts';

const pageHeaderBytes = 27;
const isFirstPage = 0x02;
/** Side by side; a real file has one or two. */
const mostStreams = 16;
/** Of a page on which no packet ends. */
const noPosition = 0xffff_ffff;

interface OggStream {
  readonly rate: number;
  /** At the beginning, made by the encoder and not to be heard. */
  readonly skippedSamples: number;
  seconds: number;
}

/** Streams side by side last as long as the longest; files put one behind the other last as long as all. */
export function oggSeconds(bytes: AudioBytes): number | null {
  let streams = new Map<number, OggStream>();
  let total = 0;
  let isBeginning = true;
  let at = 0;
  while (at !== -1 && at + pageHeaderBytes <= bytes.length) {
    const segments = bytes.u8(at + 26);
    const body = at + pageHeaderBytes + segments;
    if (body > bytes.length) break;
    const serial = bytes.u32le(at + 14);
    if ((bytes.u8(at + 5) & isFirstPage) !== 0) {
      if (!isBeginning) {
        total += longest(streams);
        streams = new Map();
      }
      isBeginning = true;
      const stream = readStream(bytes, body);
      if (stream !== null && streams.size < mostStreams) streams.set(serial, stream);
    } else {
      isBeginning = false;
      movePosition(streams.get(serial), bytes, at);
    }
    at = nextPage(bytes, at, body);
  }
  total += longest(streams);
  return total === 0 ? null : total;
}

function movePosition(stream: OggStream | undefined, bytes: AudioBytes, page: number): void {
  if (stream === undefined || bytes.u32le(page + 10) === noPosition) return;
  const samples = bytes.u64le(page + 6) - stream.skippedSamples;
  stream.seconds = Math.max(stream.seconds, samples / stream.rate);
}

/** @returns -1 when there is none. */
function nextPage(bytes: AudioBytes, page: number, body: number): number {
  let next = body;
  for (let at = page + pageHeaderBytes; at < body; at += 1) next += bytes.u8(at);
  return bytes.has('OggS', next) ? next : bytes.find('OggS', next);
}

/** Null for what is no sound. */
function readStream(bytes: AudioBytes, body: number): OggStream | null {
  if (bytes.has('OpusHead', body)) {
    // Opus counts at 48 kHz, whatever it was made from.
    return { rate: 48_000, skippedSamples: bytes.u16le(body + 10), seconds: 0 };
  }
  if (bytes.has('\x01vorbis', body)) return plainStream(bytes.u32le(body + 12));
  if (bytes.has('\x7fFLAC', body)) return plainStream(flacSampleRate(bytes, body + 17));
  if (bytes.has('Speex   ', body)) return plainStream(bytes.u32le(body + 36));
  return null;
}

function plainStream(rate: number): OggStream | null {
  return rate === 0 ? null : { rate, skippedSamples: 0, seconds: 0 };
}

function longest(streams: ReadonlyMap<number, OggStream>): number {
  let seconds = 0;
  for (const stream of streams.values()) seconds = Math.max(seconds, stream.seconds);
  return seconds;
}
