import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { checkBySchema, isPlainlySound } from './request-check.ts';

const edges: readonly unknown[] = [
  ...['', 'x'.repeat(256), 'x'.repeat(257), 'x'.repeat(512), 'x'.repeat(513)],
  ...[-1, 0, 0.5, 1, 1.5, 2 ** 53, Number.POSITIVE_INFINITY, null, undefined, true, [], {}],
];
const wrong = fc.oneof(fc.constantFrom(...edges), fc.jsonValue({ maxDepth: 2 }));

/** What is right in its place, and now and then what is wrong there or nearly so. */
const mostly = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 30, arbitrary: right }, { weight: 1, arbitrary: wrong });

const some = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> =>
  mostly(fc.record(fields, { requiredKeys: [] }));
const listOf = (item: fc.Arbitrary<unknown>, minLength = 0): fc.Arbitrary<unknown> =>
  mostly(fc.array(item, { minLength, maxLength: 2 }));

const text = mostly(fc.string({ minLength: 1, maxLength: 4 }));
const count = mostly(fc.integer({ min: 1, max: 9 }));
const share = mostly(fc.constantFrom(0, 0.5, 1));
const type = mostly(fc.constantFrom('text', 'image', 'enabled'));
const textBlock = mostly(fc.record({ type: mostly(fc.constant('text')), text }));
const message = mostly(
  fc.record({
    role: mostly(fc.constantFrom('user', 'assistant', 'system')),
    content: fc.oneof(text, listOf(mostly(fc.record({ type, text })))),
  }),
);

const needed = fc.record({ model: text, max_tokens: count, messages: listOf(message, 1) });
const others = fc.record(
  {
    system: fc.oneof(text, listOf(textBlock)),
    metadata: some({ user_id: text, session_id: text, sticky_key: text }),
    stream: mostly(fc.boolean()),
    stop_sequences: listOf(text),
    temperature: share,
    top_p: share,
    top_k: count,
    tools: listOf(some({ name: text, type })),
    tool_choice: mostly(fc.record({ type })),
    thinking: mostly(fc.record({ type, budget_tokens: count }, { requiredKeys: ['type'] })),
    unknown: wrong,
  },
  { requiredKeys: [] },
);
const request = fc.tuple(needed, others).map(([one, other]) => ({ ...one, ...other }));

function isTakenBySchema(json: Record<string, unknown>): boolean {
  try {
    checkBySchema(json);
    return true;
  } catch {
    return false;
  }
}

describe('the quick look at a request', () => {
  test('lets nothing pass that the schema refuses', () => {
    fc.assert(
      fc.property(request, (json) => {
        if (isPlainlySound(json)) expect(() => checkBySchema(json)).not.toThrow();
      }),
      { numRuns: 5000 },
    );
  });

  test('lets pass nearly all that the schema takes, so that the schema seldom runs', () => {
    const taken = fc.sample(request, { numRuns: 3000, seed: 1 }).filter(isTakenBySchema);
    expect(taken.length).toBeGreaterThan(100);
    expect(taken.filter(isPlainlySound).length / taken.length).toBeGreaterThan(0.95);
  });
});
