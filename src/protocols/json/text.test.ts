import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { asObject } from './fields.ts';
import { editEntries, editMembers, findRepeated, type MemberEdit, skimObject } from './text.ts';

const spaces = fc.constantFrom('', ' ', '\n  ', '\t');

/** JSON text of any value with any spacing, so that the scanner meets what real clients send. */
const spacedJson = fc
  .tuple(
    fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()),
    fc.constantFrom(0, 1, 2, '\t'),
    spaces,
  )
  .map(([value, indent, space]) => `${space}${JSON.stringify(value, null, indent)}${space}`);

/** By both ways: walking through the text, and knowing the object, which must say the same. */
function edited(text: string, edits: ReadonlyMap<string, MemberEdit>): string {
  const walked = editMembers(text, edits);
  expect(editMembers(text, edits, JSON.parse(text))).toBe(walked);
  return walked;
}

describe('editMembers', () => {
  test('changes the named members and nothing else of the value', () => {
    fc.assert(
      fc.property(spacedJson, fc.jsonValue(), (text, value) => {
        const written = edited(text, new Map([['model', JSON.stringify(value)]]));
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
    expect(edited(text, new Map([['model', '"up"']]))).toBe(
      '{ "seed": 12345678901234567890, "temperature":1.0, "x":[1e2, {"model":"inner"}], "model" : "up" }',
    );
  });

  test('replaces each duplicate, so that no reader finds the old value', () => {
    const text = '{"model":"a","mod\\u0065l":"b","n":1}';
    expect(edited(text, new Map([['model', '"c"']]))).toBe('{"model":"c","mod\\u0065l":"c","n":1}');
  });

  test('adds members that are missing, also to an empty object', () => {
    const added = new Map([['stream_options', '{"include_usage":true}']]);
    expect(edited('{"stream":true}', added)).toBe('{"stream_options":{"include_usage":true},"stream":true}');
    expect(edited('{ }', added)).toBe('{"stream_options":{"include_usage":true} }');
  });

  test('is not fooled by names, quotes and braces inside strings', () => {
    const text = '{"a":"\\"model\\": \\\\","b":"}{][","model":"m"}';
    expect(edited(text, new Map([['model', '"n"']]))).toBe(
      '{"a":"\\"model\\": \\\\","b":"}{][","model":"n"}',
    );
  });

  test('says the same with the object known and not, whatever stands where a name could', () => {
    const named = fc.constantFrom('model', 'mod"el', '\\', '"model":', 'n');
    const value = fc.oneof(named, fc.jsonValue({ maxDepth: 2 }), fc.dictionary(named, named));
    const text = fc
      .tuple(fc.array(fc.tuple(named, value), { maxLength: 5 }), spaces, fc.boolean())
      .map(([members, space, isEscaped]) => {
        const written = members.map(
          ([name, own]) => `${JSON.stringify(name)}${space}:${space}${JSON.stringify(own)}`,
        );
        const whole = `{${space}${written.join(`,${space}`)}${space}}`;
        return isEscaped ? whole.replace('"model"', '"m\\u006fdel"') : whole;
      });
    fc.assert(
      fc.property(text, (given) => {
        const written = edited(
          given,
          new Map([
            ['model', '"up"'],
            ['stream_options', '{}'],
          ]),
        );
        const { model, stream_options, ...others } = JSON.parse(given);
        expect(JSON.parse(written)).toEqual({ ...others, model: 'up', stream_options: {} });
      }),
      { numRuns: 1000 },
    );
  });

  test('takes members away, wherever they stand, and leaves the others their bytes', () => {
    const text = '{"a": 1.0, "b":[{"a":1}], "c":1e2, "a":2}';
    expect(edited(text, new Map([['a', null]]))).toBe('{ "b":[{"a":1}], "c":1e2}');
    expect(edited(text, new Map([['c', null]]))).toBe('{"a": 1.0, "b":[{"a":1}], "a":2}');
    expect(edited('{"a":1}', new Map([['a', null]]))).toBe('{}');
    expect(edited('{"a":1}', new Map([['b', null]]))).toBe('{"a":1}');
  });

  test('makes a new text of a member’s own; what is not there is not made', () => {
    const doubled = new Map([['a', (own: string) => `[${own},${own}]`]]);
    expect(edited('{"b":1, "a" : 1.50 }', doubled)).toBe('{"b":1, "a" : [1.50,1.50] }');
    expect(edited('{"b":1}', doubled)).toBe('{"b":1}');
  });
});

describe('editEntries', () => {
  test('hands over each entry as it is spelled, and leaves out what becomes nothing', () => {
    const seen: string[] = [];
    const text = '[ 1.0 , "],[" ,{"a":[1,2]}, [] ,true]';
    const written = editEntries(text, (own, at) => {
      seen.push(own);
      return at === 1 ? null : own;
    });
    expect(seen).toEqual(['1.0', '"],["', '{"a":[1,2]}', '[]', 'true']);
    expect(written).toBe('[1.0,{"a":[1,2]},[],true]');
    expect(editEntries('[ ]', String)).toBe('[]');
  });

  test('reads any list', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.constantFrom(0, 2), (list, indent) => {
        const text = JSON.stringify(list, null, indent);
        expect(JSON.parse(editEntries(text, (own) => own))).toEqual(JSON.parse(text));
      }),
    );
  });
});

const ends = { list: 'choices', last: 'usage' };

/** Says what could be taken for a member, in every place where text can stand. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('"usage":{"prompt_tokens":9}}', '"choices":[', '\\"usage":1}', '}]}', 'usage', 'choices'),
);
const count = fc.nat();
const usage = fc.oneof(
  fc.record({ prompt_tokens: count, completion_tokens: count, details: fc.record({ usage: count, text }) }),
  fc.constantFrom(null, 7, 'usage', []),
);
const list = fc.oneof(
  fc.array(fc.record({ text, usage, choices: fc.array(text), message: fc.record({ content: text }) })),
  fc.constantFrom(null, 'choices', {}),
);
const other = fc.tuple(
  fc.constantFrom('id', 'x_groq', 'usage_', 'object', 'error', 'service'),
  fc.oneof(text, usage, fc.record({ usage, text }), fc.array(fc.record({ usage }))),
);
const member = fc.oneof(
  { weight: 3, arbitrary: other },
  { weight: 1, arbitrary: fc.tuple(fc.constant('usage'), usage) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('choices'), list) },
);
/** Members in any order, indented or not; a name has one value, as hosts write it. */
const body = fc
  .tuple(fc.array(member, { maxLength: 8 }), fc.constantFrom(0, 2), fc.constantFrom('', '\n'))
  .map(
    ([members, indent, space]) =>
      `${space}${JSON.stringify(Object.fromEntries(members), null, indent)}${space}`,
  );

describe('findRepeated', () => {
  test('names a member that is there twice, however it is spelt', () => {
    expect(findRepeated('{"a":1,"b":2,"a":3}', { a: 3, b: 2 })).toBe('a');
    expect(findRepeated(' {"a":[1,{"b":","}] , "\\u0061" : "}"}', { a: '}' })).toBe('a');
    expect(findRepeated('{"":1,"":2}', { '': 2 })).toBe('');
  });

  test('finds none where each is there once, whatever stands inside the values', () => {
    expect(findRepeated('{}', {})).toBeUndefined();
    expect(findRepeated('{"a":{"a":1,"a":2},"b":[{"a":1},",\\\\"]}', { a: {}, b: [] })).toBeUndefined();
    fc.assert(
      fc.property(spacedJson, (text) => {
        expect(findRepeated(text, asObject(JSON.parse(text)) ?? {})).toBeUndefined();
      }),
    );
  });
});

describe('skimObject', () => {
  test('reads the ends of an answer, and an empty list for what was generated', () => {
    const whole = { id: 'a', choices: [{ text: 'x' }], system: 1, usage: { n: 1 }, tier: 'b' };
    expect(skimObject(JSON.stringify(whole), ends)).toEqual({
      id: 'a',
      choices: [],
      usage: { n: 1 },
      tier: 'b',
    });
    expect(skimObject(JSON.stringify(whole, null, 2), ends)).toEqual({
      id: 'a',
      choices: [],
      usage: { n: 1 },
      tier: 'b',
    });
  });

  test('begins its end with a member between the two where there is one', () => {
    const longer = { ...ends, between: 'tier' };
    const whole = { choices: [{ a: 1 }], other: 1, tier: 'b', tools: [{ tier: 'c' }], usage: { n: 1 } };
    const { other: _other, ...told } = whole;
    for (const indent of [0, 2])
      expect(skimObject(JSON.stringify(whole, null, indent), longer)).toEqual({ ...told, choices: [] });
    const { tier: _tier, tools: _tools, ...plain } = told;
    expect(skimObject(JSON.stringify(plain), longer)).toEqual({ choices: [], usage: { n: 1 } });
    expect(skimObject(JSON.stringify({ ...plain, choices: [{ tier: 'c' }] }), longer)).toBeNull();
    const last = { ...plain, metadata: { tier: 'c' } };
    expect(skimObject(JSON.stringify(last), longer)).toBeNull();
    expect(skimObject(JSON.stringify({ tier: 'b', ...last }), longer)?.['tier']).toBe('b');
  });

  test('is not fooled by generated text, nor by members of the same name inside the last ones', () => {
    const choices = [{ message: { content: 'say "usage":{"n":9}}' }, usage: { n: 8 } }];
    const whole = { choices, usage: { n: 1 }, x_groq: { usage: { n: 7 } } };
    expect(skimObject(JSON.stringify(whole), ends)?.['usage']).toEqual({ n: 1 });
    expect(skimObject(JSON.stringify({ choices }), ends)).toBeNull();
    expect(skimObject('{"choices":[],"a\\"usage":{"n":9}}', ends)).toBeNull();
  });

  test('leaves to a full reading what is in another order, no object or cut short', () => {
    for (const given of [
      '',
      '[]',
      'null',
      '{"choices":[]',
      '{"choices":{"a":[]},"usage":{}}',
      '{"error":{"choices":[],"usage":{}}}',
      '[{"choices":[],"usage":{}}]',
      '{"choices":[],"usage":{}',
      '{"choices":[],"usage":{}}}',
      '{"usage":{}}',
      '{"choices":[]}',
    ])
      expect(skimObject(given, ends)).toBeNull();
  });

  test('says of any object what reading it whole says, or nothing', () => {
    let skims = 0;
    fc.assert(
      fc.property(body, (given) => {
        const skimmed = skimObject(given, ends);
        if (skimmed === null) return;
        skims += 1;
        const whole = asObject(JSON.parse(given)) ?? {};
        expect(skimmed['usage']).toEqual(whole['usage']);
        expect(Array.isArray(whole['choices'])).toBe(true);
        for (const [name, value] of Object.entries(skimmed)) {
          if (name !== 'choices') expect(value).toEqual(whole[name]);
        }
      }),
      { numRuns: 2000 },
    );
    expect(skims).toBeGreaterThan(100);
  });
});
