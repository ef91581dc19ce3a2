import { describe, expect, test } from 'bun:test';
import { readDuration } from './duration.ts';
import { join, u32, u32le, zeros } from './testing/bytes.ts';
import { flacFile } from './testing/flac-file.ts';
import { box, fileType, track } from './testing/m4a-file.ts';
import { mp3Frame, mp3Frames } from './testing/mp3-file.ts';
import { oggFile, opusHead } from './testing/ogg-file.ts';
import { wavFile } from './testing/wav-file.ts';
import { blockAt, element, float64, webmHeader, webmIds } from './testing/webm-file.ts';

const megabyte = zeros(1_000_000);

/** Where the figures stand in a plain file's header. */
const wavAt = { kind: 20, channels: 22, rate: 24, bytesPerSecond: 28, bits: 34 } as const;

function changedWav(change: (file: Buffer) => void): Buffer {
  const file = wavFile({ seconds: 60 });
  change(file);
  return file;
}

describe('a WAV', () => {
  test.each([0xffffffff, 1, 0])('of plain samples ignores a claim of %p bytes a second', (claimed) => {
    const file = changedWav((bytes) => bytes.writeUInt32LE(claimed, wavAt.bytesPerSecond));
    expect(readDuration(file, 'wav')).toEqual({ ms: 60_000, isEstimated: false });
  });

  test('whose format stands in its extension does too', () => {
    const plain = wavFile({ seconds: 60 });
    const extended = join(
      plain.subarray(0, 16),
      [40, 0, 0, 0],
      plain.subarray(20, 36),
      [22, 0, 16, 0],
      u32(0),
      [1, 0],
      zeros(14),
      plain.subarray(36),
    );
    extended.writeUInt16LE(0xfffe, wavAt.kind);
    extended.writeUInt32LE(0xffffffff, wavAt.bytesPerSecond);
    expect(readDuration(extended, 'wav')).toEqual({ ms: 60_000, isEstimated: false });
  });

  test.each([
    ['packed at any number of bytes a second', wavAt.kind, wavAt.bytesPerSecond],
    ['of plain samples at any rate', wavAt.bits, wavAt.rate],
  ])('%s lasts as long as the densest samples would', (_name, sixteenAt, thirtyTwoAt) => {
    const file = changedWav((bytes) => {
      if (sixteenAt === wavAt.kind) bytes.writeUInt16LE(2, sixteenAt);
      bytes.writeUInt32LE(0xffffffff, thirtyTwoAt);
    });
    expect(readDuration(file, 'wav')).toEqual({
      ms: Math.round((file.length / 1_536_000) * 1000),
      isEstimated: true,
    });
  });

  test('in several pieces, or with several formats, lasts as long as all pieces in the first format', () => {
    const whole = wavFile({ seconds: 60, declaredBytes: 16_000 });
    const at = 44 + 16_000;
    const second = join('data', u32le(whole.length - at), whole.subarray(at));
    expect(readDuration(join(whole.subarray(0, at), second), 'wav')?.ms).toBe(60_000);
    const denser = join(whole.subarray(12, 36));
    denser.writeUInt32LE(192_000, wavAt.rate - 12);
    const file = join(whole.subarray(0, 36), denser, whole.subarray(36, at), second);
    expect(readDuration(file, 'wav')?.ms).toBe(60_000);
  });

  test('packed at a rate in reason lasts as long as it says', () => {
    const file = changedWav((bytes) => {
      bytes.writeUInt16LE(2, wavAt.kind);
      bytes.writeUInt32LE(4000, wavAt.bytesPerSecond);
    });
    expect(readDuration(file, 'wav')).toEqual({ ms: 240_000, isEstimated: false });
  });
});

describe('an MP3', () => {
  test('of honest frames is as long as they are, at the highest rate too', () => {
    const densest = join([0xff, 0xfb, 0xe0, 0x44], zeros(1044 - 4));
    const file = join(...Array.from({ length: 100 }, () => densest));
    expect(readDuration(file, 'mp3')).toEqual({
      ms: Math.round((100 * 1152_000) / 44_100),
      isEstimated: false,
    });
  });

  test('with its sound behind damage or a tag lasts as long as the bytes', () => {
    for (const gap of [zeros(70_000), join('TAG', zeros(125))]) {
      const file = join(mp3Frame(), mp3Frame(), gap, mp3Frames(3000));
      expect(readDuration(file, 'mp3')).toEqual({
        ms: Math.round((file.length / 42_000) * 1000),
        isEstimated: true,
      });
    }
  });
});

test('a FLAC that counts a handful of samples lasts as long as its sound would unpacked', () => {
  const file = join(flacFile(44, 44_100), megabyte);
  file[4] = 0x80;
  expect(readDuration(file, 'flac')).toEqual({
    ms: Math.round((1_000_000 / (44_100 * 4)) * 1000),
    isEstimated: true,
  });
});

test('a FLAC’s picture is no sound', () => {
  const file = join(flacFile(441_000, 44_100), [0x86, 0x0f, 0x42, 0x40], megabyte, zeros(100_000));
  file[4] = 0;
  expect(readDuration(file, 'flac')).toEqual({ ms: 10_000, isEstimated: false });
});

describe('an M4A, an Ogg and a WebM that claim a moment', () => {
  const film = (handler: 'soun' | 'vide', ...entries: readonly Buffer[]) =>
    join(
      fileType,
      box('moov', track(1, 'soun', { timescale: 1000, ticks: 1 }), track(2, handler, noClock), ...entries),
      box('mdat', megabyte),
    );
  const noClock = { timescale: 1000, ticks: 0 };
  const webm = (codec: string) =>
    join(
      webmHeader(),
      element(
        webmIds.segment,
        element(webmIds.info, element(webmIds.duration, float64(1))),
        element(webmIds.filler, codec),
        element(webmIds.cluster, element(webmIds.simpleBlock, blockAt(0)), megabyte),
      ),
    );

  test.each([
    ['m4a', 'packed sound', film('soun'), 80_000],
    ['m4a', 'sound that loses nothing', film('soun', box('alac', zeros(8))), 576_000],
    ['m4a', 'pictures', film('vide'), 1_250_000],
    ['ogg', 'packed sound', join(oggFile(opusHead(0), [48]), megabyte), 80_000],
    ['webm', 'packed sound', webm('A_OPUS'), 80_000],
    ['webm', 'pictures', webm('V_VP9'), 1_250_000],
  ] as const)('%s with %s lasts as long as its bytes', (container, _what, file, bytesPerSecond) => {
    expect(readDuration(file, container)).toEqual({
      ms: Math.round((file.length / bytesPerSecond) * 1000),
      isEstimated: true,
    });
  });
});
