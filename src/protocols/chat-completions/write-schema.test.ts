import { expect, test } from 'bun:test';
import { writeAnswerSchema, writeParameters } from './write-schema.ts';

test('arguments are an object with properties, even when the schema says nothing', () => {
  expect(writeParameters({})).toEqual({ type: 'object', properties: {} });
  expect(writeParameters({ type: 'object' })).toEqual({ type: 'object', properties: {} });
  expect(writeParameters({ properties: { a: { type: 'string' } } })).toEqual({
    type: 'object',
    properties: { a: { type: 'string' } },
  });
});

test('objects get properties and lists get items wherever they stand', () => {
  const schema = {
    type: 'object',
    properties: {
      list: { type: 'array' },
      maps: { type: ['array', 'null'], items: { type: 'object', additionalProperties: { type: 'array' } } },
      // A property by a telling name is no schema keyword.
      items: { anyOf: [{ type: 'object' }, { type: 'string' }] },
    },
    $defs: { open: { type: ['object', 'null'] } },
    required: ['list'],
  };
  expect(writeParameters(schema)).toEqual({
    type: 'object',
    properties: {
      list: { type: 'array', items: {} },
      maps: {
        type: ['array', 'null'],
        items: { type: 'object', additionalProperties: { type: 'array', items: {} }, properties: {} },
      },
      items: { anyOf: [{ type: 'object', properties: {} }, { type: 'string' }] },
    },
    $defs: { open: { type: ['object', 'null'], properties: {} } },
    required: ['list'],
  });
});

test('a schema that has all of it stays as it is; values that look like schemas do too', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'array', items: { type: 'string' }, default: [{ type: 'object' }] } },
    examples: [{ type: 'array' }],
  };
  expect(writeParameters(schema)).toEqual(schema);
});

test('an answer need not be an object where its schema has alternatives', () => {
  expect(writeAnswerSchema({ anyOf: [{ type: 'array' }] })).toEqual({
    anyOf: [{ type: 'array', items: {} }],
  });
  expect(writeAnswerSchema({ properties: { a: {} } })).toEqual({ type: 'object', properties: { a: {} } });
});
