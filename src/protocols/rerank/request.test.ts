import { describe, expect, test } from 'bun:test';
import { AppError } from '../../base/errors.ts';
import { readRerankRequest } from './request.ts';

const valid = { model: 'm', query: 'ships', documents: ['a', 'b'] };

function refusalOf(body: unknown): AppError {
  try {
    readRerankRequest(typeof body === 'string' ? body : JSON.stringify(body));
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error('it was accepted');
}

describe('readRerankRequest', () => {
  test('reads the fields and keeps the text as it came', () => {
    const text = JSON.stringify({ ...valid, top_n: 1, return_documents: true, anything: { unknown: true } });
    expect(readRerankRequest(text)).toMatchObject({ ...valid, text, topN: 1, returnDocuments: true });
  });

  test('gives all results without their texts unless asked', () => {
    for (const fields of [{}, { top_n: null, return_documents: null, metadata: null }]) {
      const request = readRerankRequest(JSON.stringify({ ...valid, ...fields }));
      expect([request.topN, request.returnDocuments]).toEqual([undefined, false]);
    }
  });

  test('takes the text out of documents that are objects', () => {
    const documents = [{ text: 'a', title: 'first' }, 'b'];
    expect(readRerankRequest(JSON.stringify({ ...valid, documents })).documents).toEqual(['a', 'b']);
  });

  test('takes 1,000 documents, and a top_n beyond them', () => {
    const documents = Array.from({ length: 1000 }, (_, index) => `document ${index}`);
    expect(readRerankRequest(JSON.stringify({ ...valid, documents, top_n: 5000 })).documents).toEqual(
      documents,
    );
  });

  test.each([
    [{ model: 5 }, 'model', 'invalid_type'],
    [{ query: undefined }, 'query', 'missing'],
    [{ query: '' }, 'query', 'too_small'],
    [{ query: ['a'] }, 'query', 'invalid_type'],
    [{ documents: undefined }, 'documents', 'missing'],
    [{ documents: 'a' }, 'documents', 'invalid_type'],
    [{ documents: [] }, 'documents', 'too_small'],
    [{ documents: ['a', ''] }, 'documents[1]', 'too_small'],
    [{ documents: ['a', 5] }, 'documents[1]', 'invalid_union'],
    [{ documents: ['a', null] }, 'documents[1]', 'invalid_union'],
    [{ documents: [{ title: 'a' }] }, 'documents[0]', 'invalid_union'],
    [{ documents: [{ text: '' }] }, 'documents[0].text', 'too_small'],
    [{ documents: Array.from({ length: 1001 }, () => 'a') }, 'documents', 'too_big'],
    [{ top_n: 0 }, 'top_n', 'too_small'],
    [{ top_n: 1.5 }, 'top_n', 'invalid_type'],
    [{ return_documents: 'yes' }, 'return_documents', 'invalid_type'],
    [{ metadata: { sticky_key: 5 } }, 'metadata.sticky_key', 'invalid_type'],
  ])('422 for %j, and says where', (fields, param, type) => {
    const refusal = refusalOf({ ...valid, ...fields });
    expect(refusal).toMatchObject({ code: 'validation_failed', status: 422, param });
    expect(refusal.fields.map((field) => field.type)).toEqual([type]);
  });

  test('says what a document may be', () => {
    expect(refusalOf({ ...valid, documents: [5] }).message).toBe(
      'documents[0]: must be a string, or an object with a string as its text, and not empty',
    );
  });

  test.each(['', '{', '[]'])('400 for a body of %p', (body) => {
    expect(refusalOf(body)).toMatchObject({ code: 'malformed_json', status: 400 });
  });
});
