import { describe, expect, test } from 'bun:test';
import { writeConverseTurn } from '../converse/write-request.ts';
import type { JsonObject } from '../json/fields.ts';
import { writeMessagesTurn } from '../messages/write-request.ts';
import { closeSchema, isClosable } from './closed-schema.ts';
import type { TurnRequest } from './request.ts';

const text = { type: 'string' };
const object = (properties: JsonObject, others: JsonObject = {}) => ({
  type: 'object',
  properties,
  ...others,
});
const many = (count: number, schema: JsonObject) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, schema]));
const demanding = (properties: JsonObject) => object(properties, { required: Object.keys(properties) });
const union = { type: ['string', 'null'] };

describe('a schema that the upstream could not compile is not closed', () => {
  const leaf = object({ a: text });
  test.each<[string, JsonObject, boolean]>([
    ['when it refers to a definition', object({ a: { $ref: '#/$defs/b' } }, { $defs: { b: leaf } }), true],
    [
      'when definitions refer to each other',
      object({ a: { $ref: '#/$defs/b' } }, { $defs: { b: object({ c: { $ref: '#/$defs/c' } }), c: leaf } }),
      true,
    ],
    ['when it refers to a part of itself', object({ a: leaf, b: { $ref: '#/properties/a' } }), true],
    [
      'when a name is written in a reference',
      object({ a: { $ref: '#/$defs/b~1c' } }, { $defs: { 'b/c': leaf } }),
      true,
    ],
    ['but not when it refers to itself', object({ a: { type: 'array', items: { $ref: '#' } } }), false],
    [
      'but not when a definition does',
      object({}, { $defs: { b: object({ b: { $ref: '#/$defs/b' } }) } }),
      false,
    ],
    [
      'but not when definitions do in a circle',
      object(
        {},
        { $defs: { b: object({ c: { $ref: '#/$defs/c' } }), c: object({ b: { $ref: '#/$defs/b' } }) } },
      ),
      false,
    ],
    ['but not when it refers to nothing', object({ a: { $ref: '#/$defs/b' } }), false],
    ['but not when it refers to another place', object({ a: { $ref: 'https://x.test/schema' } }), false],
    [
      'but not when what must hold together is referred to',
      object({ a: { allOf: [{ $ref: '#/$defs/b' }] } }, { $defs: { b: leaf } }),
      false,
    ],
    [
      'but not with two kinds of alternatives at once',
      object({ a: { anyOf: [text], oneOf: [text] } }),
      false,
    ],
    ['with as much left open as is taken', object(many(24, text)), true],
    ['but not with more', object({ a: demanding({ b: object(many(24, text)) }) }), false],
    ['with as many types as are taken', demanding(many(16, union)), true],
    ['but not with more types', demanding({ ...many(16, union), b: { oneOf: [text, union] } }), false],
  ])('%s', (_what, schema, expected) => {
    expect(isClosable(schema)).toBe(expected);
  });

  test('whatever it costs to find out', () => {
    const names = Array.from({ length: 20_000 }, (_, at) => `d${at}`);
    const chain = names.map((name, at) => [
      name,
      object({ a: { $ref: `#/$defs/${names[at + 1] ?? 'end'}` } }),
    ]);
    const deep = object(
      { a: { $ref: '#/$defs/d0' } },
      { $defs: { ...Object.fromEntries(chain), end: object({ a: text }) } },
    );
    expect(isClosable(deep)).toBe(false);
    const wide = { $defs: { b: object(many(20_000, text)) }, ...object(many(20_000, { $ref: '#/$defs/b' })) };
    expect(isClosable(wide)).toBe(false);
  });
});

test('conditions, and formats that are not known, are told in words', () => {
  const date = { type: 'string', format: 'date' };
  const title = { type: 'string', format: 'title', description: 'A title.', not: { enum: ['', '-'] } };
  const named = object({ if: date, format: title });
  expect(closeSchema({ ...named, dependentRequired: { if: ['format'] } })).toEqual({
    type: 'object',
    properties: {
      if: date,
      format: { type: 'string', description: 'A title. (format: "title", not: {"enum":["","-"]})' },
    },
    additionalProperties: false,
    description: '(dependentRequired: {"if":["format"]})',
  });
});

test('alternatives are folded into the one kind that is taken', () => {
  expect(closeSchema(object({ a: { oneOf: [text, object({ b: text })] } }))).toEqual({
    ...object({ a: { anyOf: [text, { ...object({ b: text }), additionalProperties: false }] } }),
    additionalProperties: false,
  });
});

describe.each<[string, (asked: TurnRequest) => JsonObject, (tool: JsonObject) => unknown]>([
  [
    'messages',
    (asked) => JSON.parse(writeMessagesTurn(asked, { id: 'claude-sonnet-4-6' })),
    (tool) => tool['strict'],
  ],
  [
    'Converse',
    (asked) => JSON.parse(writeConverseTurn(asked, { id: 'anthropic.claude-sonnet-4-6' })).toolConfig,
    (tool) => (tool as { toolSpec: JsonObject }).toolSpec['strict'],
  ],
])('strict tools of one request in %s', (_name, write, strictOf) => {
  const written = (schemas: readonly JsonObject[], format?: JsonObject) => {
    const sent = write({
      system: [],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
      tools: schemas.map((schema, at) => ({ kind: 'function', name: `t${at}`, schema, strict: true })),
      ...(format && { responseFormat: { type: 'json_schema', schema: format, strict: true } }),
      parallelToolUse: true,
      stopSequences: [],
      sampling: {},
      stream: false,
      vendor: {},
    });
    return (sent as { tools: readonly JsonObject[] }).tools.map(strictOf);
  };

  test('are no more than are taken; the others are offered as they are', () => {
    const strict = written(Array.from({ length: 22 }, () => demanding({ a: text })));
    expect(strict).toEqual([...Array.from({ length: 20 }, () => true), undefined, undefined]);
  });

  test('leave open no more than is taken, all together and with the answer', () => {
    const open = object(many(10, text));
    expect(written([open, open, open, demanding({ a: text })])).toEqual([true, true, undefined, true]);
    expect(written([open, open, open], open)).toEqual([true, undefined, undefined]);
  });
});
