import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
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

describe('what JSON takes as objects', () => {
  /** In a process of its own: what other tests left in this one's heap would be taken off. */
  const measured = Bun.spawnSync([process.execPath, join(import.meta.dir, 'testing/measure-parsed.ts')]);
  const rows: readonly (readonly [name: string, told: number, grown: number])[] = JSON.parse(
    measured.stdout.toString(),
  );

  test.each(rows)('is told within a factor of three: %s', (_, told, grown) => {
    expect(told).toBeWithin(grown / 3, grown * 3);
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
