import { describe, expect, test } from 'bun:test';
import { tryParseJson } from './fields.ts';
import { mostLevels, parseWithinLevels, TooDeepError } from './levels.ts';

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
