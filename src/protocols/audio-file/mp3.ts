/** How long an MP3 is, frame by frame: the count that many have in their first frame is whatever its writer liked. */
import type { AudioBytes } from './audio-bytes.ts';
import { firstMp3Frame, type Mp3Frame, readMp3Frame } from './mp3-frame.ts';

/** From the frame's beginning, wherever the side information ends. */
const vbriOffset = 36;
/** Damage is skipped up to this much in all; behind more the rest of a file is no sound. */
const mostDamagedBytes = 65_536;

export function mp3Seconds(bytes: AudioBytes): number | null {
  const first = firstMp3Frame(bytes);
  if (first === null) return null;
  return walkFrames(bytes, hasFigures(bytes, first) ? first.at + first.bytes : first.at);
}

/** A frame that holds figures of the others is silent, and not played. */
function hasFigures(bytes: AudioBytes, { at, figuresAt }: Mp3Frame): boolean {
  const isXing = bytes.has('Xing', figuresAt) || bytes.has('Info', figuresAt);
  return isXing || bytes.has('VBRI', at + vbriOffset);
}

function walkFrames(bytes: AudioBytes, begin: number): number {
  let seconds = 0;
  let damaged = 0;
  let at = begin;
  while (at + 4 <= bytes.length) {
    const frame = readMp3Frame(bytes, at);
    if (frame === null) {
      if (bytes.has('TAG', at) || bytes.has('APETAGEX', at)) break;
      damaged += 1;
      if (damaged > mostDamagedBytes) break;
      at += 1;
      continue;
    }
    seconds += frame.samples / frame.sampleRate;
    at += frame.bytes;
  }
  return seconds;
}
