import { expect, test } from 'bun:test';
import { guessTokens } from './guess-tokens.ts';
import { scripts } from './testing/scripts.ts';
import { openTokenizer } from './tokenizer.ts';

test.each(Object.entries(scripts))('the guess of %s is near what the tokeniser counts', async (_, text) => {
  const tokenizer = await openTokenizer();
  for (const times of [1, 300]) {
    const long = `${text}\n`.repeat(times);
    expect(guessTokens(long) / tokenizer.count(long)).toBeWithin(0.75, 1.3);
  }
});

test('the guess of a long text takes no longer than that of a short one', () => {
  const [short, long] = [guessing(100_000), guessing(30_000_000)];
  expect(long).toBeLessThan(short * 20 + 5);
});

test('the content of a file in base64 is no text', () => {
  const file = 'iVBORw0KGgoAAAANSUhEUgAA'.repeat(100_000);
  expect(guessTokens(`{"text":"What is this?","image":"${file}"}`)).toBeLessThan(10_000);
});

/** @returns the milliseconds of the fastest of some. */
function guessing(characters: number): number {
  const text = 'tide '.repeat(characters / 5);
  let fastest = Number.POSITIVE_INFINITY;
  for (let times = 0; times < 5; times += 1) {
    const from = performance.now();
    guessTokens(text);
    fastest = Math.min(fastest, performance.now() - from);
  }
  return fastest;
}
