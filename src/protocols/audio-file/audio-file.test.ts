import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { readDuration, readDurationMs, recognizeContainer } from './audio-file.ts';
import {
  blockAt,
  box,
  clockBox,
  element,
  evenRun,
  fileType,
  flacHead,
  float64,
  fragment,
  longBox,
  oggFile,
  oggPage,
  openElement,
  opusHead,
  speexHead,
  track,
  unevenRun,
  vorbisHead,
  webmHeader,
  webmIds,
} from './testing/container-files.ts';
import {
  flacFile,
  id3Tag,
  join,
  mp3Frame,
  mp3FrameSeconds,
  mp3Frames,
  rf64File,
  shortMp3Frame,
  u32,
  u32le,
  u64,
  vbriFrame,
  wavFile,
  xingFrame,
  zeros,
} from './testing/plain-files.ts';

test.each([
  ['wav', wavFile({ seconds: 1 })],
  ['wav', rf64File(1)],
  ['mp3', mp3Frames(3)],
  ['mp3', join(id3Tag(500), zeros(200), mp3Frames(3))],
  ['m4a', fileType],
  ['flac', flacFile(1, 8000)],
  ['flac', join(id3Tag(100), flacFile(1, 8000))],
  ['ogg', oggFile(opusHead(0), [1])],
  ['webm', webmHeader()],
] as const)('%s is known by its bytes', (container, file) => {
  expect(recognizeContainer(file)).toBe(container);
});

test.each([
  ['nothing', zeros(0)],
  ['text', Buffer.from('this is no sound at all')],
  ['a picture in RIFF', join('RIFF', u32(100), 'WEBP', zeros(100))],
  ['AAC frames', join([0xff, 0xf1, 0x50, 0x80], zeros(200), [0xff, 0xf1, 0x50, 0x80], zeros(200))],
  ['a mark of MP3 without a second one', join(mp3Frame(), zeros(500))],
  ['a tag with nothing behind it', id3Tag(200)],
  ['a tag that claims more than there is', join('ID3', [4, 0, 0, 0x7f, 0x7f, 0x7f, 0x7f], zeros(100))],
])('%s is none of the six', (_, file) => {
  expect(recognizeContainer(file)).toBeNull();
});

test('any bytes get an answer', () => {
  const marks = fc.constantFrom('', 'ID3\x04\0\0\0\0\0\x05', 'RIFF', 'OggS', '\xff\xfb\x90', '\xff\xf3');
  fc.assert(
    fc.property(marks, fc.uint8Array({ maxLength: 300 }), (mark, noise) => {
      expect(() => recognizeContainer(join(mark, noise))).not.toThrow();
    }),
    { numRuns: 2000 },
  );
});

const ofFrames = (count: number) => Math.round(count * mp3FrameSeconds * 1000);

describe('WAV', () => {
  test('the sound over the bytes a second, whatever stands before it', () => {
    expect(readDurationMs(wavFile({ seconds: 3 }), 'wav')).toBe(3000);
    const odd = join('JUNK', u32le(5), zeros(6));
    expect(readDurationMs(wavFile({ seconds: 2, chunkBefore: odd }), 'wav')).toBe(2000);
  });

  test.each([0, 0xffffffff, 99_000_000])(
    'a length of %p is no reason to look beyond what is there',
    (bytes) => {
      expect(readDurationMs(wavFile({ seconds: 2, declaredBytes: bytes }), 'wav')).toBe(2000);
    },
  );

  test('a shorter length than what is there holds', () => {
    expect(readDurationMs(wavFile({ seconds: 2, declaredBytes: 8000 }), 'wav')).toBe(500);
  });

  test('RF64 has its length in a chunk of its own', () => {
    expect(readDurationMs(rf64File(2), 'wav')).toBe(2000);
  });

  test('no rate, no duration', () => {
    expect(readDurationMs(wavFile({ seconds: 2, sampleRate: 0 }), 'wav')).toBeNull();
    expect(readDurationMs(join('RIFF', u32(0), 'WAVE', 'data', u32le(9), zeros(9)), 'wav')).toBeNull();
  });
});

describe('MP3', () => {
  test.each([xingFrame(1), xingFrame(1, 'Info'), vbriFrame(1), xingFrame(9000), xingFrame(4_000_000_000)])(
    'its frames of different lengths, whatever the first one says of their number',
    (first) => {
      expect(readDurationMs(join(first, mp3Frames(400)), 'mp3')).toBe(ofFrames(400));
    },
  );

  test('without a frame of figures, all of its frames', () => {
    expect(readDurationMs(mp3Frames(40), 'mp3')).toBe(ofFrames(40));
  });

  test('tags and damage are no sound', () => {
    const tail = join('TAG', zeros(125));
    const damaged = join(id3Tag(300), mp3Frames(4), zeros(50), mp3Frame(), shortMp3Frame(), tail);
    expect(readDurationMs(damaged, 'mp3')).toBe(ofFrames(6));
  });
});

describe('M4A', () => {
  const sound = track(2, 'soun', { timescale: 16_000, ticks: 40_000 });
  const film = (...boxes: readonly Buffer[]) => box('moov', ...boxes);

  test('the sound track, at the end of the file as well', () => {
    const picture = track(1, 'vide', { timescale: 1000, ticks: 9000 });
    const header = clockBox('mvhd', { timescale: 1000, ticks: 9000 });
    const file = join(fileType, longBox('mdat', zeros(500)), film(header, picture, sound));
    expect(readDurationMs(file, 'm4a')).toBe(2500);
  });

  test('the whole film when the track does not say', () => {
    const header = clockBox('mvhd', { timescale: 1000, ticks: 1234, isLong: true });
    const silent = track(2, 'soun', { timescale: 16_000, ticks: 0 });
    expect(readDurationMs(join(fileType, film(header, silent)), 'm4a')).toBe(1234);
  });

  test('all fragments of the sound track when nothing says', () => {
    const header = clockBox('mvhd', { timescale: 1000, ticks: 0 });
    const recorded = track(2, 'soun', { timescale: 16_000, ticks: 0xffffffff });
    const defaults = box('mvex', box('trex', u32(0), u32(2), u32(1), u32(1024), zeros(8)));
    const file = join(
      fileType,
      film(header, recorded, defaults),
      fragment([
        { track: 1, runs: [evenRun(5000)] },
        { track: 2, runs: [evenRun(10), unevenRun([1000, 760])] },
      ]),
      box('mdat', zeros(100)),
      fragment([{ track: 2, sampleTicks: 400, runs: [evenRun(10)] }]),
    );
    expect(readDurationMs(file, 'm4a')).toBe(Math.round((10 * 1024 + 1760 + 4000) / 16));
  });

  test('a run holds no more samples than it has room for', () => {
    const recorded = track(2, 'soun', { timescale: 1000, ticks: 0 });
    const boastful = box('trun', [0, 0, 1, 0], u32(0xffffffff), u32(700));
    const file = join(fileType, film(recorded), fragment([{ track: 2, runs: [boastful] }]));
    expect(readDurationMs(file, 'm4a')).toBe(700);
  });

  test('no film, no duration', () => {
    expect(readDurationMs(join(fileType, box('mdat', zeros(10))), 'm4a')).toBeNull();
    expect(readDurationMs(join(fileType, u32(1), 'moov', u64(2 ** 50)), 'm4a')).toBeNull();
  });
});

describe('FLAC', () => {
  test('the samples that it counts, in 36 bits', () => {
    expect(readDurationMs(flacFile(66_150, 44_100), 'flac')).toBe(1500);
    expect(readDurationMs(join(id3Tag(64), flacFile(8000, 8000)), 'flac')).toBe(1000);
    expect(readDurationMs(flacFile(5_000_000_000, 192_000), 'flac')).toBe(26_041_667);
  });

  test('zero samples stand for an unknown number', () => {
    expect(readDurationMs(flacFile(0, 44_100), 'flac')).toBeNull();
  });
});

describe('Ogg', () => {
  test('Opus counts at 48 kHz and begins with what is not to be heard', () => {
    expect(readDurationMs(oggFile(opusHead(312), [0, 24_312, null, 48_312, null]), 'ogg')).toBe(1000);
  });

  test.each([
    ['Vorbis', vorbisHead(22_050)],
    ['FLAC', flacHead(22_050)],
    ['Speex', speexHead(22_050)],
  ])('%s counts at its own rate', (_, head) => {
    expect(readDurationMs(oggFile(head, [0, 33_075]), 'ogg')).toBe(1500);
  });

  test('streams side by side last as long as the longest, files in a row as long as all', () => {
    const first = oggFile(opusHead(0), [48_000]);
    const both = join(
      oggPage({ serial: 1, isFirst: true, body: opusHead(0) }),
      oggPage({ serial: 2, isFirst: true, body: join('\x80theora', zeros(40)) }),
      oggPage({ serial: 2, position: 999_999_999 }),
      oggPage({ serial: 1, position: 24_000 }),
    );
    expect(readDurationMs(join(first, both), 'ogg')).toBe(1500);
  });

  test('damage between pages is stepped over', () => {
    const file = join(oggFile(opusHead(0), [24_000]), 'noise', oggPage({ position: 96_000 }));
    expect(readDurationMs(file, 'ogg')).toBe(2000);
  });

  test('unknown sound has no duration', () => {
    expect(readDurationMs(oggFile(join('Unheard', zeros(20)), [48_000]), 'ogg')).toBeNull();
  });
});

describe('WebM', () => {
  const cluster = (ticks: number, ...blocks: readonly Buffer[]) =>
    openElement(webmIds.cluster, element(webmIds.clusterTimestamp, u32(ticks)), ...blocks);
  const simple = (ticks: number) => element(webmIds.simpleBlock, blockAt(ticks));

  test('its own word, in its own scale', () => {
    const info = element(
      webmIds.info,
      element(webmIds.duration, float64(250)),
      element(webmIds.timestampScale, u32(10_000_000)),
    );
    const file = join(webmHeader(), element(webmIds.segment, info, cluster(9000, simple(1))));
    expect(readDurationMs(file, 'webm')).toBe(2500);
  });

  test('the last block of a recording that has no length anywhere', () => {
    const group = element(webmIds.blockGroup, element(webmIds.block, blockAt(340)));
    const file = join(
      webmHeader(),
      openElement(
        webmIds.segment,
        element(webmIds.info, element(webmIds.timestampScale, u32(1_000_000))),
        element(webmIds.filler, zeros(200)),
        cluster(0, simple(0), simple(60)),
        cluster(5000, simple(10), group),
      ),
    );
    expect(readDurationMs(file, 'webm')).toBe(5340);
  });
});

describe('hostile files', () => {
  const files = [
    wavFile({ seconds: 1 }),
    rf64File(1),
    join(id3Tag(40), xingFrame(30), mp3Frames(6)),
    join(fileType, box('moov', track(2, 'soun', { timescale: 8000, ticks: 0 })), fragment([])),
    flacFile(8000, 8000),
    oggFile(opusHead(312), [24_000, 48_000]),
    join(webmHeader(), openElement(webmIds.segment, openElement(webmIds.cluster, zeros(60)))),
  ];

  test('whatever is changed or cut off, the answer is a duration in reason or none', () => {
    const change = fc.record({ at: fc.nat(), byte: fc.constantFrom(0, 1, 0x7f, 0x80, 0xfe, 0xff) });
    fc.assert(
      fc.property(
        fc.constantFrom(...files),
        fc.array(change, { maxLength: 12 }),
        fc.nat(),
        (file, changes, length) => {
          const damaged = Buffer.from(file);
          for (const { at, byte } of changes) damaged[at % Math.min(file.length, 400)] = byte;
          const cut = damaged.subarray(0, length % (file.length + 1));
          const container = recognizeContainer(cut);
          if (container === null) return;
          const durationMs = readDurationMs(cut, container);
          if (durationMs !== null) expect(durationMs).toBeWithin(0, 360_000_001);
        },
      ),
      { numRuns: 3000 },
    );
  });

  test('bytes without any order are no audio, or audio without an end', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), fc.constantFrom(...files), (noise, file) => {
        const container = recognizeContainer(file);
        if (container === null) throw new Error('a sample is not recognized');
        const durationMs = readDurationMs(join(file.subarray(0, 24), noise), container);
        if (durationMs !== null) expect(durationMs).toBeWithin(0, 360_000_001);
      }),
      { numRuns: 2000 },
    );
  });

  test('a length that nobody can upload is none', () => {
    expect(readDurationMs(flacFile(2 ** 36 - 1, 1), 'flac')).toBeNull();
  });

  const many = (mark: Buffer, unit: Buffer) => join(mark, Buffer.alloc(25 * 1_048_576, unit));
  test.each([
    ['MP3 of marks only', 'mp3', many(id3Tag(0), Buffer.from([0xff]))],
    ['MP3 of the shortest frames', 'mp3', many(zeros(0), join([0xff, 0xf3, 0x14, 0xc0], zeros(20)))],
    ['M4A of empty boxes', 'm4a', many(fileType, box('free'))],
    ['Ogg of empty pages', 'ogg', many(oggPage({ isFirst: true }), oggPage({ body: zeros(0) }))],
    ['Ogg of marks only', 'ogg', many(oggPage({ isFirst: true }), Buffer.from('OggX'))],
    ['WebM of empty elements', 'webm', many(webmHeader(), Buffer.from([0xec, 0x80]))],
    ['WAV of empty chunks', 'wav', many(join('RIFF', u32(0), 'WAVE'), join('JUNK', u32(0)))],
  ] as const)('the largest upload of %s comes to an end', (_, container, file) => {
    const durationMs = readDurationMs(file, container);
    expect(durationMs === null || durationMs >= 0).toBe(true);
  });
});

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
