import { describe, expect, test } from 'bun:test';
import { chatUpstream } from '../chat-completions/protocol.ts';
import { writeConverseTurn } from '../converse/write-request.ts';
import type { JsonObject } from '../json/fields.ts';
import { writeMessagesTurn } from '../messages/write-request.ts';
import { writeResponsesTurn } from '../responses/write-request.ts';
import type { TurnRequest } from './request.ts';
import { withPlainRoot } from './root-schema.ts';
import { referredSchema } from './schema.ts';

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

describe('what is referred to inside the branches', () => {
  const branches = [
    { properties: { a: { $ref: '#/anyOf/1/properties/b' } } },
    { properties: { b: text, c: { $ref: '#/properties/own' } } },
  ];
  const own = { $ref: '#/anyOf/1/properties/b' };

  test('is found among the definitions, where all branches stand once', () => {
    const { properties, $defs } = withPlainRoot({ properties: { own }, anyOf: branches }, 'anthropic');
    const moved = { $ref: '#/$defs/alternatives/anyOf/1/properties/b' };
    expect(properties).toEqual({ own: moved, a: moved, b: text, c: { $ref: '#/properties/own' } });
    expect($defs).toEqual({ alternatives: { anyOf: [{ properties: { a: moved } }, branches[1]] } });
    for (const { $ref } of [moved, { $ref: '#/properties/own' }]) {
      expect(referredSchema({ properties, $defs }, $ref)).toBeDefined();
    }
  });

  test('takes no name that a definition has, whose references follow too', () => {
    const $defs = { alternatives: own, alternatives2: { items: [own] } };
    const moved = { $ref: '#/$defs/alternatives3/anyOf/1/properties/b' };
    expect(withPlainRoot({ $defs, anyOf: [branches[1], branches[1]] }, 'openai')['$defs']).toEqual({
      alternatives: moved,
      alternatives2: { items: [moved] },
      alternatives3: { anyOf: [branches[1], branches[1]] },
    });
  });

  test('is no value, no property of that name, and no branch that its vendor takes', () => {
    const properties = {
      $ref: { const: own, enum: [own], default: own, examples: [own] },
      default: { type: 'string' },
      not: { $ref: '#/not' },
    };
    const schema = { type: 'object', properties, not: text, anyOf: [{}] };
    const written = withPlainRoot(schema, 'anthropic');
    expect(written['properties']).toEqual(properties);
    expect(written).not.toHaveProperty('$defs');
    expect(withPlainRoot(schema, 'openai')['properties']).toEqual({
      ...properties,
      not: { $ref: '#/$defs/alternatives/not' },
    });
  });
});

/** One branch for each level of a schema, so that each has all that is below it. */
function nested(levels: number, bottom: object): JsonObject {
  let a: object = bottom;
  const anyOf: object[] = [];
  for (let level = 0; level < levels; level += 1) {
    a = { properties: { [`p${level}`]: a } };
    const steps = Array.from({ length: level }, (_, at) => `/properties/p${levels - 1 - at}`);
    anyOf.push({ $ref: `#/$defs/a${steps.join('')}` });
  }
  return { type: 'object', $defs: { a }, anyOf };
}

test.each([20_000, 300_000])('branches inside each other do not repeat %p characters', (characters) => {
  const schema = nested(95, { description: 'x'.repeat(characters) });
  const written = withPlainRoot(schema, 'anthropic');
  expect(JSON.stringify(written).length).toBeLessThan(4 * JSON.stringify(schema).length);
  const names = Object.keys(written['properties'] ?? {});
  expect(names.toSorted()).toEqual(Array.from({ length: 95 }, (_, at) => `p${at}`).toSorted());
  expect(written['properties']).toMatchObject({ p0: {} });
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
