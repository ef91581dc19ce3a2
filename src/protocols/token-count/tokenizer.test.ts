import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import fc from 'fast-check';
import { cutRuns, openTokenizer, sliceText } from './tokenizer.ts';

const tokenizer = await openTokenizer();

describe('the tokeniser', () => {
  test.each([
    ['', 0],
    ['hello world', 2],
    ['a b c', 3],
    ['1234567', 3],
    ['你好', 1],
    ['👍', 1],
    ['\n\n\n', 1],
  ])('counts %j as o200k_base does', (text, tokens) => {
    expect(tokenizer.count(text)).toBe(tokens);
  });

  test.each(['<|endoftext|>', '<|im_start|>user', '<|endofprompt|><|endoftext|>'])(
    'takes %s for text',
    (text) => {
      expect(tokenizer.count(text)).toBeGreaterThan(3);
    },
  );

  test('takes any text, half characters included', () => {
    const anything = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.nat(0xffff).map(unit) }));
    fc.assert(
      fc.property(anything, (text) => {
        const tokens = tokenizer.count(text);
        expect(tokens).toBeGreaterThanOrEqual(text === '' ? 0 : 1);
        expect(tokens).toBeLessThanOrEqual(Buffer.byteLength(text));
      }),
    );
  });

  test.each([
    ['one letter', 'a', 250_000, 31_250],
    ['spaces', ' ', 250_000, 4_000],
    ['an emoji', '😀', 62_500, 62_500],
    ['ideographs', '汉字语言模型', 13_750, 82_500],
    ['slashes and line ends', '/\n', 125_000, 150_000],
    ['letters with marks', 'e\u0301', 75_000, 175_000],
  ])('a quarter of a megabyte of %s is counted in short pieces', (_, run, times, most) => {
    const text = run.repeat(times);
    expect(Math.max(...[...cutRuns(text)].map((part) => part.length))).toBeLessThanOrEqual(256);
    const tokens = tokenizer.count(text);
    expect(tokens).toBeGreaterThan(0);
    expect(tokens).toBeLessThanOrEqual(most);
  });

  test('stops soon after the limit', () => {
    const text = 'word '.repeat(100_000);
    const whole = tokenizer.count(text);
    const stopped = tokenizer.count(text, 10);
    expect(whole).toBeGreaterThanOrEqual(100_000);
    expect(stopped).toBeGreaterThan(10);
    expect(stopped).toBeLessThan(5000);
    expect(tokenizer.count('word word', 10)).toBe(2);
  });

  test('is one for all', async () => {
    expect(await openTokenizer()).toBe(tokenizer);
    expect(openTokenizer()).toBe(openTokenizer());
  });

  test('is never loaded by the thread that asks, and what counts lets the process end', () => {
    const module = join(import.meta.dir, 'count-turn.ts');
    const script = `
      const { countTurnTokens } = await import(${JSON.stringify(module)});
      const isLoaded = () => Object.keys(require.cache).some((path) => path.includes('gpt-tokenizer'));
      const system = [{ type: 'text', text: 'a b c' }];
      const tokens = await countTurnTokens({ system, messages: [], tools: [] }, 'gpt-5');
      console.log(tokens, isLoaded());`;
    const { stdout, stderr, exitCode } = Bun.spawnSync([process.execPath, '--eval', script]);
    expect(stderr.toString()).toBe('');
    expect(stdout.toString().trim()).toBe('18 false');
    expect(exitCode).toBe(0);
  });
});

function unit(code: number): string {
  return String.fromCharCode(code);
}

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
