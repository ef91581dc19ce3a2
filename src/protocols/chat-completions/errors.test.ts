import { describe, expect, test } from 'bun:test';
import { AppError } from '../../base/errors.ts';
import { refusalFailure } from '../../routing/index.ts';
import { chatErrors, readChatComplaint } from './errors.ts';

const bodyOf = (error: object) => JSON.stringify({ error: { message: 'no', ...error } });

describe('errors of chat upstreams inside a 200', () => {
  test.each([
    ['a number as its code', { code: 429, type: 'invalid_request_error' }, 429],
    ['a number as its status', { status: 503 }, 503],
    ['Groq’s number', { type: 'x', code: 'tool_use_failed', status_code: 422 }, 422],
    ['a number as text', { code: '400', type: 'server_error' }, 400],
    ['a code without a number', { code: 'tool_use_failed', type: 'server_error' }, 400],
    ['a code in place of a type', { type: 'rate_limit_exceeded', code: null }, 429],
    ['a type alone', { type: 'rate_limit_error', code: 'of the host alone' }, 429],
    ['a filter of Azure’s', { code: 'x', innererror: { code: 'ResponsibleAIPolicyViolation' } }, 400],
    ['a number that is no error’s', { code: 200, status: '007' }, null],
    ['words that an object has by itself', { code: 'constructor', type: 'toString' }, null],
    ['nothing', {}, null],
  ])('with %s: %j has the status %p', (_, error, status) => {
    expect(readChatComplaint(bodyOf(error))).toMatchObject({ message: 'no', status });
  });

  test.each([
    [{ code: 'context_length_exceeded' }, 'context_length_exceeded', 'nobody', false],
    [{ code: 'content_filter' }, 'content_filtered', 'nobody', false],
    [{ code: 'tool_use_failed', status_code: 400 }, 'upstream_refused_request', 'nobody', false],
    [{ type: 'invalid_request_error' }, 'upstream_refused_request', 'nobody', false],
    [{ code: 'rate_limit_exceeded', type: 'tokens' }, 'upstream_rate_limited', 'account', true],
    [{ code: 'insufficient_quota' }, 'upstream_quota_spent', 'credential', true],
    [{ type: 'authentication_error' }, 'upstream_rejected_credentials', 'credential', true],
    [{ type: 'overloaded_error' }, 'upstream_overloaded', 'deployment', true],
    [{ code: 'of the host alone' }, 'upstream_failed', 'deployment', true],
  ] as const)('%j counts as %s and blames %s', (error, code, blamed, canFailOver) => {
    const complaint = readChatComplaint(bodyOf(error));
    const failure = refusalFailure({ status: 200, complaint, secret: null });
    expect(failure).toMatchObject({ error: { code }, blamed, canFailOver });
  });

  test.each(['upstream_refused_request', 'rate_limited', 'model_not_found', 'shutting_down'] as const)(
    'of a gateway like this one keep their status: %s',
    (code) => {
      const error = new AppError({ code, public: 'why' });
      const frame = chatErrors.writeFrames(error, 'r');
      expect(readChatComplaint(frame.slice('data: '.length))?.status).toBe(error.status);
    },
  );
});

/** As FastAPI says what is wrong with which field (Mistral's, read in November 2026). */
const extraField = {
  type: 'extra_forbidden',
  loc: ['body', 'messages', 0, 'user', 'name'],
  msg: 'Extra inputs are not permitted',
  input: '',
};
const missing = { loc: ['body', 'n'], msg: 'is no number' };
const told = {
  message: 'messages.0.user.name: Extra inputs are not permitted; n: is no number',
  param: 'messages.0.user.name',
};

describe('lists of fields that are at fault', () => {
  test.each([
    ['as FastAPI has them', { detail: [extraField, missing] }, { ...told, type: null }],
    [
      'inside the message of an error',
      {
        object: 'error',
        message: { detail: [extraField, missing] },
        type: 'invalid_request_error',
        code: null,
      },
      { ...told, type: 'invalid_request_error' },
    ],
    [
      'in place of the message of an error',
      { object: 'Error', detail: [extraField], message: [extraField, missing], type: 'invalid', code: 3001 },
      { ...told, type: 'invalid' },
    ],
    [
      'of the whole body',
      { detail: [{ msg: 'is no JSON' }, 7] },
      { message: 'body: is no JSON', param: null },
    ],
    ['of one word', { object: 'error', message: { detail: 'no' } }, { message: 'no', param: null }],
    ['of another error', { object: 'error', message: { message: 'no' } }, { message: 'no', param: null }],
    ['of nothing', { object: 'error', message: { detail: [7] } }, { message: '', param: null }],
  ])('are read %s', (_, body, complaint) => {
    expect(readChatComplaint(JSON.stringify(body))).toMatchObject(complaint);
  });

  test('reach who asked', () => {
    const complaint = readChatComplaint(JSON.stringify({ detail: [missing] }));
    const { error } = refusalFailure({ status: 422, complaint, secret: null });
    expect(error.message).toBe('The model provider refused the request: n: is no number');
    expect(error.param).toBe('n');
  });

  test('are none where nothing is said', () => {
    for (const detail of [[], [7], [{}], {}]) {
      expect(readChatComplaint(JSON.stringify({ detail }))).toBeNull();
    }
  });
});

test('what OpenRouter says of a prompt that was flagged is a filter, whatever else its metadata holds', () => {
  const codeOf = (metadata: unknown) => readChatComplaint(bodyOf({ code: 403, metadata }))?.code;
  expect(codeOf({ reasons: ['violence'] })).toBe('content_filter');
  expect(codeOf({ flagged_input: '...' })).toBe('content_filter');
  expect(codeOf({ patterns: ['ignore all previous instructions'] })).toBe('content_filter');
  expect(codeOf({ error_type: 'content_policy_violation' })).toBe('content_filter');
  for (const metadata of [null, 'reasons', [], {}, { reasons: [] }, { error_type: 'permission_denied' }]) {
    expect(codeOf(metadata)).toBeNull();
  }
});
