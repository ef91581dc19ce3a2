/**
 * How long a file is at least, whatever it says of itself: its bytes over the most that its format takes for a second.
 * The length in a container is its writer's word, and its writer pays by it.
 */

import type { AudioBytes } from './audio-bytes.ts';
import type { AudioContainer } from './container.ts';
import { flacBytesPerSecond, flacSoundBytes } from './flac.ts';
import { findBox } from './m4a-boxes.ts';
import { endOfId3 } from './skip-id3.ts';

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

const readers: Readonly<Record<AudioContainer, (bytes: AudioBytes) => number>> = {
  wav: ({ length }) => length / most.plain,
  mp3: (bytes) => Math.max(0, bytes.length - endOfId3(bytes)) / most.mp3,
  m4a: (bytes) => bytes.length / m4aMost(bytes),
  flac: (bytes) => flacSoundBytes(bytes) / flacMost(bytes),
  ogg: (bytes) => bytes.length / oggMost(bytes),
  webm: (bytes) => bytes.length / (mentions(bytes, ['V_VP', 'V_AV', 'V_MPEG']) ? most.film : most.packed),
};

export function leastSeconds(bytes: AudioBytes, container: AudioContainer): number {
  return readers[container](bytes);
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
