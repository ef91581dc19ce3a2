import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { replaceMembers } from './members.ts';

const spaces = fc.constantFrom('', ' ', '\n  ', '\t');

/** JSON text of any value with any spacing, so that the scanner meets what real clients send. */
const spacedJson = fc
  .tuple(
    fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()),
    fc.constantFrom(0, 1, 2, '\t'),
    spaces,
  )
  .map(([value, indent, space]) => `${space}${JSON.stringify(value, null, indent)}${space}`);

describe('replaceMembers', () => {
  test('changes the named members and nothing else of the value', () => {
    fc.assert(
      fc.property(spacedJson, fc.jsonValue(), (text, value) => {
        const written = replaceMembers(text, new Map([['model', JSON.stringify(value)]]));
        expect(JSON.parse(written)).toEqual({
          ...JSON.parse(text),
          model: JSON.parse(JSON.stringify(value)),
        });
      }),
      { numRuns: 500 },
    );
  });

  test('keeps every other byte: big integers, number spellings, order, duplicates of others', () => {
    const text =
      '{ "seed": 12345678901234567890, "temperature":1.0, "x":[1e2, {"model":"inner"}], "model" : "m" }';
    expect(replaceMembers(text, new Map([['model', '"up"']]))).toBe(
      '{ "seed": 12345678901234567890, "temperature":1.0, "x":[1e2, {"model":"inner"}], "model" : "up" }',
    );
  });

  test('replaces each duplicate, so that no reader finds the old value', () => {
    const text = '{"model":"a","mod\\u0065l":"b","n":1}';
    expect(replaceMembers(text, new Map([['model', '"c"']]))).toBe('{"model":"c","mod\\u0065l":"c","n":1}');
  });

  test('adds members that are missing, also to an empty object', () => {
    const added = new Map([['stream_options', '{"include_usage":true}']]);
    expect(replaceMembers('{"stream":true}', added)).toBe(
      '{"stream_options":{"include_usage":true},"stream":true}',
    );
    expect(replaceMembers('{ }', added)).toBe('{"stream_options":{"include_usage":true} }');
  });

  test('is not fooled by names, quotes and braces inside strings', () => {
    const text = '{"a":"\\"model\\": \\\\","b":"}{][","model":"m"}';
    expect(replaceMembers(text, new Map([['model', '"n"']]))).toBe(
      '{"a":"\\"model\\": \\\\","b":"}{][","model":"n"}',
    );
  });
});
