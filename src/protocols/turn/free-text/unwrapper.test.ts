import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { FreeTextUnwrapper, unwrapFreeText } from './unwrapper.ts';

const blanks = fc.constantFrom('', '', ' ', '\n  ', '\t\r\n');
/** Half characters too, which models can write with escapes. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({
    unit: fc.constantFrom('"', '\\', '\n', '\ud83d', '\ude00', 'é', '{', '}', 'u', 'n'),
    maxLength: 20,
  }),
);

const short: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '/': '\\/',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/** One spelling of a unit among those that JSON has. */
function spell(unit: string, how: number): string {
  const code = unit.charCodeAt(0);
  const long = `\\u${code.toString(16).padStart(4, '0')}`;
  const mustEscape = unit === '"' || unit === '\\' || code < 32;
  if (how === 0) return long.toUpperCase().replace('\\U', '\\u');
  if (how === 1 || mustEscape) return short[unit] ?? (mustEscape ? long : unit);
  return unit;
}

/** A text and arguments that hold it, as any JSON writer may spell them. */
const wrapped = fc
  .tuple(anyText, fc.infiniteStream(fc.nat(3)), fc.array(blanks, { minLength: 6, maxLength: 6 }))
  .map(([text, hows, [a, b, c, d, e, f]]) => {
    const spelled = text
      .split('')
      .map((unit) => spell(unit, hows.next().value ?? 0))
      .join('');
    return { text, json: `${a}{${b}"input"${c}:${d}"${spelled}"${e}}${f}` };
  });

const cuts = fc.infiniteStream(fc.integer({ min: 1, max: 7 }));

function unwrapInPieces(input: string, sizes: Iterator<number>): string[] {
  const unwrapper = new FreeTextUnwrapper();
  const told: string[] = [];
  for (let at = 0; at < input.length; ) {
    const size: number = sizes.next().value;
    told.push(unwrapper.push(input.slice(at, at + size)));
    at += size;
  }
  return [...told, unwrapper.end()];
}

describe('free text', () => {
  test('comes out of any spelling of it, wherever it is cut', () => {
    fc.assert(
      fc.property(wrapped, cuts, ({ text, json }, sizes) => {
        expect(unwrapInPieces(json, sizes).join('')).toBe(text);
      }),
      { numRuns: 2000 },
    );
  });

  test('is told in whole characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), cuts, (text, sizes) => {
        const input = JSON.stringify({ input: text }).replaceAll(
          /[\ud800-\udfff]/g,
          (half) => `\\u${half.charCodeAt(0).toString(16)}`,
        );
        for (const piece of unwrapInPieces(input, sizes)) expect(piece.isWellFormed()).toBe(true);
      }),
    );
  });

  test('is told as soon as it comes', () => {
    const unwrapper = new FreeTextUnwrapper();
    const told = ['{"inp', 'ut": "* Be', 'gin\\', 'n', '\\u00', 'e9', '\\ud83d', '\\ude00"', '}'].map(
      (piece) => unwrapper.push(piece),
    );
    expect(told).toEqual(['', '* Be', 'gin', '\n', '', 'é', '', '😀', '']);
    expect(unwrapper.end()).toBe('');
  });

  test('goes on behind a quote and many blanks, of which only some are held', () => {
    const unwrapper = new FreeTextUnwrapper();
    const told = [unwrapper.push('{"input":"a'), unwrapper.push(`"${' '.repeat(1000)}`)];
    expect(told).toEqual(['a', '']);
    expect(unwrapper.push(' '.repeat(30))).toBe(`"${' '.repeat(1030)}`);
    expect(unwrapper.push('}')).toBe('}');
  });

  test('costs no more for blanks that come one by one', () => {
    const many = 100_000;
    const unwrapper = new FreeTextUnwrapper();
    const blank = ' ';
    unwrapper.push('{');
    for (let count = 0; count < many; count += 1) unwrapper.push(blank);
    unwrapper.push('"input":"a');
    let rest = unwrapper.push(`"${' '.repeat(many)}x`);
    for (let count = 0; count < many; count += 1) rest += unwrapper.push(blank);
    expect(rest).toBe(`"${' '.repeat(many)}x${' '.repeat(many)}`);
  });

  test('is the same for every cut of anything else that a model may write', () => {
    const fragments = ['{', '"input"', '"in', ':', '"', '\\', '\\u', 'd83d', '}', ' ', 'x', ',', '[1]', '😀'];
    const junk = fc.array(fc.constantFrom(...fragments), { maxLength: 12 }).map((all) => all.join(''));
    fc.assert(
      fc.property(junk, cuts, (input, sizes) => {
        expect(unwrapInPieces(input, sizes).join('')).toBe(unwrapFreeText(input));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('what a model wrote instead', () => {
  test.each([
    ['the text itself', '*** Begin Patch\n{"input":"a"}'],
    ['an object with more in it', '{"path":"a","text":"b"}'],
    ['another value', '{"input":{"a":1}}'],
    ['a list', '["a"]'],
    ['a string', '"a"'],
    ['an object that broke off', '{"patch":"a'],
    ['blanks', ' \n'],
  ])('%s is handed on as it is', (_, input) => {
    expect(unwrapFreeText(input)).toBe(input);
  });

  test.each([
    ['no arguments', '', ''],
    ['an empty object', '{ }', ''],
    ['another name for the text', '{"patch":"a\\nb"}', 'a\nb'],
    ['a name in escapes', '{"\\u0069nput":"a"}', 'a'],
    ['text that breaks off', '{"input":"a\\nb', 'a\nb'],
    ['text that breaks off in an escape', '{"input":"a\\u00', 'a'],
    ['an object that is not closed', '{"input":"a" ', 'a'],
    ['line breaks that are not escaped', '{"input":"a\nb"}', 'a\nb'],
    ['a backslash that is not escaped', '{"input":"\\d+\\uxyz"}', '\\d+\\uxyz'],
    ['quotes that are not escaped', '{"input":"say "hi" now"}', 'say "hi" now"}'],
    ['more beside the text', '{"input":"a","why":"b"}', 'a","why":"b"}'],
  ])('%s', (_, input, text) => {
    expect(unwrapFreeText(input)).toBe(text);
  });
});
