/** Samples of JSON Schemas. */
import { expect, test } from 'bun:test';
import { sampleOf } from './sample-json.ts';

test.each([
  [{ type: 'string', minLength: 8 }, 'sample..'],
  [{ type: 'string', maxLength: 2 }, 'sa'],
  [{ type: 'integer', minimum: 10 }, 10],
  [{ type: 'integer', maximum: 3 }, 3],
  [{ type: 'integer', exclusiveMinimum: 20 }, 21],
  [{ type: 'number' }, 7.5],
  [{ type: 'boolean' }, true],
  [{ type: 'null' }, null],
  [{ type: ['null', 'boolean'] }, true],
  [{ enum: ['lower', 'upper'] }, 'lower'],
  [{ const: 3 }, 3],
  [{ anyOf: [{ type: 'null' }, { type: 'string' }] }, null],
  [{ type: 'array', items: { type: 'integer' }, minItems: 2 }, [7, 7]],
  [
    { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['b'] },
    { b: 'sample' },
  ],
  [
    { properties: { a: { $ref: '#/$defs/gate' } }, required: ['a'], $defs: { gate: { const: 'up' } } },
    { a: 'up' },
  ],
  [undefined, 'sample'],
])('%j gives %j', (schema, sample) => {
  expect(sampleOf(schema)).toEqual(sample);
});

test('a schema that holds itself comes to an end', () => {
  const schema = { type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] };
  const text = JSON.stringify(sampleOf(schema));
  expect(text).toStartWith('{"next":{"next":');
  expect(text).toMatch(/"next":"sample"\}+$/);
});
