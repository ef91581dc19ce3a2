import { describe, expect, test } from 'bun:test';
import { AppError, type ErrorCode } from '../../base/errors.ts';
import { readChatComplaint } from '../chat-completions/errors.ts';
import { googleErrors, readGoogleComplaint } from './errors.ts';

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

  test('a megabyte that nearly says so takes no longer than a page', () => {
    const message = 'token count '.repeat(90_000);
    expect(complaint({ code: 400, message, status: 'INVALID_ARGUMENT' })?.code).toBe('INVALID_ARGUMENT');
  });

  const retryInfo = (retryDelay: unknown) => [
    { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId: 'PerMinute' }] },
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay },
  ];
  const exhausted = { code: 429, message: 'x', status: 'RESOURCE_EXHAUSTED' };

  test.each([
    ['34.4s', 34.4],
    ['0s', 0],
    ['0.000000001s', 0.000000001],
    ['86400s', 86_400],
  ])('a wait of %s is read from a detail, of a host for chats too', (delay, retryAfterSeconds) => {
    const error = { ...exhausted, details: retryInfo(delay) };
    expect(complaint(error)).toMatchObject({ retryAfterSeconds });
    expect(readChatComplaint(JSON.stringify([{ error }]))).toMatchObject({ retryAfterSeconds });
  });

  test.each<[unknown]>([
    ['-1s'],
    ['1'],
    ['s'],
    ['1e9s'],
    ['Infinitys'],
    ['1.s'],
    [' 1s'],
    ['1s\n'],
    ['9'.repeat(100_000)],
    [`${'9'.repeat(100_000)}s`],
    [30],
    [null],
    [{ seconds: 30 }],
  ])('a wait of %j is none', (delay) => {
    expect(complaint({ ...exhausted, details: retryInfo(delay) })).not.toHaveProperty('retryAfterSeconds');
  });

  test('an error that is only words is told, what is no error is none', () => {
    expect(complaint('out of order')?.message).toBe('out of order');
    for (const body of ['', '<html>', '{}', '[]', '7', '{"candidates":[]}', '{"error":""}']) {
      expect(readGoogleComplaint(body)).toBeNull();
    }
  });
});

describe('errors for Google’s clients', () => {
  const written = (error: AppError) => JSON.parse(googleErrors.writeBody(error, 'req_1'));

  test.each<[ErrorCode, number, string]>([
    ['malformed_json', 400, 'INVALID_ARGUMENT'],
    ['invalid_token', 401, 'UNAUTHENTICATED'],
    ['insufficient_funds', 402, 'FAILED_PRECONDITION'],
    ['scope_missing', 403, 'PERMISSION_DENIED'],
    ['model_not_found', 404, 'NOT_FOUND'],
    ['method_not_allowed', 405, 'UNIMPLEMENTED'],
    ['body_too_large', 413, 'INVALID_ARGUMENT'],
    ['validation_failed', 422, 'INVALID_ARGUMENT'],
    ['rate_limited', 429, 'RESOURCE_EXHAUSTED'],
    ['internal_error', 500, 'INTERNAL'],
    ['upstream_failed', 502, 'UNAVAILABLE'],
    ['upstream_timeout', 504, 'DEADLINE_EXCEEDED'],
  ])('%s is %d %s', (code, status, name) => {
    const body = written(new AppError({ code, public: 'No.' }));
    expect(body).toMatchObject({ error: { code: status, message: 'No.', status: name }, detail: 'No.' });
    expect(body.error.details).toEqual([
      { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: code.toUpperCase(), domain: 'sluice' },
    ]);
  });

  test('name the fields at fault, and when to try again', () => {
    const fields = [{ loc: ['contents', 0, 'parts'], msg: 'is required', type: 'missing' }];
    const { error } = written(
      new AppError({ code: 'validation_failed', public: 'No.', fields, retryAfterSeconds: 7 }),
    );
    expect(error.details.slice(1)).toEqual([
      {
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolations: [{ field: 'contents.0.parts', description: 'is required' }],
      },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' },
    ]);
  });

  test('are a frame inside a stream, which is read as it was meant', () => {
    const frame = googleErrors.writeFrames(new AppError({ code: 'upstream_failed', public: 'No.' }), 'r');
    expect(frame).toMatch(/^data: \{.*\}\n\n$/);
    expect(readGoogleComplaint(frame.slice('data: '.length))).toMatchObject({ message: 'No.', status: 502 });
  });
});
