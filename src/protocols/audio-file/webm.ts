/** How long a WebM is: as it says itself, else up to its last block, as recordings of browsers have no length. */
import type { AudioBytes } from './audio-bytes.ts';

const ids = {
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  cluster: 0x1f43b675,
  clusterTimestamp: 0xe7,
  blockGroup: 0xa0,
  block: 0xa1,
  simpleBlock: 0xa3,
} as const;

/** Read element by element; all others are skipped whole. */
const containers: ReadonlySet<number> = new Set([ids.segment, ids.info, ids.cluster, ids.blockGroup]);

/** Hours of sound in the smallest blocks that there are; what has more is not worth reading on. */
const mostElements = 500_000;
const nanosecondsPerTick = 1_000_000;

export function webmSeconds(bytes: AudioBytes): number | null {
  let scale = nanosecondsPerTick;
  let duration = 0;
  let clusterTicks = 0;
  let lastTicks = 0;
  let at = 0;
  for (let element = 0; at < bytes.length; element += 1) {
    if (element === mostElements) return null;
    const idBytes = vintBytes(bytes, at);
    const sizeAt = at + idBytes;
    if (idBytes > 4 || sizeAt >= bytes.length) break;
    const id = readUnsigned(bytes, at, idBytes);
    const sizeBytes = vintBytes(bytes, sizeAt);
    const body = sizeAt + sizeBytes;
    if (sizeBytes > 8 || body > bytes.length) break;
    const size = readSize(bytes, sizeAt, sizeBytes);
    // What there is to know of the whole comes before its sound.
    if (id === ids.cluster && duration > 0) break;
    if (containers.has(id)) {
      // Its end is not needed, and while it is still recorded it has none.
      at = body;
      continue;
    }
    if (body + size > bytes.length && id !== ids.simpleBlock && id !== ids.block) break;
    if (id === ids.timestampScale) scale = readUnsigned(bytes, body, Math.min(size, 8));
    else if (id === ids.duration && (size === 4 || size === 8)) duration = bytes.float(body, size);
    else if (id === ids.clusterTimestamp) clusterTicks = readUnsigned(bytes, body, Math.min(size, 8));
    else if (id === ids.simpleBlock || id === ids.block) {
      const trackBytes = vintBytes(bytes, body);
      lastTicks = Math.max(lastTicks, clusterTicks + bytes.i16(body + trackBytes));
    }
    at = body + size;
  }
  const ticks = duration > 0 ? duration : lastTicks;
  return ticks === 0 ? null : (ticks * scale) / 1_000_000_000;
}

/** How many bytes a number of this form has, by its first one; 9 for what is no such number. */
function vintBytes(bytes: AudioBytes, at: number): number {
  return Math.clz32(bytes.u8(at)) - 23;
}

/** The bits behind the one that tells how many bytes there are. */
function readSize(bytes: AudioBytes, at: number, length: number): number {
  const high = bytes.u8(at) & (2 ** (8 - length) - 1);
  return high * 256 ** (length - 1) + readUnsigned(bytes, at + 1, length - 1);
}

function readUnsigned(bytes: AudioBytes, at: number, length: number): number {
  let value = 0;
  for (let index = 0; index < length; index += 1) value = value * 256 + bytes.u8(at + index);
  return value;
}
