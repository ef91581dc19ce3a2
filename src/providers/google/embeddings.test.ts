import { describe, expect, test } from 'bun:test';
import { AppError } from '../../base/errors.ts';
import type { EmbeddingsRequest } from '../../protocols/embeddings/embeddings.ts';
import { ComplaintError, UnreadableAnswerError } from '../../protocols/translator.ts';
import { googleEmbeddings } from './embeddings.ts';

const request: EmbeddingsRequest = { text: '', json: {}, model: 'm', inputs: ['a'], encodingFormat: 'float' };
const written = (changed: Partial<EmbeddingsRequest>, inputs = ['a', 'b'], model = 'gemini-embedding-001') =>
  JSON.parse(googleEmbeddings.writeRequest({ ...request, ...changed }, inputs, model)).requests;

describe('embeddings of the Gemini API', () => {
  test('each input is a request of its own, which names its model', () => {
    expect(written({})).toEqual([
      { model: 'models/gemini-embedding-001', content: { parts: [{ text: 'a' }] } },
      { model: 'models/gemini-embedding-001', content: { parts: [{ text: 'b' }] } },
    ]);
  });

  test('dimensions and the type of input go along under their names here', () => {
    expect(written({ dimensions: 256, inputType: 'query' }, ['a'])[0]).toMatchObject({
      taskType: 'RETRIEVAL_QUERY',
      outputDimensionality: 256,
    });
    expect(written({ inputType: 'document' }, ['a'])[0]).toMatchObject({ taskType: 'RETRIEVAL_DOCUMENT' });
  });

  test('newer models are told the type of input in the text', () => {
    const model = 'gemini-embedding-2-preview';
    expect(written({ inputType: 'query' }, ['where?'], model)).toEqual([
      { model: `models/${model}`, content: { parts: [{ text: 'task: search result | query: where?' }] } },
    ]);
    expect(written({ inputType: 'document' }, ['here'], model)[0].content.parts[0].text).toBe(
      'title: none | text: here',
    );
    expect(written({}, ['plain'], model)[0].content.parts[0].text).toBe('plain');
  });

  test('floats are asked for also when the client wants base64', () => {
    expect(written({ encodingFormat: 'base64' })).toEqual(written({ encodingFormat: 'float' }));
  });

  test('ids of tokens are refused with the field at fault', () => {
    const write = () => googleEmbeddings.writeRequest(request, ['a', [1, 2]], 'm');
    expect(write).toThrow(AppError);
    expect(write).toThrow('ids of tokens');
  });

  test('an error is a complaint; too few vectors, or what is none, cannot be read', () => {
    const error = { error: { code: 404, message: 'no such model', status: 'NOT_FOUND' } };
    expect(() => googleEmbeddings.readAnswer(error, 1)).toThrow(ComplaintError);
    for (const [answer, count] of [
      [{}, 1],
      ['<html>', 1],
      [{ embeddings: [{ values: [1] }] }, 2],
      [{ embeddings: [{ values: ['x'] }] }, 1],
      [{ embeddings: [null] }, 1],
    ] as const) {
      expect(() => googleEmbeddings.readAnswer(answer, count)).toThrow(UnreadableAnswerError);
    }
  });

  test('a refusal is read with the status that it carries', () => {
    const body = '{"error":{"code":429,"message":"slow down","status":"RESOURCE_EXHAUSTED"}}';
    expect(googleEmbeddings.readComplaint(body)).toMatchObject({ message: 'slow down', status: 429 });
  });
});
