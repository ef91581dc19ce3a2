/**
 * How long an MP3 is (MPEG audio layer III). Its frames are counted one by one, because the count that many files have
 * in their first frame is whatever its writer liked.
 */
import { type AudioBytes, endOfId3 } from './audio-bytes.ts';

export interface Mp3Frame {
  readonly at: number;
  readonly bytes: number;
  readonly samples: number;
  readonly sampleRate: number;
  /** Where a frame that holds figures instead of sound has its mark. */
  readonly figuresAt: number;
}

/** In kbit/s, by the header's index; the first stands for a free choice, which nobody uses. */
const bitrates1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320] as const;
const bitrates2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160] as const;

/** By the header's index, of MPEG 1; version 2 has half of it and 2.5 a quarter. */
const sampleRates = [44_100, 48_000, 32_000] as const;

/** Encoders leave padding behind a tag; what is further away is no beginning of a file. */
const searchBytes = 65_536;

/** Null when no frame begins there. */
function readMp3Frame(bytes: AudioBytes, at: number): Mp3Frame | null {
  if (at + 4 > bytes.length) return null;
  const header = bytes.u32(at);
  const version = (header >>> 19) & 3;
  const isLayer3 = ((header >>> 17) & 3) === 1;
  if (header >>> 21 !== 0x7ff || version === 1 || !isLayer3) return null;
  const isVersion1 = version === 3;
  const kbits = (isVersion1 ? bitrates1 : bitrates2)[(header >>> 12) & 15];
  const fullRate = sampleRates[(header >>> 10) & 3];
  if (kbits === undefined || kbits === 0 || fullRate === undefined) return null;
  const sampleRate = isVersion1 ? fullRate : version === 2 ? fullRate / 2 : fullRate / 4;
  const samples = isVersion1 ? 1152 : 576;
  const padding = (header >>> 9) & 1;
  const isMono = ((header >>> 6) & 3) === 3;
  const sideBytes = isVersion1 ? (isMono ? 17 : 32) : isMono ? 9 : 17;
  return {
    at,
    bytes: Math.floor(((samples / 8) * kbits * 1000) / sampleRate) + padding,
    samples,
    sampleRate,
    figuresAt: at + 4 + sideBytes,
  };
}

/**
 * The first frame, at the beginning or shortly behind a tag. Frames have short marks that other data has by chance, so
 * another must follow, unless the file ends with this one.
 */
export function firstMp3Frame(bytes: AudioBytes): Mp3Frame | null {
  const begin = endOfId3(bytes);
  const last = begin === 0 ? 0 : Math.min(begin + searchBytes, bytes.length);
  for (let at = begin; at <= last; at += 1) {
    const frame = readMp3Frame(bytes, at);
    if (frame === null) continue;
    const next = at + frame.bytes;
    if (next >= bytes.length - 4 || readMp3Frame(bytes, next) !== null) return frame;
  }
  return null;
}

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
