/** How long a FLAC is: the samples that its stream information counts. */
import { type AudioBytes, endOfId3 } from './audio-bytes.ts';

const blockHeaderBytes = 4;
const isLastBlock = 0x80;
/** A file has a handful. */
const mostBlocks = 1000;

export function flacSeconds(bytes: AudioBytes): number | null {
  const information = flacInformation(bytes);
  const rate = flacSampleRate(bytes, information);
  const samples = (bytes.u8(information + 13) & 0x0f) * 0x1_0000_0000 + bytes.u32(information + 14);
  // Zero is written by encoders that could not go back when they knew.
  return rate === 0 || samples === 0 ? null : samples / rate;
}

/** @param information where the stream information begins. */
export function flacSampleRate(bytes: AudioBytes, information: number): number {
  return bytes.u24(information + 10) >>> 4;
}

/** Of the sound before it is packed. */
export function flacBytesPerSecond(bytes: AudioBytes): number {
  const information = flacInformation(bytes);
  const layout = bytes.u16(information + 12);
  const channels = ((layout >>> 9) & 7) + 1;
  const bits = ((layout >>> 4) & 31) + 1;
  return (flacSampleRate(bytes, information) * channels * bits) / 8;
}

/** Behind the blocks that describe it, one of which is often a picture; at the end when they are cut off. */
export function flacSoundBytes(bytes: AudioBytes): number {
  let at = endOfId3(bytes) + 4;
  for (let block = 0; block < mostBlocks && at + blockHeaderBytes <= bytes.length; block += 1) {
    const isLast = (bytes.u8(at) & isLastBlock) !== 0;
    at += blockHeaderBytes + bytes.u24(at + 1);
    if (isLast) break;
  }
  return Math.max(0, bytes.length - at);
}

function flacInformation(bytes: AudioBytes): number {
  return endOfId3(bytes) + 8;
}
