import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { readNanoUsd, writeAttoUsd, writeUsd } from './money.ts';

describe('money', () => {
  test('what is written reads back the same', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 23n), max: 10n ** 23n }), (amount) => {
        expect(readNanoUsd(writeUsd(amount))).toBe(amount);
      }),
    );
  });

  test.each([
    ['0.15', 150_000_000n],
    ['25', 25_000_000_000n],
    ['0.000000001', 1n],
    ['-3.50', -3_500_000_000n],
    [0.1, 100_000_000n],
    [1e-7, 100n],
  ] as const)('reads %p USD', (usd, nanoUsd) => {
    expect(readNanoUsd(usd)).toBe(nanoUsd);
  });

  test.each(['', '1,5', '1e3', 'abc', '.5', '1.', '0.0000000001', '--1'])('refuses %p', (text) => {
    expect(() => readNanoUsd(text)).toThrow(RangeError);
  });

  test('writes at least cents and no noise', () => {
    expect(writeUsd(0n)).toBe('0.00');
    expect(writeUsd(12_300_000_000n)).toBe('12.30');
    expect(writeUsd(150n)).toBe('0.00000015');
    expect(writeUsd(-5n)).toBe('-0.000000005');
  });
});

test.each([
  [0n, '0.00'],
  [1n, '0.000000000000000001'],
  [150_000_000_000n, '0.00000015'],
  [1_500_000_000_000_000_000n, '1.50'],
  [1_000_000_001_000_000_000n, '1.000000001'],
  [2_000_000_000_000_000_010n, '2.00000000000000001'],
])('%d atto-USD are %s USD', (attoUsd, written) => {
  expect(writeAttoUsd(attoUsd)).toBe(written);
});
