/** Audio files of WAV, MP3 and FLAC, made from their parts, and the bytes that such files are put together from. */

export type Piece = string | Uint8Array | readonly number[];

/** Text stands for its characters as bytes. */
export function join(...pieces: readonly Piece[]): Buffer {
  return Buffer.concat(
    pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece, 'latin1') : Buffer.from(piece))),
  );
}

export function zeros(count: number): Buffer {
  return Buffer.alloc(count);
}

export function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

export function u16le(value: number): Buffer {
  return u16(value).reverse();
}

export function u32le(value: number): Buffer {
  return u32(value).reverse();
}

export function u64le(value: number): Buffer {
  return u64(value).reverse();
}

const bytesPerSample = 2;

export interface WavFile {
  readonly sampleRate?: number;
  readonly seconds: number;
  /** Instead of the true length. */
  readonly declaredBytes?: number;
  readonly chunkBefore?: Buffer;
}

/** Silence in 16 bits, one channel. */
export function wavFile({
  sampleRate = 8000,
  seconds,
  declaredBytes,
  chunkBefore = zeros(0),
}: WavFile): Buffer {
  const sound = zeros(sampleRate * bytesPerSample * seconds);
  return join(
    'RIFF',
    u32le(36 + sound.length),
    'WAVE',
    chunkBefore,
    format(sampleRate),
    'data',
    u32le(declaredBytes ?? sound.length),
    sound,
  );
}

/** The form for more than four gigabytes, with a chunk behind the sound. */
export function rf64File(seconds: number): Buffer {
  const sound = zeros(8000 * bytesPerSample * seconds);
  const lengths = join(u64le(0), u64le(sound.length), u64le(sound.length / bytesPerSample), u32le(0));
  return join(
    'RF64',
    u32le(0xffffffff),
    'WAVE',
    ...['ds64', u32le(lengths.length), lengths],
    format(8000),
    ...['data', u32le(0xffffffff), sound],
    ...['LIST', u32le(400), zeros(400)],
  );
}

function format(sampleRate: number): Buffer {
  return join(
    'fmt ',
    u32le(16),
    u16le(1),
    u16le(1),
    u32le(sampleRate),
    u32le(sampleRate * bytesPerSample),
    u16le(bytesPerSample),
    u16le(16),
  );
}

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

export function flacFile(samples: number, sampleRate: number): Buffer {
  return join('fLaC', [0x80, 0, 0, 34], streamInformation(samples, sampleRate));
}

export function streamInformation(samples: number, sampleRate: number): Buffer {
  return join(
    u16(4096),
    u16(4096),
    zeros(6),
    // 20 bits of rate, 3 of channels, 5 of depth, 36 of samples.
    u16(sampleRate >> 4),
    [((sampleRate & 15) << 4) | 1, 0xf0 | Math.floor(samples / 2 ** 32)],
    u32(samples % 2 ** 32),
    zeros(16),
  );
}
