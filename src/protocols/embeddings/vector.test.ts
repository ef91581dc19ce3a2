import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { UnreadableAnswerError } from '../translator.ts';
import { asBase64, asNumbers, dimensionsOf, readVector } from './vector.ts';

const numbers = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 50 });

describe('vectors', () => {
  test('base64 of 32-bit numbers is read back as the same numbers, with the same length', () => {
    fc.assert(
      fc.property(numbers, (vector) => {
        const text = asBase64(vector);
        expect(readVector(text)).toBe(text);
        expect(asNumbers(text)).toEqual(vector);
        expect(dimensionsOf(text)).toBe(vector.length);
        expect(asBase64(asNumbers(text))).toBe(text);
      }),
    );
  });

  test('the bytes are little-endian', () => {
    expect(Buffer.from(asBase64([1]), 'base64')).toEqual(Buffer.from([0, 0, 0x80, 0x3f]));
  });

  test('every list of numbers is taken as it is', () => {
    fc.assert(
      fc.property(numbers, (vector) => {
        expect(readVector(vector)).toBe(vector);
        expect(dimensionsOf(vector)).toBe(vector.length);
      }),
    );
  });

  test.each([
    [undefined],
    [null],
    [{}],
    [[]],
    [''],
    [[1, null]],
    [[1, '2']],
    [[[1]]],
    [[Number.POSITIVE_INFINITY]],
    [[1e39]],
    ['AAAA'],
    ['AACAPw'],
    ['AACAPw='],
    ['AAC-Pw=='],
    ['AACA=w=='],
  ])('%j is no vector', (value: unknown) => {
    expect(() => readVector(value)).toThrow(UnreadableAnswerError);
  });

  test('bytes that hold no number cannot be written as numbers', () => {
    const bytes = Buffer.from(Float32Array.of(1, Number.NaN).buffer).toString('base64');
    expect(() => asNumbers(readVector(bytes))).toThrow(UnreadableAnswerError);
  });
});
