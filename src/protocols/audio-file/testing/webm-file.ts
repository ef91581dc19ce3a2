/** WebM files made for tests, element by element. */
import { join, type Piece, u16, zeros } from './bytes.ts';

const unknownSize = [0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff] as const;

/** With a size of eight bytes, as recorders write it. */
export function element(id: readonly number[], ...contents: readonly Piece[]): Buffer {
  const body = join(...contents);
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(body.length));
  size[0] = 0x01;
  return join(id, size, body);
}

export function openElement(id: readonly number[], ...contents: readonly Piece[]): Buffer {
  return join(id, unknownSize, ...contents);
}

export const webmIds = {
  header: [0x1a, 0x45, 0xdf, 0xa3],
  docType: [0x42, 0x82],
  segment: [0x18, 0x53, 0x80, 0x67],
  info: [0x15, 0x49, 0xa9, 0x66],
  timestampScale: [0x2a, 0xd7, 0xb1],
  duration: [0x44, 0x89],
  cluster: [0x1f, 0x43, 0xb6, 0x75],
  clusterTimestamp: [0xe7],
  simpleBlock: [0xa3],
  blockGroup: [0xa0],
  block: [0xa1],
  filler: [0xec],
} as const;

export function webmHeader(): Buffer {
  return element(webmIds.header, element(webmIds.docType, 'webm'));
}

export function float64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes;
}

/** @param ticks behind the cluster's own time. */
export function blockAt(ticks: number): Buffer {
  return join([0x81], u16(ticks), [0x80], zeros(20));
}
