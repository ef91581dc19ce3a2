/** M4A files made for tests, box by box. */
import { join, type Piece, u32, u64, zeros } from './bytes.ts';

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
