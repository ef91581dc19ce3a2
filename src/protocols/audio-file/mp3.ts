/** How long an MP3 is: by the figures in its first frame, else frame by frame. */
import type { AudioBytes } from './audio-bytes.ts';
import { firstMp3Frame, type Mp3Frame, readMp3Frame } from './mp3-frame.ts';

/** The shortest frame that there is. */
const leastFrameBytes = 24;
const hasFrameCount = 1;
/** From the frame's beginning, wherever the side information ends. */
const vbriOffset = 36;
/** Damage is skipped up to this much in all; behind more the rest of a file is no sound. */
const mostDamagedBytes = 65_536;

export function mp3Seconds(bytes: AudioBytes): number | null {
  const first = firstMp3Frame(bytes);
  if (first === null) return null;
  const count = declaredFrames(bytes, first);
  // A count that could not fit into the bytes is a mistake or a lie.
  if (count !== null && count > 0 && count <= bytes.length / leastFrameBytes) {
    return (count * first.samples) / first.sampleRate;
  }
  return walkFrames(bytes, first);
}

function declaredFrames(bytes: AudioBytes, { at, figuresAt }: Mp3Frame): number | null {
  if (bytes.has('Xing', figuresAt) || bytes.has('Info', figuresAt)) {
    return (bytes.u32(figuresAt + 4) & hasFrameCount) === 0 ? null : bytes.u32(figuresAt + 8);
  }
  return bytes.has('VBRI', at + vbriOffset) ? bytes.u32(at + vbriOffset + 14) : null;
}

function walkFrames(bytes: AudioBytes, first: Mp3Frame): number {
  let seconds = 0;
  let damaged = 0;
  let at = first.at;
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
