import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import fc from 'fast-check';
import { cutRuns } from './text-slices.ts';
import { openTokenizer } from './tokenizer.ts';

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
    ['one letter', 'a', 1_000_000, 125_000],
    ['spaces', ' ', 1_000_000, 16_000],
    ['an emoji', '😀', 250_000, 250_000],
    ['ideographs', '汉字语言模型', 55_000, 330_000],
    ['slashes and line ends', '/\n', 500_000, 600_000],
    ['letters with marks', 'e\u0301', 300_000, 700_000],
  ])('a megabyte of %s is counted in short pieces', (_, run, times, most) => {
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

  test('is not loaded before the first count', () => {
    const module = join(import.meta.dir, 'count-turn.ts');
    const script = `
      const { countTurnTokens } = await import(${JSON.stringify(module)});
      const isLoaded = () => Object.keys(require.cache).some((path) => path.includes('gpt-tokenizer'));
      const before = isLoaded();
      await countTurnTokens({ system: [], messages: [], tools: [] });
      console.log(before, isLoaded());`;
    const { stdout, stderr } = Bun.spawnSync([process.execPath, '--eval', script]);
    expect(stderr.toString()).toBe('');
    expect(stdout.toString().trim()).toBe('false true');
  });
});

function unit(code: number): string {
  return String.fromCharCode(code);
}
