/** Where a file really begins that has ID3 tags in front. */
import type { AudioBytes } from './audio-bytes.ts';

const headerBytes = 10;
const hasFooter = 0x10;

/** 0 without a tag; may lie beyond the end of a file that is cut off. */
export function endOfId3(bytes: AudioBytes): number {
  let at = 0;
  while (bytes.has('ID3', at) && at + headerBytes <= bytes.length) {
    at += headerBytes + syncSafe(bytes, at + 6) + ((bytes.u8(at + 5) & hasFooter) === 0 ? 0 : headerBytes);
  }
  return at;
}

/** Four bytes of seven bits each, so that no tag looks like a frame. */
function syncSafe(bytes: AudioBytes, at: number): number {
  let value = 0;
  for (let index = 0; index < 4; index += 1) value = (value << 7) | (bytes.u8(at + index) & 0x7f);
  return value;
}
