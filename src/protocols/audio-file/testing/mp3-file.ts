/** MP3 files made for tests: frames of 44.1 kHz with nothing in them. */
import { join, u16, u32, zeros } from './bytes.ts';

const header128 = [0xff, 0xfb, 0x90, 0x44] as const;
const header64 = [0xff, 0xfb, 0x50, 0x44] as const;
/** What follows the header of a stereo frame. */
const sideBytes = 32;

export const mp3FrameSeconds = 1152 / 44_100;

/** At 128 kbit/s. */
export function mp3Frame(contents: Buffer = zeros(0)): Buffer {
  return join(header128, contents, zeros(417 - 4 - contents.length));
}

/** At 64 kbit/s, so that a file has frames of two lengths. */
export function shortMp3Frame(): Buffer {
  return join(header64, zeros(208 - 4));
}

export function mp3Frames(count: number): Buffer {
  return join(
    ...Array.from({ length: count }, (_, index) => (index % 2 === 0 ? mp3Frame() : shortMp3Frame())),
  );
}

/** A first frame that counts the others, as most encoders of variable rates write it. */
export function xingFrame(frames: number, mark: 'Xing' | 'Info' = 'Xing'): Buffer {
  return mp3Frame(join(zeros(sideBytes), mark, u32(1), u32(frames)));
}

export function vbriFrame(frames: number): Buffer {
  return mp3Frame(join(zeros(sideBytes), 'VBRI', u16(1), u16(0), u16(0), u32(0), u32(frames)));
}

/** A tag in front, with padding. */
export function id3Tag(bytes: number): Buffer {
  return join('ID3', [4, 0, 0], [0, 0, (bytes >> 7) & 0x7f, bytes & 0x7f], zeros(bytes));
}
