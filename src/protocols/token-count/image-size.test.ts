import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { readImageSize } from './image-size.ts';
import { gif, jpeg, png, webp } from './testing/image-files.ts';

const files = {
  png,
  gif,
  'plain JPEG': (width: number, height: number) => jpeg(width, height, { marker: 0xc0 }),
  'progressive JPEG': (width: number, height: number) => jpeg(width, height, { marker: 0xc2, fill: 3 }),
  'lossy WebP': (width: number, height: number) => webp(width, height, 'VP8 '),
  'lossless WebP': (width: number, height: number) => webp(width, height, 'VP8L'),
  'extended WebP': (width: number, height: number) => webp(width, height, 'VP8X'),
};
const kinds = Object.entries(files);

describe('the size of an image', () => {
  test.each(kinds)('is read of a %s', (_, write) => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 16_383 }),
        fc.integer({ min: 1, max: 16_383 }),
        (width, height) => {
          expect(readImageSize(write(width, height))).toEqual({ width, height });
        },
      ),
    );
  });

  test.each(kinds)('is not known of a %s that is cut off', (_, write) => {
    const whole = write(640, 480);
    for (let length = 0; length < 10; length += 1) {
      expect(readImageSize(whole.subarray(0, length))).toBeNull();
    }
  });

  test.each([
    ['an empty file', []],
    ['a size of nothing', [...png(0, 480)]],
    ['a JPEG without a frame', [0xff, 0xd8, 0xff, 0xda, 0, 2]],
    ['a sound file', [...Buffer.from('RIFF\0\0\0\0WAVEfmt ')]],
    ['a WebP of an unknown kind', [...webp(640, 480, 'VP9?')]],
    ['text', [...Buffer.from('<svg width="640" height="480"></svg>')]],
  ])('is not known of %s', (_, bytes) => {
    expect(readImageSize(Uint8Array.from(bytes))).toBeNull();
  });

  test('is a size or nothing, whatever the file holds', () => {
    const fronts = kinds.map(([, write]) => write(640, 480).subarray(0, 16));
    const file = fc
      .tuple(fc.constantFrom(...fronts), fc.nat(16), fc.uint8Array({ maxLength: 64 }))
      .map(([front, length, rest]) => Buffer.concat([front.subarray(0, length), rest]));
    fc.assert(
      fc.property(file, (bytes) => {
        const size = readImageSize(bytes);
        if (size !== null) expect(Math.min(size.width, size.height)).toBeGreaterThan(0);
      }),
    );
  });
});
