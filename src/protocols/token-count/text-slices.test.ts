import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { cutRuns, sliceText } from './text-slices.ts';
import { openTokenizer } from './tokenizer.ts';

const anyText = fc.string({
  unit: fc.oneof(fc.constantFrom('a', 'é', ' ', '\n', '/', '7', '😀', '汉', '\u0301'), fc.string()),
  maxLength: 600,
});

describe('slices', () => {
  test('are the text, none longer than asked, none with half a character', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 300, max: 500 }), (text, longest) => {
        const slices = [...sliceText(text, longest)];
        expect(slices.join('')).toBe(text);
        for (const slice of slices) {
          expect(slice.length).toBeWithin(1, longest + 1);
          expect(slice.isWellFormed()).toBe(text.isWellFormed());
        }
      }),
    );
  });

  test('of words keep the count of tokens', async () => {
    const tokenizer = await openTokenizer();
    const word = fc.constantFrom('the', 'Inference', '42', 'über', 'x=1;', '(see', 'done).', '世界');
    fc.assert(
      fc.property(fc.array(word, { minLength: 100, maxLength: 300 }), (words) => {
        const text = words.join(' ');
        const inSlices = [...sliceText(text, 300)].map((slice) => tokenizer.count(slice));
        expect(inSlices.reduce((sum, tokens) => sum + tokens, 0)).toBe(tokenizer.count(text));
      }),
    );
  });
});

describe('runs', () => {
  test('are cut without losing anything, so that none stays long', () => {
    const run = fc.tuple(
      fc.constantFrom('a', 'é', ' ', '\n/', '-', '😀', '汉'),
      fc.integer({ max: 300, min: 1 }),
    );
    fc.assert(
      fc.property(fc.array(run), (runs) => {
        const text = runs.map(([what, times]) => what.repeat(times)).join('');
        const parts = [...cutRuns(text)];
        expect(parts.join('')).toBe(text);
        for (const part of parts) expect(part).not.toMatch(/[\p{L}\p{M}]{65}|[^\p{L}\p{N}]{65}/u);
      }),
    );
  });

  test('of ordinary length are left whole', () => {
    const text = 'Plain words, (some) 12345 numbers; and\n    an indented line.';
    expect([...cutRuns(text)]).toEqual([text]);
  });
});
