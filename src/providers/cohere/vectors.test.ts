import { describe, expect, test } from 'bun:test';
import { asBase64 } from '../../protocols/embeddings/embeddings.ts';
import { readEmbeddingsRequest } from '../../protocols/embeddings/request.ts';
import { ComplaintError, UnreadableAnswerError } from '../../protocols/translator.ts';
import { cohereEmbeddings } from './vectors.ts';

function sentBy(fields: object): unknown {
  const request = readEmbeddingsRequest(JSON.stringify({ model: 'alias', input: ['a'], ...fields }));
  return JSON.parse(cohereEmbeddings.writeRequest(request, request.inputs, 'embed-v4.0'));
}

describe('cohereEmbeddings', () => {
  test('always says what the vectors are for', () => {
    expect(sentBy({})).toEqual({
      model: 'embed-v4.0',
      texts: ['a'],
      input_type: 'search_document',
      embedding_types: ['float'],
    });
    expect(sentBy({ input_type: 'query' })).toMatchObject({ input_type: 'search_query' });
  });

  test('asks for base64 and dimensions where the client does', () => {
    expect(sentBy({ encoding_format: 'base64', dimensions: 256 })).toMatchObject({
      embedding_types: ['base64'],
      output_dimension: 256,
    });
  });

  test('refuses ids of tokens', () => {
    expect(() => sentBy({ input: [[1, 2]] })).toThrow('ids of tokens');
  });

  test('reads numbers, base64 and the tokens that are paid for', () => {
    const meta = { billed_units: { input_tokens: 3 }, tokens: { input_tokens: 900 } };
    expect(cohereEmbeddings.readAnswer({ embeddings: { float: [[1], [2]] }, meta }, 2)).toEqual({
      vectors: [[1], [2]],
      inputTokens: 3,
    });
    const base64 = [asBase64([1])];
    expect(cohereEmbeddings.readAnswer({ embeddings: { base64 } }, 1)).toEqual({
      vectors: base64,
      inputTokens: null,
    });
    expect(cohereEmbeddings.readAnswer({ embeddings: { float: null, base64 } }, 1).vectors).toEqual(base64);
  });

  test.each([
    ['no vectors', { embeddings: {} }],
    ['vectors of another type', { embeddings: { int8: [[1], [2]] } }],
    ['too few vectors', { embeddings: { float: [[1]] } }],
    ['too many vectors', { embeddings: { float: [[1], [2], [3]] } }],
    ['a vector that is none', { embeddings: { float: [[1], ['2']] } }],
  ])('an answer with %s cannot be read', (_, json) => {
    expect(() => cohereEmbeddings.readAnswer(json, 2)).toThrow(UnreadableAnswerError);
  });

  test('an answer that is an error is told as such', () => {
    expect(() => cohereEmbeddings.readAnswer({ message: 'model not found' }, 1)).toThrow(ComplaintError);
  });
});
