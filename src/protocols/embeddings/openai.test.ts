import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { AppError } from '../../base/errors.ts';
import { ComplaintError, UnreadableAnswerError } from '../translator.ts';
import { asBase64 } from './embeddings.ts';
import { openaiEmbeddings } from './openai.ts';
import { readEmbeddingsRequest } from './request.ts';

const upstream = openaiEmbeddings();

function sentBy(fields: object, differences: Parameters<typeof openaiEmbeddings>[0] = {}): unknown {
  const request = readEmbeddingsRequest(JSON.stringify({ model: 'alias', input: ['a', 'b'], ...fields }));
  return JSON.parse(openaiEmbeddings(differences).writeRequest(request, request.inputs, 'real'));
}

const entry = (index: number, embedding: unknown = [index, 1]) => ({ object: 'embedding', index, embedding });

describe('requests to OpenAI and its like', () => {
  test('have the inputs of the call, the real model and nothing that is not asked for', () => {
    expect(sentBy({})).toEqual({ model: 'real', input: ['a', 'b'] });
    expect(sentBy({ encoding_format: 'float', dimensions: null })).toEqual({
      model: 'real',
      input: ['a', 'b'],
    });
    const request = readEmbeddingsRequest('{"model":"m","input":["a","b","c"]}');
    expect(JSON.parse(upstream.writeRequest(request, ['b'], 'real'))).toMatchObject({ input: ['b'] });
  });

  test('carry ids of tokens, base64, dimensions, the user and unknown fields', () => {
    const fields = {
      input: [[1, 2], [3]],
      encoding_format: 'base64',
      dimensions: 8,
      user: 'u',
      novelty: { a: 1 },
    };
    expect(sentBy(fields)).toEqual({ model: 'real', ...fields });
  });

  test('say neither the session nor the input type, which OpenAI does not know', () => {
    expect(sentBy({ metadata: { session_id: 's' }, input_type: 'query' })).toEqual({
      model: 'real',
      input: ['a', 'b'],
    });
  });

  test('hand on the metadata of the client without the session, where the host takes any', () => {
    const host = { passes: ['metadata'] };
    expect(sentBy({ metadata: { session_id: 's', team: 'red' } }, host)).toMatchObject({
      metadata: { team: 'red' },
    });
    expect(sentBy({ metadata: { session_id: 's' } }, host)).not.toHaveProperty('metadata');
  });

  test('name fields as the host does', () => {
    const host = {
      dimensionsField: 'output_dimension',
      base64Field: 'output_format',
      inputType: { field: 'purpose', query: 'q', document: 'd' },
      fixed: { kind: 'dense' },
      passes: ['truncate'],
    };
    const fields = {
      dimensions: 8,
      encoding_format: 'base64',
      input_type: 'document',
      truncate: 'END',
      user: 'u',
    };
    expect(sentBy(fields, host)).toEqual({
      model: 'real',
      input: ['a', 'b'],
      output_dimension: 8,
      output_format: 'base64',
      purpose: 'd',
      kind: 'dense',
      truncate: 'END',
    });
  });

  test('leave base64 out for hosts that only give numbers', () => {
    expect(sentBy({ encoding_format: 'base64' }, { base64Field: null })).toEqual({
      model: 'real',
      input: ['a', 'b'],
    });
  });

  test.each([
    [{ input: [[1, 2]] }, { tokenIds: false }, 'input'],
    [{ dimensions: 8 }, { dimensionsField: null }, 'dimensions'],
  ])('%j is refused where the host cannot take it', (fields, host, param) => {
    let thrown: unknown;
    try {
      sentBy(fields, host);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(AppError);
    expect(thrown).toMatchObject({ code: 'invalid_parameter', param });
  });
});

describe('answers of OpenAI and its like', () => {
  test('are put in the order of the inputs', () => {
    const order = fc.integer({ min: 1, max: 30 }).chain((count) =>
      fc.shuffledSubarray(
        Array.from({ length: count }, (_, index) => index),
        { minLength: count },
      ),
    );
    fc.assert(
      fc.property(order, (indexes) => {
        const { vectors } = upstream.readAnswer(
          { data: indexes.map((index) => entry(index)) },
          indexes.length,
        );
        expect(vectors).toEqual(indexes.map((_, index) => [index, 1]));
      }),
    );
  });

  test('are in the order of the inputs when no entry has an index', () => {
    const data = [{ embedding: [1] }, { embedding: [2] }];
    expect(upstream.readAnswer({ data }, 2).vectors).toEqual([[1], [2]]);
  });

  test('may be base64 though it was not asked for', () => {
    expect(upstream.readAnswer({ data: [entry(0, asBase64([1, 2]))] }, 1).vectors).toEqual([
      asBase64([1, 2]),
    ]);
  });

  test.each([
    [{ prompt_tokens: 4, total_tokens: 4 }, 4],
    [{ total_tokens: 9 }, 9],
    [{ prompt_tokens: 0, total_tokens: 0 }, null],
    [{ prompt_tokens: -1 }, null],
    [{ prompt_tokens: '4' }, null],
    [{}, null],
    [null, null],
    [undefined, null],
  ])('with the usage %j have %p tokens', (usage, inputTokens) => {
    expect(upstream.readAnswer({ data: [entry(0)], usage }, 1).inputTokens).toBe(inputTokens);
  });

  test.each([
    ['nothing', undefined],
    ['a list', [entry(0)]],
    ['no list of vectors', { object: 'list' }],
    ['too few vectors', { data: [entry(0)] }],
    ['too many vectors', { data: [entry(0), entry(1), entry(2)] }],
    ['an index twice', { data: [entry(0), entry(0)] }],
    ['an index outside of the request', { data: [entry(0), entry(2)] }],
    ['an index that is none', { data: [entry(0), { ...entry(1), index: '1' }] }],
    ['an index missing among others', { data: [entry(0), { embedding: [1] }] }],
    ['an entry without a vector', { data: [entry(0), { index: 1 }] }],
    ['an empty vector', { data: [entry(0), entry(1, [])] }],
    ['a vector with a hole', { data: [entry(0), entry(1, [1, null])] }],
    ['entries that are none', { data: [null, 5] }],
  ])('with %s cannot be read', (_, json) => {
    expect(() => upstream.readAnswer(json, 2)).toThrow(UnreadableAnswerError);
  });

  test('that are errors are told as such', () => {
    const error = { message: 'the model sleeps', type: 'server_error', code: null };
    expect(() => upstream.readAnswer({ error }, 1)).toThrow(
      new ComplaintError({ ...error, param: null, status: null }),
    );
  });
});
