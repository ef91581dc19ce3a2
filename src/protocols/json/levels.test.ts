import { heapStats } from 'bun:jsc';
import { describe, expect, test } from 'bun:test';
import {
  mostLevels,
  mostParsedBytes,
  parsedBytes,
  parseWithinLevels,
  TooDeepError,
  TooManyValuesError,
  tryParseJson,
} from './fields.ts';

const lists = (levels: number, inside = '') => '['.repeat(levels) + inside + ']'.repeat(levels);
const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
/** Long enough to be looked at before it is parsed, and full of what looks like brackets. */
const padding = JSON.stringify('[{ "\\" [[[ '.repeat(20_000));

describe('JSON is taken up to a depth', () => {
  test.each([
    ['lists', lists],
    ['objects', objects],
    ['both', (levels: number) => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`],
    ['a deep one behind others', (levels: number) => `[[],{"a":[1]},"]",${lists(levels - 1)}]`],
    ['a long text', (levels: number) => `[${padding},[],${padding},${lists(levels - 1, padding)}]`],
  ])('%s', (_name, write) => {
    expect(parseWithinLevels(write(mostLevels))).toEqual(JSON.parse(write(mostLevels)));
    expect(() => parseWithinLevels(write(mostLevels + 2))).toThrow(TooDeepError);
    expect(tryParseJson(write(mostLevels + 2))).toBeUndefined();
  });

  test('and megabytes of brackets are not even parsed', () => {
    expect(() => parseWithinLevels(lists(16_000_000))).toThrow(TooDeepError);
  });

  test('brackets and quotes inside texts do not count', () => {
    const texts = ['\\', '"', '\\"', '"[', '[\\', '\\\\"{'].map((text) => text + '['.repeat(300));
    const list = [padding, padding, ...texts];
    expect(parseWithinLevels(JSON.stringify(list))).toEqual(list);
  });

  test('what is no JSON is none, however deep or long', () => {
    for (const text of [
      '',
      '[',
      `"${padding}`,
      `[${padding}`,
      `${padding}]`.repeat(2),
      `"${'\\'.repeat(200_001)}`,
    ]) {
      expect(() => parseWithinLevels(text)).toThrow(SyntaxError);
    }
  });
});

/** Once what the tests before have left is gone, which one collection does not always see to. */
function settledHeapBytes(): number {
  let least = Number.POSITIVE_INFINITY;
  for (;;) {
    Bun.gc(true);
    const { heapSize } = heapStats();
    if (heapSize >= least) return heapSize;
    least = heapSize;
  }
}

describe('what JSON takes as objects', () => {
  const times = (size: number, write: (at: number) => string) =>
    `[${Array.from({ length: size }, (_, at) => write(at)).join()}]`;

  test.each([
    ['empty objects', times(200_000, () => '{}')],
    ['empty lists', times(200_000, () => '[]')],
    ['numbers', times(1_000_000, (at) => String(at % 10))],
    ['texts', times(200_000, (at) => `"text ${at}"`)],
    ['objects of one new name', times(50_000, (at) => `{"n${at}":1}`)],
    ['objects of numbered names', times(50_000, (at) => `{"${at}":1}`)],
    ['an object of many names', `{${Array.from({ length: 100_000 }, (_, at) => `"n${at}":1`).join()}}`],
  ])('is told within a factor of three: %s', (_, text) => {
    const before = settledHeapBytes();
    const value = parseWithinLevels(text);
    Bun.gc(true);
    const grown = heapStats().heapSize - before;
    expect(parsedBytes(value)).toBeGreaterThan(grown / 3);
    expect(parsedBytes(value)).toBeLessThan(grown * 3);
  });

  test('is told of what a request usually has as about as much as its text', () => {
    const messages = Array.from({ length: 10 }, () => ({ role: 'user', content: 'to the sea '.repeat(20) }));
    const text = JSON.stringify({ model: 'm', messages });
    expect(parsedBytes(JSON.parse(text))).toBeLessThan(text.length * 1.5);
  });

  test('is bounded before it is parsed', () => {
    const bytesOfOne = 72;
    const most = Math.floor(mostParsedBytes / bytesOfOne) - 10;
    expect(() => parseWithinLevels(`[${'{},'.repeat(most)}]`)).toThrow(SyntaxError);
    expect(() => parseWithinLevels(`[${'{},'.repeat(most + 20)}]`)).toThrow(TooManyValuesError);
    expect(() => parseWithinLevels(`[${','.repeat(mostParsedBytes / 8)}]`)).toThrow(TooManyValuesError);
    const text = JSON.stringify('{},'.repeat(most));
    expect(parseWithinLevels(text)).toBeString();
  });
});
