/** Ogg files made for tests, page by page. */
import { join, u16le, u32le, u64le, zeros } from './bytes.ts';
import { streamInformation } from './flac-file.ts';

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
