/** How long a WAV is: the bytes of its sound over the bytes a second. */
import type { AudioBytes } from './audio-bytes.ts';

const chunkHeaderBytes = 8;
/** A file has a handful; one of nothing but chunks is not worth reading on. */
const mostChunks = 10_000;
/** Written by those who do not know the length yet, and by RF64, which has it elsewhere. */
const unknownLength = 0xffffffff;

export function wavSeconds(bytes: AudioBytes): number | null {
  let bytesPerSecond = 0;
  let longLength: number | null = null;
  let at = 12;
  for (let chunk = 0; chunk < mostChunks && at + chunkHeaderBytes <= bytes.length; chunk += 1) {
    const body = at + chunkHeaderBytes;
    const length = bytes.u32le(at + 4);
    if (bytes.has('ds64', at)) longLength = bytes.u64le(body + 8);
    if (bytes.has('fmt ', at)) bytesPerSecond = bytes.u32le(body + 8);
    if (bytes.has('data', at)) {
      if (bytesPerSecond === 0) return null;
      const declared = length === unknownLength ? longLength : length;
      return soundBytes(bytes.length - body, declared) / bytesPerSecond;
    }
    at = body + length + (length % 2);
  }
  return null;
}

/** What is there counts: a length beyond the end is a file cut off, and no length at all means up to the end. */
function soundBytes(present: number, declared: number | null): number {
  return declared === null || declared === 0 ? present : Math.min(declared, present);
}
