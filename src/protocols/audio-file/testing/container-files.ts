/** Audio files of M4A, Ogg and WebM, made from their boxes, pages and elements. */
import {
  join,
  type Piece,
  streamInformation,
  u16,
  u16le,
  u32,
  u32le,
  u64,
  u64le,
  zeros,
} from './plain-files.ts';

export function box(type: string, ...contents: readonly Piece[]): Buffer {
  const body = join(...contents);
  return join(u32(8 + body.length), type, body);
}

export function longBox(type: string, ...contents: readonly Piece[]): Buffer {
  const body = join(...contents);
  return join(u32(1), type, u64(16 + body.length), body);
}

export interface Clock {
  readonly timescale: number;
  readonly ticks: number;
  readonly isLong?: boolean;
}

/** Begins like `mvhd` and `mdhd`. */
export function clockBox(type: 'mvhd' | 'mdhd', { timescale, ticks, isLong = false }: Clock): Buffer {
  return isLong
    ? box(type, [1, 0, 0, 0], zeros(16), u32(timescale), u64(ticks), zeros(4))
    : box(type, [0, 0, 0, 0], zeros(8), u32(timescale), u32(ticks), zeros(4));
}

export function track(id: number, handler: 'soun' | 'vide', clock: Clock): Buffer {
  return box(
    'trak',
    box('tkhd', [0, 0, 0, 3], zeros(8), u32(id), zeros(64)),
    box('mdia', clockBox('mdhd', clock), box('hdlr', zeros(8), handler, zeros(12))),
  );
}

export const fileType = box('ftyp', 'M4A ', u32(0), 'mp42');

export interface Fragment {
  readonly track: number;
  /** For all samples of the fragment. */
  readonly sampleTicks?: number;
  readonly runs: readonly Buffer[];
}

export function fragment(parts: readonly Fragment[]): Buffer {
  return box(
    'moof',
    box('mfhd', zeros(8)),
    ...parts.map((part) =>
      box(
        'traf',
        part.sampleTicks === undefined
          ? box('tfhd', [0, 2, 0, 0], u32(part.track))
          : box('tfhd', [0, 2, 0, 9], u32(part.track), u64(0), u32(part.sampleTicks)),
        ...part.runs,
      ),
    ),
  );
}

/** A run whose samples last as long as the defaults say. */
export function evenRun(samples: number): Buffer {
  return box('trun', [0, 0, 0, 1], u32(samples), u32(0));
}

/** A run that tells how long each of its samples lasts, and its size. */
export function unevenRun(ticks: readonly number[]): Buffer {
  return box(
    'trun',
    [0, 0, 3, 5],
    u32(ticks.length),
    zeros(8),
    ...ticks.map((each) => join(u32(each), u32(99))),
  );
}

export interface OggPage {
  readonly serial?: number;
  /** In samples; null on pages that no packet ends on. */
  readonly position?: number | null;
  readonly isFirst?: boolean;
  readonly body?: Buffer;
}

export function oggPage({ serial = 7, position = 0, isFirst = false, body = zeros(40) }: OggPage): Buffer {
  return join(
    'OggS',
    [0, isFirst ? 2 : 0],
    position === null ? Buffer.alloc(8, 0xff) : u64le(position),
    u32le(serial),
    u32le(0),
    u32le(0),
    [1, body.length],
    body,
  );
}

export function opusHead(skipped: number): Buffer {
  return join('OpusHead', [1, 1], u16le(skipped), u32le(16_000), zeros(3));
}

export function vorbisHead(sampleRate: number): Buffer {
  return join('\x01vorbis', u32le(0), [1], u32le(sampleRate), zeros(14));
}

export function flacHead(sampleRate: number): Buffer {
  return join('\x7fFLAC', [1, 0, 0, 1], 'fLaC', [0, 0, 0, 34], streamInformation(0, sampleRate));
}

export function speexHead(sampleRate: number): Buffer {
  return join('Speex   ', zeros(28), u32le(sampleRate), zeros(40));
}

/** One stream: its head, then pages that end at the positions. */
export function oggFile(head: Buffer, positions: readonly (number | null)[], serial = 7): Buffer {
  return join(
    oggPage({ serial, isFirst: true, body: head }),
    ...positions.map((position) => oggPage({ serial, position })),
  );
}

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
