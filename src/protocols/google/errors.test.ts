import { describe, expect, test } from 'bun:test';
import { readGoogleComplaint } from './errors.ts';

const complaint = (error: unknown) => readGoogleComplaint(JSON.stringify({ error }));

describe('complaints of Google’s hosts', () => {
  test.each([
    ['INVALID_ARGUMENT', 400],
    ['FAILED_PRECONDITION', 400],
    ['UNAUTHENTICATED', 401],
    ['PERMISSION_DENIED', 403],
    ['NOT_FOUND', 404],
    ['RESOURCE_EXHAUSTED', 429],
    ['INTERNAL', 500],
    ['UNAVAILABLE', 503],
    ['DEADLINE_EXCEEDED', 504],
  ])('%s stands for %d when no number is told', (status, expected) => {
    expect(complaint({ message: 'x', status })?.status).toBe(expected);
  });

  test('a number goes before the word, unless it is no status of HTTP', () => {
    expect(complaint({ code: 499, message: 'x', status: 'INTERNAL' })?.status).toBe(499);
    expect(complaint({ code: 13, message: 'x', status: 'INTERNAL' })?.status).toBe(500);
    expect(complaint({ code: 13, message: 'x' })?.status).toBeNull();
  });

  test('the reason of a detail is the code, and a full context has one of its own', () => {
    const details = [{ '@type': 'a' }, { '@type': 'b', reason: 'API_KEY_INVALID' }];
    expect(complaint({ code: 400, message: 'x', status: 'INVALID_ARGUMENT', details })?.code).toBe(
      'API_KEY_INVALID',
    );
    const message = 'The input token count (9) exceeds the maximum number of tokens allowed (8).';
    expect(complaint({ code: 400, message, status: 'INVALID_ARGUMENT' })?.code).toBe(
      'context_length_exceeded',
    );
  });

  test('an error that is only words is told, what is no error is none', () => {
    expect(complaint('out of order')?.message).toBe('out of order');
    for (const body of ['', '<html>', '{}', '[]', '7', '{"candidates":[]}', '{"error":""}']) {
      expect(readGoogleComplaint(body)).toBeNull();
    }
  });
});
