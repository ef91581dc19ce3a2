/**
 * What an audio file tells of itself: which container it is, and how long it lasts. Nothing is decoded, and a hostile
 * file costs one short look.
 */
import { AudioBytes, endOfId3 } from './audio-bytes.ts';
import { flacBytesPerSecond, flacSeconds, flacSoundBytes } from './flac.ts';
import { findBox, m4aSeconds } from './m4a.ts';
import { firstMp3Frame, mp3Seconds } from './mp3.ts';
import { oggSeconds } from './ogg.ts';
import { wavSeconds } from './wav.ts';
import { webmSeconds } from './webm.ts';

export type AudioContainer = 'wav' | 'mp3' | 'm4a' | 'flac' | 'ogg' | 'webm';

/** As upstreams expect it of an upload. */
export const contentTypes: Readonly<Record<AudioContainer, string>> = {
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  webm: 'audio/webm',
};

const ebmlMark = '\x1a\x45\xdf\xa3';

/** Null when it is none of them. */
export function recognizeContainer(file: Uint8Array): AudioContainer | null {
  const bytes = new AudioBytes(file);
  if ((bytes.has('RIFF', 0) || bytes.has('RF64', 0)) && bytes.has('WAVE', 8)) return 'wav';
  if (bytes.has('ftyp', 4)) return 'm4a';
  if (bytes.has('OggS', 0)) return 'ogg';
  if (bytes.has(ebmlMark, 0)) return 'webm';
  if (bytes.has('fLaC', endOfId3(bytes))) return 'flac';
  return firstMp3Frame(bytes) === null ? null : 'mp3';
}

const readers: Readonly<Record<AudioContainer, (bytes: AudioBytes) => number | null>> = {
  wav: wavSeconds,
  mp3: mp3Seconds,
  m4a: m4aSeconds,
  flac: flacSeconds,
  ogg: oggSeconds,
  webm: webmSeconds,
};

/** Longer than any upload in earnest, even of silence. */
const longestSeconds = 100 * 3600;

interface AudioDuration {
  readonly ms: number;
  /** The file says less than its bytes can be: it is as long as they are at least. */
  readonly isEstimated: boolean;
}

/** Null when the file does not say, is cut off before it does, or says what cannot be. */
export function readDuration(file: Uint8Array, container: AudioContainer): AudioDuration | null {
  try {
    const bytes = new AudioBytes(file);
    const seconds = readers[container](bytes);
    // Not a number is neither.
    if (seconds === null || !(seconds >= 0 && seconds <= longestSeconds)) return null;
    const least = leastSeconds(bytes, container);
    return { ms: Math.round(Math.max(seconds, least) * 1000), isEstimated: seconds < least };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** In whole milliseconds. */
export function readDurationMs(file: Uint8Array, container: AudioContainer): number | null {
  return readDuration(file, container)?.ms ?? null;
}

/** Bytes a second that no sound in earnest is above: for each the densest that its encoders make, and some more. */
const most = {
  /** 192 kHz in two channels of 32 bits. */
  plain: 1_536_000,
  /** 320 kbit/s. */
  mp3: 42_000,
  /** Opus at 510 kbit/s; AAC in two channels has a little more. */
  packed: 80_000,
  /** 96 kHz in two channels of 24 bits. */
  lossless: 576_000,
  /** Pictures that move, at 10 Mbit/s. */
  film: 1_250_000,
} as const;

const leastReaders: Readonly<Record<AudioContainer, (bytes: AudioBytes) => number>> = {
  wav: ({ length }) => length / most.plain,
  mp3: (bytes) => Math.max(0, bytes.length - endOfId3(bytes)) / most.mp3,
  m4a: (bytes) => bytes.length / m4aMost(bytes),
  flac: (bytes) => flacSoundBytes(bytes) / flacMost(bytes),
  ogg: (bytes) => bytes.length / oggMost(bytes),
  webm: (bytes) => bytes.length / (mentions(bytes, ['V_VP', 'V_AV', 'V_MPEG']) ? most.film : most.packed),
};

/**
 * How long a file is at least, whatever it says of itself: its bytes over the most that its format takes for a second.
 * The length in a container is its writer's word, and its writer pays by it.
 */
function leastSeconds(bytes: AudioBytes, container: AudioContainer): number {
  return leastReaders[container](bytes);
}

/** Packing makes it smaller; what it says of itself counts only when it says little. */
function flacMost(bytes: AudioBytes): number {
  const plain = flacBytesPerSecond(bytes);
  return plain === 0 ? most.lossless : Math.min(plain, most.lossless);
}

function oggMost(bytes: AudioBytes): number {
  if (mentions(bytes, ['theora', 'OVP80'])) return most.film;
  return mentions(bytes, ['\x7fFLAC']) ? most.lossless : most.packed;
}

function m4aMost(bytes: AudioBytes): number {
  const film = findBox(bytes, ['moov'], { body: 0, end: bytes.length });
  if (film === null) return most.packed;
  if (mentions(bytes, ['vide'], film)) return most.film;
  return mentions(bytes, ['alac', 'fLaC'], film) ? most.lossless : most.packed;
}

/** The names of formats stand where a file begins, however long its sound is. */
const describedWithinBytes = 8192;

function mentions(
  bytes: AudioBytes,
  marks: readonly string[],
  { body, end }: { readonly body: number; readonly end: number } = { body: 0, end: describedWithinBytes },
): boolean {
  return marks.some((mark) => bytes.find(mark, body, end) !== -1);
}
