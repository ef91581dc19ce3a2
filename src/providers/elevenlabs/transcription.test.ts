import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { joinWords } from './transcription.ts';

/** Words of half a second each, with pauses where numbers stand. */
function spoken(...words: readonly (string | number)[]) {
  let at = 0;
  return words.flatMap((word) => {
    if (typeof word === 'number') {
      at += word;
      return [];
    }
    const startS = at;
    at += 0.5;
    return [{ startS, endS: at, text: word }];
  });
}

const textsOf = (...words: readonly (string | number)[]) =>
  joinWords(spoken(...words)).map(({ text }) => text);

test('a segment ends with its sentence and before a pause', () => {
  expect(textsOf('One', 'two.', 'Three', 2, 'four', '“Five?”', 'six')).toEqual([
    'One two.',
    'Three',
    'four “Five?”',
    'six',
  ]);
  expect(textsOf()).toEqual([]);
});

test('a segment ends before it is too long', () => {
  const segments = joinWords(spoken(...Array.from({ length: 50 }, () => 'on')));
  expect(segments.map(({ startS, endS }) => endS - startS)).toEqual([10, 10, 5]);
});

test('scripts without spaces stay without', () => {
  expect(textsOf('今日', 'は', '晴れ。', '東京', 'Tokyo')).toEqual(['今日は晴れ。', '東京 Tokyo']);
});

test('no word is lost, and no segment begins before the last one ends', () => {
  const word = fc.oneof(fc.constantFrom('a', 'b.', 'c?', 'd'), fc.double({ min: 0, max: 5, noNaN: true }));
  fc.assert(
    fc.property(fc.array(word), (words) => {
      const segments = joinWords(spoken(...words));
      expect(segments.map(({ text }) => text).join(' ')).toBe(
        words.filter((item) => typeof item === 'string').join(' '),
      );
      for (const [index, { startS }] of segments.slice(1).entries()) {
        expect(startS).toBeGreaterThanOrEqual(segments[index]?.endS ?? Number.NaN);
      }
    }),
  );
});
