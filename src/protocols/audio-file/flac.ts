/** How long a FLAC is: the samples that its stream information counts. */
import type { AudioBytes } from './audio-bytes.ts';
import { endOfId3 } from './skip-id3.ts';

export function flacSeconds(bytes: AudioBytes): number | null {
  const information = endOfId3(bytes) + 8;
  const rate = flacSampleRate(bytes, information);
  const samples = (bytes.u8(information + 13) & 0x0f) * 0x1_0000_0000 + bytes.u32(information + 14);
  // Zero is written by encoders that could not go back when they knew.
  return rate === 0 || samples === 0 ? null : samples / rate;
}

/** @param information where the stream information begins. */
export function flacSampleRate(bytes: AudioBytes, information: number): number {
  return bytes.u24(information + 10) >>> 4;
}
