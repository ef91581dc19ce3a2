import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { AppError } from '../../base/errors.ts';
import { quickLookLaws } from '../json/testing/quick-look-laws.ts';
import { checkBySchema, isPlainlySound, readCountRequest, readMessagesRequest } from './request.ts';

const countable = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
const valid = { ...countable, max_tokens: 10 };

function refusalOf(read: (text: string) => unknown, body: unknown): AppError {
  try {
    read(typeof body === 'string' ? body : JSON.stringify(body));
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error('it was accepted');
}

describe('readMessagesRequest', () => {
  test('keeps the text as it came and reads the control fields', () => {
    const text = JSON.stringify({ ...valid, stream: true, unknown: { kept: 1 } });
    expect(readMessagesRequest(text)).toMatchObject({
      text,
      model: 'm',
      stream: true,
      json: { unknown: { kept: 1 } },
    });
  });

  test.each([
    { model: 'auto' },
    { system: 'be kind' },
    { system: [{ type: 'text', text: 'be kind', cache_control: { type: 'ephemeral' } }] },
    {
      messages: [
        {
          role: 'user',
          content: [{ type: 'image', source: { type: 'url', url: 'https://example.test/a.png' } }],
        },
      ],
    },
    {
      messages: [
        { role: 'user', content: 'a' },
        { role: 'system', content: 'b' },
      ],
    },
    { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
    { temperature: 1, top_p: 0, top_k: 0, stop_sequences: [], metadata: { user_id: null } },
    { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
  ])('accepts %j', (fields) => {
    expect(readMessagesRequest(JSON.stringify({ ...valid, ...fields })).stream).toBe(false);
  });

  test.each([
    [{ model: 5 }, 'model'],
    [{ max_tokens: undefined }, 'max_tokens'],
    [{ max_tokens: 0 }, 'max_tokens'],
    [{ max_tokens: '10' }, 'max_tokens'],
    [{ messages: [] }, 'messages'],
    [{ messages: [{ role: 'tool', content: 'x' }] }, 'messages[0].role'],
    [{ messages: [{ role: 'user' }] }, 'messages[0].content'],
    [{ system: 5 }, 'system'],
    [{ temperature: 1.1 }, 'temperature'],
    [{ top_p: 2 }, 'top_p'],
    [{ top_k: -1 }, 'top_k'],
    [{ stop_sequences: 'END' }, 'stop_sequences'],
    [{ stream: 1 }, 'stream'],
    [{ metadata: { sticky_key: 5 } }, 'metadata.sticky_key'],
    [{ tool_choice: 'auto' }, 'tool_choice'],
  ])('422 for %j, and says where', (fields, param) => {
    const refusal = refusalOf(readMessagesRequest, { ...valid, ...fields });
    expect(refusal).toMatchObject({ code: 'validation_failed', status: 422, param });
  });

  test('400 for a body that is no JSON object', () => {
    for (const body of ['', '{', '[]', 'null'])
      expect(refusalOf(readMessagesRequest, body)).toMatchObject({ code: 'malformed_json' });
  });
});

describe('readCountRequest', () => {
  test('needs no bound for an answer, and keeps the text as it came', () => {
    const text = JSON.stringify({ ...countable, output_config: { effort: 'low' }, unknown: { kept: 1 } });
    expect(readCountRequest(text)).toEqual({
      text,
      json: JSON.parse(text),
      model: 'm',
      stream: false,
      wantsStreamUsage: true,
    });
  });

  test.each([
    { system: 'be kind' },
    { tools: [{ type: 'web_search_20250305', name: 'web_search' }], tool_choice: { type: 'any' } },
    { thinking: { type: 'enabled', budget_tokens: 2048 } },
    // Not of this endpoint, but of the body that a client is about to send.
    { max_tokens: 10, stream: true },
    { max_tokens: 0 },
  ])('accepts %j', (fields) => {
    const text = JSON.stringify({ ...countable, ...fields });
    expect(readCountRequest(text)).toMatchObject({ text, stream: false });
  });

  test.each([
    [{ model: undefined }, 'model'],
    [{ model: '' }, 'model'],
    [{ messages: undefined }, 'messages'],
    [{ messages: [] }, 'messages'],
    [{ messages: [{ role: 'tool', content: 'x' }] }, 'messages[0].role'],
    [{ system: 5 }, 'system'],
    [{ tools: [{ name: '' }] }, 'tools[0].name'],
    [{ tool_choice: 'auto' }, 'tool_choice'],
    [{ thinking: { type: 'enabled', budget_tokens: 'many' } }, 'thinking.budget_tokens'],
  ])('refuses %j as the messages endpoint does', (fields, param) => {
    const refusal = refusalOf(readCountRequest, { ...countable, ...fields });
    const {
      code,
      message,
      fields: issues,
    } = refusalOf(readMessagesRequest, { ...countable, max_tokens: 1, ...fields });
    expect(refusal).toMatchObject({ code, message, param });
    expect(refusal.fields).toEqual(issues);
  });

  test('400 for a body that is no JSON object', () => {
    for (const body of ['', '{', '[]', 'null', '{"model": }'])
      expect(refusalOf(readCountRequest, body)).toMatchObject({ code: 'malformed_json' });
  });
});

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

quickLookLaws(request, { bySchema: checkBySchema, isPlainlySound });
