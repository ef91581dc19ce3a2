/** How long a WAV is: the bytes of its sound over the bytes a second. */
import type { AudioBytes } from './audio-bytes.ts';

const chunkHeaderBytes = 8;
/** A file has a handful; one of nothing but chunks is not worth reading on. */
const mostChunks = 10_000;
/** Written by those who do not know the length yet, and by RF64, which has it elsewhere. */
const unknownLength = 0xffffffff;

/** Every sample has as many bits as it says: integers, floats, A-law and µ-law. */
const plainFormats: ReadonlySet<number> = new Set([1, 3, 6, 7]);
/** Says that the format stands further on. */
const extendedFormat = 0xfffe;

export function wavSeconds(bytes: AudioBytes): number | null {
  let format: number | null = null;
  let longLength: number | null = null;
  let sound: number | null = null;
  let at = 12;
  for (let chunk = 0; chunk < mostChunks && at + chunkHeaderBytes <= bytes.length; chunk += 1) {
    const body = at + chunkHeaderBytes;
    let length = bytes.u32le(at + 4);
    if (bytes.has('ds64', at)) longLength = bytes.u64le(body + 8);
    // A second one does not count, as decoders have it; a second piece of sound does.
    if (bytes.has('fmt ', at)) format ??= body;
    if (bytes.has('data', at)) {
      length = soundBytes(bytes.length - body, length === unknownLength ? longLength : length);
      sound = (sound ?? 0) + length;
    }
    at = body + length + (length % 2);
  }
  if (format === null || sound === null) return null;
  const bytesPerSecond = bytesPerSecondOf(bytes, format);
  return bytesPerSecond === 0 ? null : sound / bytesPerSecond;
}

/** What is there counts: a length beyond the end is a file cut off, and no length at all means up to the end. */
function soundBytes(present: number, declared: number | null): number {
  return declared === null || declared === 0 ? present : Math.min(declared, present);
}

/** Of plain samples it follows from what a decoder reads them by; what the file says of it nobody looks at. */
function bytesPerSecondOf(bytes: AudioBytes, format: number): number {
  const first = bytes.u16le(format);
  const kind = first === extendedFormat ? bytes.u16le(format + 24) : first;
  if (!plainFormats.has(kind)) return bytes.u32le(format + 8);
  const channels = bytes.u16le(format + 2);
  const sampleRate = bytes.u32le(format + 4);
  const bits = bytes.u16le(format + 14);
  return sampleRate * channels * Math.ceil(bits / 8);
}
