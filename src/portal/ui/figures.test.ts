import { describe, expect, test } from 'bun:test';
import { languages } from '../languages/language.ts';
import { figuresIn } from './figures.ts';

const english = figuresIn('en');

describe('the marks of an axis', () => {
  test('have as many digits behind the point as one of them needs, and one unit', () => {
    expect(english.usdMarks([0, 6, 12])).toEqual(['$0', '$6', '$12']);
    expect(english.usdMarks([0, 0.5, 1])).toEqual(['$0.00', '$0.50', '$1.00']);
    expect(english.usdMarks([0, 0.005, 0.01])).toEqual(['$0.000', '$0.005', '$0.010']);
    expect(english.usdMarks([0, 0.0000005])).toEqual(['$0.0000000', '$0.0000005']);
    expect(english.percentMarks([0, 0.025, 0.05])).toEqual(['0.0%', '2.5%', '5.0%']);
    expect(english.percentMarks([0, 0.5, 1])).toEqual(['0%', '50%', '100%']);
    expect(english.spanMarks([0, 500, 1000])).toEqual(['0.0 s', '0.5 s', '1.0 s']);
    expect(english.spanMarks([0, 250, 500])).toEqual(['0 ms', '250 ms', '500 ms']);
    expect(english.countMarks([0, 500, 1000, 1500])).toEqual(['0', '500', '1 K', '1.5 K']);
  });
});

test('short figures have three digits once they have a unit', () => {
  expect([0, 7, 999, 6_000_000, 61_240_000].map((number) => english.short(number).value)).toEqual([
    '0',
    '7',
    '999',
    '6.00',
    '61.2',
  ]);
});

describe('money', () => {
  test.each([
    [0n, '$0.00', ''],
    [9_987_654_321n, '$9.98', '7654321'],
    [9_990_000_000n, '$9.99', ''],
    [4_500_000n, '$0.00', '45'],
    [1_234_567_890_000_000n, '$1,234,567.89', ''],
    [-1n, '-$0.00', '0000001'],
    [-1_005_000_000n, '-$1.00', '5'],
  ])('a balance of %p nano-USD is %s and %s: every digit', (nanoUsd, dollars, behindCents) => {
    expect(english.balance(nanoUsd)).toEqual({ dollars, behindCents, sign: '' });
  });

  test.each([
    [0n, '$0.00'],
    [1n, '$0.000000001'],
    [12_345n, '$0.0000123'],
    [12_350n, '$0.0000124'],
    [23_456_789n, '$0.0235'],
    [500_000_000n, '$0.50'],
    [999_499_999n, '$0.999'],
    [999_500_000n, '$1.00'],
    [1_995_000_000n, '$2.00'],
    [1_234_567_890_000n, '$1,234.57'],
    [-12_345n, '-$0.0000123'],
  ])('a cost of %p nano-USD is %s: the digits that matter', (nanoUsd, shown) => {
    expect(english.cost(nanoUsd)).toBe(shown);
  });

  test('a price keeps every digit', () => {
    expect(english.price(75_000_000n)).toBe('$0.075');
    expect(english.price(15_000_000_000n)).toBe('$15.00');
    expect(english.price(123_456_789n)).toBe('$0.123456789');
  });

  test('exact amounts below each other keep every digit, and as many of them', () => {
    expect(english.exactColumn(['0.0022416', '0.0018', '0.000000000123456789'])).toEqual([
      '$0.002241600000000000',
      '$0.001800000000000000',
      '$0.000000000123456789',
    ]);
    expect(figuresIn('de').exactColumn(['12', '0.5'])).toEqual(['12,00\u00a0$', '0,50\u00a0$']);
    expect(english.exactColumn([])).toEqual([]);
  });

  test('a price for other numbers than a million is exact to a nano-USD', () => {
    expect(english.priceFor(60n, 100_000_000_000n)).toBe('$0.006');
    expect(english.priceFor(1_000n, 2_000_000_000_000n)).toBe('$2.00');
    expect(english.priceFor(1n, 1_500_000n)).toBe('$0.000000002');
  });
});

describe('time', () => {
  test.each([
    [0, '0 ms'],
    [0.34, '0.3 ms'],
    [0.96, '1 ms'],
    [999.4, '999 ms'],
    [999.5, '1.00 s'],
    [9_994, '9.99 s'],
    [9_995, '10.0 s'],
    [59_949, '59.9 s'],
    [59_950, '1 min 00 s'],
    [125_000, '2 min 05 s'],
  ])('a span of %p ms is %s', (spanMs, shown) => {
    expect(english.span(spanMs)).toBe(shown);
  });

  test.each([
    [-59_999, 'just now'],
    [-60_000, '1 minute ago'],
    [-3_599_000, '59 minutes ago'],
    [-7_200_000, '2 hours ago'],
    [-86_400_000, '1 day ago'],
    [-40 * 86_400_000, '1 month ago'],
    [-400 * 86_400_000, '1 year ago'],
    [3 * 86_400_000, 'in 3 days'],
    [7 * 86_400_000 - 1_000, 'in 7 days'],
    [86_400_000 - 60_000, 'in 1 day'],
    [1.4 * 86_400_000, 'in 1 day'],
    [3_600_000 - 1_000, 'in 1 hour'],
    [30_000, 'just now'],
    [-(7 * 86_400_000 - 1_000), '6 days ago'],
  ])('%p ms from now is %s', (distanceMs, shown) => {
    expect(english.distance(distanceMs)).toBe(shown);
  });
});

test('a day is told with its year where that is another than now', () => {
  const nowMs = Date.UTC(2031, 11, 31, 23);
  expect(english.nearDay(new Date(Date.UTC(2031, 0, 1)), nowMs)).toBe('1 Jan');
  expect(english.nearDay(new Date(Date.UTC(2032, 0, 1)), nowMs)).toBe('1 Jan 2032');
});

describe('languages', () => {
  test.each([
    [
      'en',
      '$1,234.5678',
      '$1,234.57',
      '1.92 B',
      '8.2%',
      '1.50 s',
      '3 hours ago',
      '22 Nov 2026, 14:32:07 UTC',
    ],
    [
      'de',
      '1.234,5678 $',
      '1.234,57 $',
      '1,92 Mrd.',
      '8,2 %',
      '1,50 s',
      'vor 3 Stunden',
      '22.11.2026, 14:32:07 UTC',
    ],
    [
      'fr',
      '1 234,5678 $',
      '1 234,57 $',
      '1,92 Md',
      '8,2 %',
      '1,50 s',
      'il y a 3 heures',
      '22 nov. 2026, 14:32:07 UTC',
    ],
    [
      'es',
      '1234,5678 $',
      '1234,57 $',
      '1920 M',
      '8,2 %',
      '1,50 s',
      'hace 3 horas',
      '22 nov 2026, 14:32:07 UTC',
    ],
  ] as const)('write their own figures: %s', (language, ...written) => {
    const figures = figuresIn(language);
    const { dollars, behindCents, sign } = figures.balance(1_234_567_800_000n);
    const short = figures.short(1_920_000_000);
    const shown = [
      `${dollars}${behindCents}${sign}`,
      figures.cost(1_234_567_800_000n),
      `${short.value} ${short.unit}`,
      figures.percent(0.082),
      figures.span(1_500),
      figures.distance(-3 * 3_600_000),
      figures.moment(new Date(Date.UTC(2026, 10, 22, 14, 32, 7))),
    ];
    // They part with spaces of several widths.
    expect(shown.map((text) => text.replace(/\s/g, ' '))).toEqual(
      written.filter((text) => typeof text === 'string'),
    );
  });

  test('keep every digit of a price', () => {
    for (const language of languages) {
      expect(figuresIn(language).price(12_345_678_123_456_789n).replace(/\D/g, '')).toBe('12345678123456789');
    }
  });
});
