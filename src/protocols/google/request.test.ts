/** The quick look at a request agrees with the schema behind it. */
import fc from 'fast-check';
import { quickLookLaws } from '../json/testing/quick-look-laws.ts';
import { checkBySchema, isPlainlySound } from './request.ts';

const edges: readonly unknown[] = [
  ...['', 'user', 'nobody', -1, 0, 0.5, 1.5, 2, 2.5, 8, 9, 2 ** 31, -(2 ** 31), -(2 ** 31) - 1, 2 ** 53],
  ...[Number.POSITIVE_INFINITY, null, undefined, true, [], ['a', 'b', 'c', 'd', 'e', 'f'], {}],
];
const wrong = fc.oneof(fc.constantFrom(...edges), fc.jsonValue({ maxDepth: 2 }));

/** What is right in its place, and now and then what is wrong there or nearly so. */
const mostly = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 40, arbitrary: right }, { weight: 1, arbitrary: wrong });
const some = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> =>
  mostly(fc.record(fields, { requiredKeys: [] }));
const listOf = (item: fc.Arbitrary<unknown>, minLength = 0): fc.Arbitrary<unknown> =>
  mostly(fc.array(item, { minLength, maxLength: 2 }));

/** Numbers at their bounds, and seldom the first ones beyond. */
const nearly = (right: readonly number[], beyond: readonly number[]): fc.Arbitrary<unknown> =>
  mostly(
    fc.oneof(
      { weight: 15, arbitrary: fc.constantFrom(...right) },
      { weight: 1, arbitrary: fc.constantFrom(...beyond) },
    ),
  );

const text = mostly(fc.string({ minLength: 1, maxLength: 4 }));
const object = some({ any: text });
const part = some({
  text,
  thoughtSignature: text,
  functionCall: mostly(fc.record({ name: text, args: object }, { requiredKeys: ['name'] })),
  functionResponse: mostly(fc.record({ name: text, response: object })),
  inlineData: mostly(fc.record({ mimeType: text, data: text })),
  fileData: mostly(fc.record({ fileUri: text })),
});
const content = mostly(
  fc.record(
    { role: mostly(fc.constantFrom('user', 'model', 'function')), parts: listOf(part, 1) },
    { requiredKeys: ['parts'] },
  ),
);
const request = fc.record(
  {
    contents: listOf(content, 1),
    systemInstruction: mostly(fc.record({ parts: listOf(mostly(fc.record({ text })), 1) })),
    tools: listOf(object),
    toolConfig: object,
    generationConfig: some({
      temperature: nearly([0, 1, 2], [-0.1, 2.1]),
      topP: nearly([0, 0.5, 1], [-0.1, 1.1]),
      topK: nearly([0, 9], [-1, 0.5]),
      seed: nearly([0, 2 ** 31 - 1, -(2 ** 31)], [2 ** 31, -(2 ** 31) - 1, 0.5]),
      maxOutputTokens: nearly([1, 9], [0, 1.5, 2 ** 53]),
      candidateCount: nearly([1, 8], [0, 9]),
      stopSequences: mostly(fc.array(text, { maxLength: 5 })),
    }),
    unknown: wrong,
  },
  { requiredKeys: ['contents'] },
);

quickLookLaws(request, { bySchema: checkBySchema, isPlainlySound });
