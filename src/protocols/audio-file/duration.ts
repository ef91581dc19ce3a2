/** How long an audio file is, as its container tells. Nothing is decoded, and a hostile file costs one short look. */

import { AudioBytes } from './audio-bytes.ts';
import type { AudioContainer } from './container.ts';
import { flacSeconds } from './flac.ts';
import { leastSeconds } from './least-seconds.ts';
import { m4aSeconds } from './m4a.ts';
import { mp3Seconds } from './mp3.ts';
import { oggSeconds } from './ogg.ts';
import { wavSeconds } from './wav.ts';
import { webmSeconds } from './webm.ts';

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
