import { describe, expect, test } from 'bun:test';
import { ComplaintError, UnreadableAnswerError } from '../translator.ts';
import { notAnAnswer, readVectorComplaint } from './wire.ts';

const empty = { code: null, type: null, param: null, status: null };

describe('readVectorComplaint', () => {
  test.each([
    [
      { error: { message: 'no', type: 't', code: 'c', param: 'p' } },
      { message: 'no', type: 't', code: 'c', param: 'p', status: null },
    ],
    [
      { error: 'too many', error_type: 'Overloaded' },
      { ...empty, message: 'too many', type: 'Overloaded' },
    ],
    [
      { message: 'no', code: 413, type: 'validation' },
      { ...empty, message: 'no', type: 'validation', status: 413 },
    ],
    [
      { id: 'x', message: 'no' },
      { ...empty, message: 'no' },
    ],
    [
      { detail: 'no', code: 'AUTH_INVALID_API_KEY' },
      { ...empty, message: 'no', code: 'AUTH_INVALID_API_KEY' },
    ],
    [
      { detail: [{ loc: ['body', 'input', 3], msg: 'is empty', type: 'value_error' }, { msg: 'and wrong' }] },
      { ...empty, message: 'input.3: is empty; body: and wrong', param: 'input.3' },
    ],
    [
      { object: 'error', message: 'no', type: 'BadRequestError', code: 400 },
      { ...empty, message: 'no', type: 'BadRequestError', status: 400 },
    ],
  ])('reads %j', (body, complaint) => {
    expect(readVectorComplaint(JSON.stringify(body))).toEqual(complaint);
  });

  test.each([
    '',
    '<html>',
    '5',
    '[]',
    '{}',
    '{"detail":[]}',
    '{"detail":[5]}',
    '{"message":""}',
    '{"data":[]}',
  ])('finds none in %p', (body) => {
    expect(readVectorComplaint(body)).toBeNull();
  });
});

describe('notAnAnswer', () => {
  test('is the complaint where there is one, else the reason', () => {
    expect(notAnAnswer({ message: 'no' }, 'why')).toEqual(new ComplaintError({ ...empty, message: 'no' }));
    expect(notAnAnswer({ data: 5 }, 'why')).toEqual(new UnreadableAnswerError('why'));
  });
});
