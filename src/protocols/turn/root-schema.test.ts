import { describe, expect, test } from 'bun:test';
import { chatUpstream } from '../chat-completions/protocol.ts';
import { writeConverseTurn } from '../converse/write-request.ts';
import type { JsonObject } from '../json/fields.ts';
import { writeMessagesTurn } from '../messages/write-request.ts';
import { writeResponsesTurn } from '../responses/write-request.ts';
import type { TurnRequest } from './request.ts';
import { withPlainRoot } from './root-schema.ts';

const text = { type: 'string' };
const number = { type: 'number' };

const turn = (schema: JsonObject, strict?: boolean): TurnRequest => ({
  system: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  tools: [{ kind: 'function', name: 'look', schema, strict }],
  parallelToolUse: true,
  stopSequences: [],
  sampling: {},
  stream: false,
  vendor: {},
});

const claude = { id: 'anthropic.claude-sonnet-4-6' };
const gpt = { id: 'gpt-5.2' };

describe.each<[string, (asked: TurnRequest) => JsonObject]>([
  ['messages', (asked) => JSON.parse(writeMessagesTurn(asked, claude)).tools[0].input_schema],
  [
    'Converse',
    (asked) => JSON.parse(writeConverseTurn(asked, claude)).toolConfig.tools[0].toolSpec.inputSchema.json,
  ],
  [
    'chat completions',
    (asked) => JSON.parse(chatUpstream().writeRequest(asked, gpt)).tools[0].function.parameters,
  ],
  ['responses', (asked) => JSON.parse(writeResponsesTurn(asked, gpt)).tools[0].parameters],
])('alternatives at the root of a tool of %s', (_name, write) => {
  const branches = [
    { properties: { url: text, at: number }, required: ['url'] },
    { properties: { path: text, at: text }, required: ['path'] },
  ];

  test.each(['anyOf', 'oneOf', 'allOf'])(
    '%s is told in words, and what it names is offered',
    (combinator) => {
      const written = write(turn({ type: 'object', properties: { deep: number }, [combinator]: branches }));
      expect(written).toMatchObject({
        type: 'object',
        properties: { deep: number, url: text, path: text, at: { anyOf: [number, text] } },
      });
      expect(written['description']).toContain(JSON.stringify({ [combinator]: branches }));
      expect(written).not.toHaveProperty(combinator);
      expect(written['required']).toEqual(combinator === 'allOf' ? ['url', 'path'] : undefined);
    },
  );

  test('do not make strict what no longer says all', () => {
    const all = { type: 'object', properties: {}, required: [], additionalProperties: false };
    const written = write(turn({ ...all, anyOf: [all] }, true));
    expect(written).not.toHaveProperty('anyOf');
  });

  test('stay below the root', () => {
    const schema = { type: 'object', properties: { a: { anyOf: [text, number] } } };
    expect(write(turn(schema))).toEqual(schema);
  });
});

test('OpenAI refuses other things at the root than Anthropic', () => {
  const schema = { type: 'object', properties: { a: text }, not: { required: ['a'] }, enum: [{ a: 'b' }] };
  expect(withPlainRoot(schema, 'anthropic')).toBe(schema);
  const { description, ...left } = withPlainRoot(schema, 'openai');
  expect(left).toEqual({ type: 'object', properties: { a: text }, required: undefined });
  expect(description).toContain(JSON.stringify({ not: schema.not, enum: schema.enum }));
});

test('branches are followed where they refer to, and into each other', () => {
  const schema = {
    description: 'Looks.',
    $defs: {
      one: { properties: { a: text }, required: ['a', 'b'] },
      two: { oneOf: [{ $ref: '#/$defs/one' }, { properties: { c: text } }] },
    },
    anyOf: [{ $ref: '#/$defs/one' }, { $ref: '#/$defs/two', required: ['a'] }, { $ref: '#/anyOf/0' }],
  };
  const written = withPlainRoot(schema, 'anthropic');
  expect(written['properties']).toEqual({ a: text, c: text });
  expect(written['description']).toStartWith('Looks. ');
  expect(written['$defs']).toBe(schema.$defs);
});

/** The square of its length would take longer, even on a busy machine its length does not. */
const mostMs = 20_000;

test(
  'is found in time in a schema that repeats itself',
  () => {
    const names = Array.from({ length: 20_000 }, (_, at) => `p${at}`);
    const wide = { properties: Object.fromEntries(names.map((name) => [name, text])), required: names };
    const branches = names.map(() => ({ $ref: '#/$defs/wide' }));
    const nested = names.map((name) => ({
      oneOf: [{ $ref: '#/$defs/wide' }],
      properties: { [name]: number },
    }));
    const written = withPlainRoot(
      { $defs: { wide }, anyOf: branches, oneOf: nested, allOf: branches },
      'openai',
    );
    expect(Object.keys(written['properties'] ?? {})).toHaveLength(20_000);
    expect(written['required']).toEqual(names);
  },
  mostMs,
);
