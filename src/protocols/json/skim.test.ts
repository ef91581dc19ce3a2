import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { asObject } from './fields.ts';
import { skimObject } from './skim.ts';

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
