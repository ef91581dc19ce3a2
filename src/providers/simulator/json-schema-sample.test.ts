import { describe, expect, test } from 'bun:test';
import { sampleOf } from './json-schema-sample.ts';

describe('a sample of a schema', () => {
  test.each<[object, unknown]>([
    [{ type: 'integer', minimum: 0.5 }, 1],
    [{ type: 'integer', minimum: 3, multipleOf: 5 }, 5],
    [{ type: 'integer', exclusiveMinimum: 3 }, 4],
    [{ type: 'integer', maximum: -2 }, -2],
    [{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }, 0.5],
    [{ type: 'number', maximum: 0.25 }, 0.25],
    [{ type: 'string', maxLength: 3 }, 'sim'],
    [{ type: 'string', format: 'date' }, '2030-01-01'],
    [{ type: ['null', 'string'] }, 'simulated'],
    [{ minLength: 10 }, 'simulated.'],
    [{ type: 'array', items: { type: 'integer' }, minItems: 3, uniqueItems: true }, [1, 2, 3]],
    [{ type: 'array', prefixItems: [{ type: 'string' }, { type: 'boolean' }] }, ['simulated', true]],
    [{ type: 'array', items: { type: 'boolean' }, maxItems: 0 }, []],
    [{ allOf: [{ properties: { a: { const: 1 } } }, { properties: { b: { const: 2 } } }] }, { a: 1, b: 2 }],
    [
      { properties: { a: { const: 1 } }, required: ['a'], anyOf: [{ required: ['b'] }] },
      { a: 1, b: null },
    ],
    [{ type: 'object', required: ['x'], additionalProperties: { type: 'integer' } }, { x: 1 }],
    [{ $ref: '#/$defs/a~1b', $defs: { 'a/b': { enum: ['x', 'y'] } } }, 'x'],
  ])('%j is %j', (schema, sample) => {
    expect(sampleOf(schema)).toEqual(sample);
  });

  const wide = Array.from({ length: 1000 }, (_, at) => `${at}`);
  const long = 'x'.repeat(10_000);
  test.each<[string, object]>([
    [
      'lists of lists',
      {
        type: 'array',
        minItems: 1000,
        items: { type: 'array', minItems: 1000, items: { type: 'array', minItems: 1000, items: {} } },
      },
    ],
    [
      'a tree that must go on',
      { type: 'object', required: ['a', 'b'], properties: { a: { $ref: '#' }, b: { $ref: '#' } } },
    ],
    ['a text', { type: 'string', minLength: 400_000_000 }],
    ['a text for each of many', { required: wide, additionalProperties: { minLength: 1_000_000 } }],
    ['one value again and again', { type: 'array', minItems: 1000, items: { const: long } }],
    ['choices', { type: 'array', minItems: 1000, uniqueItems: true, items: { enum: wide.map(() => long) } }],
    ['a name again and again', { type: 'array', minItems: 1000, items: { required: [long] } }],
    ['an address again and again', { type: 'array', minItems: 1000, items: { $ref: `#/${long}` } }],
    [
      'much that it combines',
      { allOf: Array.from({ length: 10_000 }, () => ({ required: wide.slice(0, 40) })) },
    ],
    ['what it combines', { required: wide, allOf: [{ $ref: '#' }, { required: wide }] }],
  ])('has an end: %s', (_name, schema) => {
    expect(JSON.stringify(sampleOf(schema)).length).toBeLessThan(500_000);
  });

  test('takes a reference that cannot be read for one to nothing', () => {
    expect(sampleOf({ $ref: '#/$defs/%' })).toEqual(sampleOf({}));
  });

  test('of a tree without end ends where it may', () => {
    const node = {
      type: 'object',
      properties: {
        name: { type: 'string' },
        next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
        children: { type: 'array', items: { $ref: '#/$defs/node' } },
      },
      required: ['name', 'next', 'children'],
    };
    const fits = (value: unknown): boolean => {
      if (typeof value !== 'object' || value === null) return false;
      const { name, next, children } = value as Record<string, unknown>;
      return (
        typeof name === 'string' &&
        (next === null || fits(next)) &&
        Array.isArray(children) &&
        children.every(fits)
      );
    };
    expect(fits(sampleOf({ $ref: '#/$defs/node', $defs: { node } }))).toBe(true);
  });
});
