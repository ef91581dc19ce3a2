import { describe, expect, test } from 'bun:test';
import { argumentsOf, asFunction } from './as-function.ts';

describe('a free-text tool as a function', () => {
  test('takes one text, which it must have', () => {
    expect(asFunction({ kind: 'custom', name: 'patch', description: 'Applies a patch.' })).toEqual({
      kind: 'function',
      name: 'patch',
      description: 'Applies a patch.',
      schema: {
        type: 'object',
        properties: { input: { type: 'string', description: expect.any(String) } },
        required: ['input'],
      },
    });
  });

  test.each([
    ['lark', 'start: "a"', 'Applies.\n\nThe input must match this Lark grammar:\nstart: "a"'],
    ['regex', '^a+$', 'Applies.\n\nThe input must match this regular expression:\n^a+$'],
    ['peg', 'a <- b', 'Applies.\n\nThe input must match this grammar:\na <- b'],
  ])('is told of its grammar in words: %s', (syntax, definition, description) => {
    const format = { type: 'grammar', grammar: { syntax, definition } };
    expect(asFunction({ kind: 'custom', name: 'patch', description: 'Applies.', format })).toMatchObject({
      description,
    });
  });

  test('needs no description to have a grammar, nor a grammar to be text', () => {
    const grammar = { syntax: 'regex', definition: 'a' };
    expect(asFunction({ kind: 'custom', name: 'p', format: { type: 'grammar', grammar } })).toMatchObject({
      description: 'The input must match this regular expression:\na',
    });
    const plain = asFunction({ kind: 'custom', name: 'p', format: { type: 'text' } });
    expect(plain).toMatchObject({ description: undefined });
  });

  test('is called with an object; a function keeps what it was called with', () => {
    const input = 'say "hi"\n\\d 😀';
    expect(JSON.parse(argumentsOf({ input, custom: true }))).toEqual({ input });
    expect(argumentsOf({ input: '{"a": 1' })).toBe('{"a": 1');
  });
});
