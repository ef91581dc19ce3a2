import { describe, expect, test } from 'bun:test';
import { writeConverseTurn } from '../converse/write-request.ts';
import type { JsonObject } from '../json/fields.ts';
import { writeMessagesTurn } from '../messages/write-request.ts';
import { isClosable } from './closed-schema.ts';
import type { TurnRequest } from './request.ts';
import { isStrictSchema } from './schema.ts';

const closed = (properties: JsonObject): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const text = { type: 'string' };

describe('a schema is strict', () => {
  test.each<[string, JsonObject]>([
    ['when it is closed and all is required', closed({ a: text })],
    ['when it is empty and closed', closed({})],
    ['with alternatives below its root', closed({ a: { anyOf: [text, { type: 'null' }] } })],
    ['with closed objects in lists', closed({ a: { type: 'array', items: closed({ b: text }) } })],
    ['with a property by the name of a keyword', closed({ not: text, oneOf: text })],
    ['with closed definitions', { ...closed({ a: { $ref: '#/$defs/b' } }), $defs: { b: closed({}) } }],
  ])('%s', (_what, schema) => {
    expect(isStrictSchema(schema)).toBe(true);
  });
});

describe('a schema is not strict', () => {
  test.each<[string, JsonObject]>([
    ['when it says nothing', {}],
    ['when it is an open object without properties', { type: 'object' }],
    ['when a property may be left out', { ...closed({ a: text }), required: [] }],
    ['as a map', { type: 'object', additionalProperties: text }],
    ['with a map in it', closed({ a: { type: 'object', additionalProperties: text } })],
    ['with an open object in it', closed({ a: { type: ['object', 'null'] } })],
    ['with an open object in a list', closed({ a: { type: 'array', items: { type: 'object' } } })],
    ['with alternatives at its root', { ...closed({ a: text }), anyOf: [closed({})] }],
    ['with oneOf', closed({ a: { oneOf: [text] } })],
    ['with allOf', closed({ a: { allOf: [text] } })],
    ['with not', closed({ a: { not: text } })],
    ['with an open definition', { ...closed({}), $defs: { b: { type: 'object', properties: { c: text } } } }],
    ['with a property that can be anything', closed({ a: {} })],
    ['with a property that always fits', closed({ a: true })],
    ['with a list of anything', closed({ a: { type: 'array' } })],
    ['when it is no object', { type: 'array', items: text }],
  ])('%s', (_what, schema) => {
    expect(isStrictSchema(schema)).toBe(false);
  });
});

describe('a schema can be closed', () => {
  test.each<[string, JsonObject, boolean]>([
    ['when it names its properties', { type: 'object', properties: { a: text } }, true],
    ['when it has none', { type: 'object', properties: {} }, true],
    [
      'when it takes others beside them',
      { type: 'object', properties: { a: text }, additionalProperties: true },
      true,
    ],
    [
      'when another tells its properties',
      { type: 'object', $ref: '#/$defs/a', $defs: { a: closed({}) } },
      true,
    ],
    ['but not as a map', { type: 'object', additionalProperties: text }, false],
    ['but not as a map of anything', { type: 'object', properties: {}, additionalProperties: true }, false],
    ['but not as any object', { type: 'object' }, false],
    ['but not by patterns', { type: 'object', patternProperties: { '^a': text } }, false],
    ['but not with a map in it', closed({ a: { type: 'array', items: { type: 'object' } } }), false],
    [
      'but not with a map among its definitions',
      { ...closed({}), $defs: { b: { additionalProperties: text } } },
      false,
    ],
  ])('%s', (_what, schema, expected) => {
    expect(isClosable(schema)).toBe(expected);
  });
});

const map = { type: 'object', additionalProperties: { type: 'integer' } };
const row = { type: 'object', properties: { a: { type: 'integer' } } };
const model = { id: 'anthropic.claude-sonnet-4-6' };

const turn = (schema: JsonObject): TurnRequest => ({
  system: [{ type: 'text', text: 'Count.' }],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  tools: [{ kind: 'function', name: 'count', schema: schema, strict: true }],
  responseFormat: { type: 'json_schema', schema: schema, strict: true },
  parallelToolUse: true,
  stopSequences: [],
  sampling: {},
  stream: false,
  vendor: {},
});

describe.each([
  ['messages', (asked: TurnRequest) => writeMessagesTurn(asked, model), 'output_config'],
  ['Converse', (asked: TurnRequest) => writeConverseTurn(asked, model), 'outputConfig'],
] as const)('a schema in %s', (_name, write, place) => {
  test('that is a map is told in words, since it would be answered with nothing', () => {
    const written = JSON.parse(write(turn(map)));
    expect(written).not.toHaveProperty(place);
    expect(JSON.stringify(written.system)).toContain(JSON.stringify(JSON.stringify(map)).slice(1, -1));
    expect(JSON.stringify(written)).not.toContain('"strict":true');
    expect(JSON.stringify(written)).not.toContain('"additionalProperties":false');
  });

  test('that names its properties is enforced', () => {
    const written = JSON.parse(write(turn(row)));
    expect(written).toHaveProperty(place);
    expect(JSON.stringify(written.system)).not.toContain('JSON');
    expect(JSON.stringify(written)).toContain('"strict":true');
  });
});
