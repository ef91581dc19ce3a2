/** WAV files made for tests. */
import { join, u16le, u32le, u64le, zeros } from './bytes.ts';

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
