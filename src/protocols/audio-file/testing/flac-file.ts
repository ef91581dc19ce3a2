/** FLAC files made for tests: stream information and nothing else. */
import { join, u16, u32, zeros } from './bytes.ts';

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
