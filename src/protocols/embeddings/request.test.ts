import { describe, expect, test } from 'bun:test';
import { AppError } from '../../base/errors.ts';
import { checkInputLengths, readEmbeddingsRequest } from './request.ts';

const read = (fields: object) => readEmbeddingsRequest(JSON.stringify({ model: 'm', input: 'x', ...fields }));

function refusalOf(body: unknown): AppError {
  try {
    readEmbeddingsRequest(typeof body === 'string' ? body : JSON.stringify(body));
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error('it was accepted');
}

describe('readEmbeddingsRequest', () => {
  test.each([
    ['one text', 'harbour', ['harbour']],
    ['texts', ['a', 'b'], ['a', 'b']],
    ['the ids of one text', [1, 0, 4_294_967_295], [[1, 0, 4_294_967_295]]],
    ['the ids of several texts', [[1, 2], [3]], [[1, 2], [3]]],
  ])('reads %s', (_, input, inputs) => {
    expect(read({ input }).inputs).toEqual(inputs);
  });

  test('takes 2,048 inputs and keeps the text as it came', () => {
    const text = JSON.stringify({ model: 'm', input: Array.from({ length: 2048 }, () => 'x'), seed: 1 });
    const request = readEmbeddingsRequest(text);
    expect(request.inputs).toHaveLength(2048);
    expect(request.text).toBe(text);
  });

  test('gives numbers unless base64 is asked for', () => {
    expect(read({}).encodingFormat).toBe('float');
    expect(read({ encoding_format: null }).encodingFormat).toBe('float');
    expect(read({ encoding_format: 'base64' }).encodingFormat).toBe('base64');
  });

  test.each([
    ['query', 'query'],
    ['search_query', 'query'],
    ['retrieval.query', 'query'],
    ['document', 'document'],
    ['search_document', 'document'],
    ['passage', 'document'],
    ['retrieval.passage', 'document'],
    [null, undefined],
  ] as const)('reads the input type %p as %p', (name, type) => {
    expect(read({ input_type: name }).inputType).toBe(type);
  });

  test('reads what is optional, and null as absent', () => {
    expect(read({ dimensions: 256, user: 'u' })).toMatchObject({ dimensions: 256, user: 'u' });
    const bare = read({ dimensions: null, user: null, metadata: null });
    expect([bare.dimensions, bare.user]).toEqual([undefined, undefined]);
  });

  test.each([
    [{ model: '' }, 'model', 'too_small'],
    [{ input: undefined }, 'input', 'missing'],
    [{ input: null }, 'input', 'invalid_type'],
    [{ input: { text: 'x' } }, 'input', 'invalid_type'],
    [{ input: '' }, 'input', 'too_small'],
    [{ input: [] }, 'input', 'too_small'],
    [{ input: ['x', ''] }, 'input[1]', 'too_small'],
    [{ input: [[1], []] }, 'input[1]', 'too_small'],
    [{ input: [true] }, 'input[0]', 'invalid_type'],
    [{ input: ['x', 5] }, 'input[1]', 'invalid_type'],
    [{ input: [5, 'x'] }, 'input[1]', 'invalid_type'],
    [{ input: [1, -1] }, 'input[1]', 'invalid_type'],
    [{ input: [1, 1.5] }, 'input[1]', 'invalid_type'],
    [{ input: [[1], 'x'] }, 'input[1]', 'invalid_type'],
    [{ input: [[1], [2, 4_294_967_296]] }, 'input[1][1]', 'invalid_type'],
    [{ input: Array.from({ length: 2049 }, () => 'x') }, 'input', 'too_big'],
    [{ encoding_format: 'hex' }, 'encoding_format', 'invalid_value'],
    [{ dimensions: 0 }, 'dimensions', 'too_small'],
    [{ dimensions: 2.5 }, 'dimensions', 'invalid_type'],
    [{ input_type: 'poem' }, 'input_type', 'invalid_value'],
    [{ user: 5 }, 'user', 'invalid_type'],
    [{ metadata: { session_id: 5 } }, 'metadata.session_id', 'invalid_type'],
  ])('422 for %j, and says where', (fields, param, type) => {
    const refusal = refusalOf({ model: 'm', input: 'x', ...fields });
    expect(refusal).toMatchObject({ code: 'validation_failed', status: 422, param });
    expect(refusal.fields.map((field) => field.type)).toEqual([type]);
  });

  test('422 lists every field that is wrong', () => {
    const refusal = refusalOf({ input: '', dimensions: -1 });
    expect(refusal.fields.map(({ loc }) => loc.join('.'))).toEqual(['model', 'input', 'dimensions']);
  });

  test.each(['', '{', '[]', '"text"'])('400 for a body of %p', (body) => {
    expect(refusalOf(body)).toMatchObject({ code: 'malformed_json', status: 400 });
  });
});

describe('checkInputLengths', () => {
  const refusalOfLengths = async (input: unknown, limit?: number): Promise<AppError | null> => {
    try {
      await checkInputLengths(read({ input }), limit);
      return null;
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  };

  test('passes texts of at most as many bytes as tokens are allowed, and longer ones with few tokens', async () => {
    expect(await refusalOfLengths('~'.repeat(2048))).toBeNull();
    expect(await refusalOfLengths(['short', 'harbour '.repeat(1000)])).toBeNull();
  });

  test('counts bytes, not characters, before it goes without a tokeniser', async () => {
    const text = '𒀀'.repeat(1000);
    expect(text.length).toBeLessThan(2048);
    expect(await refusalOfLengths(text)).toMatchObject({ param: 'input' });
  });

  test('422 names the first text that is too long', async () => {
    const refusal = await refusalOfLengths(['short', 'harbour '.repeat(3000), 'harbour '.repeat(4000)]);
    expect(refusal).toMatchObject({ code: 'validation_failed', status: 422, param: 'input[1]' });
    expect(refusal?.fields).toMatchObject([{ loc: ['input', 1], type: 'too_big' }]);
    expect(refusal?.message).toContain('2048');
  });

  test('422 for too many ids of one text, and of one among several', async () => {
    const ids = (length: number) => Array.from({ length }, () => 7);
    expect(await refusalOfLengths(ids(2048))).toBeNull();
    expect(await refusalOfLengths(ids(2049))).toMatchObject({ status: 422, param: 'input' });
    expect(await refusalOfLengths([ids(2048), ids(2049)])).toMatchObject({ status: 422, param: 'input[1]' });
  });

  test('the limit can be another', async () => {
    expect(await refusalOfLengths([[1, 2, 3]], 2)).toMatchObject({ param: 'input[0]' });
    expect(await refusalOfLengths('one two three four five six', 3)).toMatchObject({ param: 'input' });
  });
});
