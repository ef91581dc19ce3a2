import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { recognizeContainer } from './container.ts';
import { join, u32, zeros } from './testing/bytes.ts';
import { flacFile } from './testing/flac-file.ts';
import { fileType } from './testing/m4a-file.ts';
import { id3Tag, mp3Frame, mp3Frames } from './testing/mp3-file.ts';
import { oggFile, opusHead } from './testing/ogg-file.ts';
import { rf64File, wavFile } from './testing/wav-file.ts';
import { webmHeader } from './testing/webm-file.ts';

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
