import { describe, expect, test } from 'bun:test';
import type { UpstreamComplaint } from '../protocols/translator.ts';
import { connectionFailure, refusalFailure, timeoutFailure } from './failure.ts';

const complaint = (fields: Partial<UpstreamComplaint>): UpstreamComplaint => ({
  message: 'no',
  code: null,
  type: null,
  param: null,
  status: null,
  ...fields,
});

describe('a refusal', () => {
  test.each([
    [400, 400, 'upstream_refused_request', false],
    [413, 413, 'body_too_large', false],
    [422, 400, 'upstream_refused_request', false],
    [401, 502, 'upstream_rejected_credentials', true],
    [403, 502, 'upstream_rejected_credentials', true],
    [402, 503, 'upstream_quota_spent', true],
    [404, 502, 'upstream_model_unavailable', true],
    [408, 504, 'upstream_timeout', true],
    [424, 502, 'upstream_failed', true],
    [429, 503, 'upstream_rate_limited', true],
    [500, 502, 'upstream_failed', true],
    [503, 503, 'upstream_overloaded', true],
    [504, 504, 'upstream_timeout', true],
    [529, 503, 'upstream_overloaded', true],
  ] as const)('with status %d is told as %d %s', (status, told, code, canFailOver) => {
    const failure = refusalFailure({ status, complaint: null, secret: null });
    expect(failure.canFailOver).toBe(canFailOver);
    expect(failure.error).toMatchObject({ status: told, code });
  });

  test('by a content filter or for a full context keeps its reason and does not fail over', () => {
    const filtered = refusalFailure({
      status: 400,
      complaint: complaint({ code: 'content_filter' }),
      secret: null,
    });
    expect(filtered).toMatchObject({ canFailOver: false, error: { code: 'content_filtered', status: 400 } });
    const full = refusalFailure({
      status: 400,
      complaint: complaint({ code: 'context_length_exceeded' }),
      secret: null,
    });
    expect(full).toMatchObject({ canFailOver: false, error: { code: 'context_length_exceeded' } });
  });

  test.each([
    ['an item of the input', { message: "Item with id 'rs_1' not found.", param: 'input' }, false],
    ['a conversation', { message: "Conversation with id 'conv_1' not found." }, false],
    ['the model by its field', { message: 'No such model', param: 'model' }, true],
    ['a field of no name', { message: 'Not Found', param: 'None' }, true],
    ['the model in another field', { message: 'no', param: 'deployment', code: 'model_not_found' }, true],
    ['the model by name', { message: 'The model `gpt-9` does not exist', code: 'model_not_found' }, true],
    ['a model with an id', { message: "Fine-tuned model with id 'ft_1' not found." }, true],
    ['nothing', { message: 'Not Found' }, true],
  ])('with status 404 for %s blames the deployment only for its model', (_what, said, isOfDeployment) => {
    const failure = refusalFailure({ status: 404, complaint: complaint(said), secret: null });
    expect(failure).toMatchObject(
      isOfDeployment
        ? { blamed: 'deployment', canFailOver: true, error: { code: 'upstream_model_unavailable' } }
        : { blamed: 'nobody', canFailOver: false, error: { code: 'upstream_refused_request', status: 400 } },
    );
  });

  test('of the request is told in the words of the provider, which may quote it, and logged without them', () => {
    const said = complaint({ message: 'bad input: "my secret diary"', code: 'bad_input' });
    const { error } = refusalFailure({ status: 422, complaint: said, secret: null });
    expect(error.message).toContain('my secret diary');
    expect(error.internal).toBe('upstream status 422: bad_input');
  });

  test.each([
    [402, { message: 'Insufficient Balance' }],
    [429, { code: 'insufficient_quota' }],
    [429, { type: 'insufficient_quota', code: 'other' }],
    [429, { type: 'exceeded_current_quota_error' }],
    [429, { code: 'billing_not_active' }],
    [400, { code: 'billing_hard_limit_reached', type: 'invalid_request_error' }],
    [400, { code: 'Arrearage' }],
    [
      400,
      {
        message:
          'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
      },
    ],
    [403, { code: 'insufficient_user_quota' }],
    [200, { type: 'insufficient_quota' }],
  ] as const)('with status %d and %p is of an account without money', (status, fields) => {
    const failure = refusalFailure({ status, complaint: complaint(fields), secret: null });
    expect(failure).toMatchObject({ canFailOver: true, blamed: 'credential', retry: null });
    const { error } = failure;
    expect(error).toMatchObject({ code: 'upstream_quota_spent', status: 503, retryable: false });
    // A client that heeds this alone does not come back at once either.
    expect(error.retryAfterSeconds).toBe(60);
    expect(error.message).not.toMatch(/balance|credit|billing|money/i);
    expect(error.internal).toStartWith('upstream status 402: ');
  });

  test('of an account without money tells the longer wait, and one for too many requests the shorter', () => {
    const asked = { complaint: complaint({ code: 'insufficient_quota' }), secret: null };
    const spent = refusalFailure({ status: 429, ...asked, retryAfterSeconds: 3600 });
    expect(spent).toMatchObject({ toldMs: 3_600_000, error: { retryAfterSeconds: 3600 } });
    expect(refusalFailure({ status: 429, ...asked, retryAfterSeconds: 2 }).error.retryAfterSeconds).toBe(60);
    const limited = { status: 429, complaint: complaint({ code: 'rate_limit_exceeded' }), secret: null };
    expect(refusalFailure(limited)).toMatchObject({
      ...{
        blamed: 'account',
        error: { code: 'upstream_rate_limited', retryable: true, retryAfterSeconds: 5 },
      },
    });
  });

  test('tells the wait that the complaint names, in whole seconds and bounded, where no header does', () => {
    const limited = (retryAfterSeconds: number, header?: number) =>
      refusalFailure({
        ...{ status: 429, secret: null, retryAfterSeconds: header },
        complaint: complaint({ retryAfterSeconds }),
      });
    expect(limited(34.4)).toMatchObject({ toldMs: 35_000, error: { retryAfterSeconds: 35 } });
    expect(limited(0)).toMatchObject({ toldMs: 1000, error: { retryAfterSeconds: 1 } });
    expect(limited(999_999_999)).toMatchObject({ toldMs: 3_600_000, error: { retryAfterSeconds: 3600 } });
    expect(limited(34.4, 7)).toMatchObject({ toldMs: 7000, error: { retryAfterSeconds: 7 } });
    const inAnswer = {
      status: 200,
      secret: null,
      complaint: complaint({ status: 503, retryAfterSeconds: 1.2 }),
    };
    expect(refusalFailure(inAnswer)).toMatchObject({ toldMs: 2000, retry: { afterMs: 2000 } });
  });

  test('for a quota that begins anew in a part of a second tells whole seconds, rounded up', () => {
    const refusal = { status: 429, complaint: null, secret: null, spentForMs: 1_234_567 };
    expect(refusalFailure(refusal)).toMatchObject({
      toldMs: 1_234_567,
      error: { code: 'upstream_rate_limited', retryAfterSeconds: 1235 },
    });
  });

  test('inside a 200 counts by the status it names, else as a failed upstream', () => {
    expect(
      refusalFailure({ status: 200, complaint: complaint({ status: 429 }), secret: null }).error.code,
    ).toBe('upstream_rate_limited');
    expect(refusalFailure({ status: 200, complaint: complaint({}), secret: null }).error.code).toBe(
      'upstream_failed',
    );
  });

  test('passes the wait on, and nothing that names our account or credentials', () => {
    const message =
      'Key sk-proj-abc123DEF456 of org-Zz19_kk (billing@corp.example) is over quota, see https://host.example/acc/17';
    const limited = refusalFailure({
      status: 429,
      complaint: complaint({ message }),
      secret: null,
      retryAfterSeconds: 20,
    });
    expect(limited.error.retryAfterSeconds).toBe(20);
    const refused = refusalFailure({
      status: 400,
      complaint: complaint({ message, param: 'tools' }),
      secret: null,
    });
    expect(refused.error.param).toBe('tools');
    for (const text of [
      limited.error.message,
      limited.error.internal,
      refused.error.message,
      refused.error.internal,
    ]) {
      expect(text).not.toMatch(/sk-proj|org-Zz|corp\.example|host\.example/);
    }
    expect(refused.error.message).toContain('is over quota');
  });
});

const reset = Object.assign(new Error('the socket was closed'), { code: 'ECONNRESET' });

test.each(['a.', 'a@', 'sk-', 'eyJ', 'Bearer ', 'arn:aws', 'https://', 'x y ', 'a@b.c '])(
  'a megabyte of %p in an upstream’s words takes no longer than a page of it',
  (words) => {
    const message = words.repeat(1_048_576 / words.length);
    const secret = 'the secret of the test';
    const { error } = refusalFailure({
      status: 400,
      complaint: complaint({ message: `${message}${secret}`, param: message }),
      secret,
    });
    expect(error.message.length).toBeLessThan(1100);
    expect(error.internal?.length).toBeLessThan(10_000);
    expect(error.param?.length).toBe(200);
  },
);

test('a connection that breaks in the middle of an answer is not tried again: it would be paid for twice', () => {
  expect(connectionFailure(reset, { hadAnswer: true })).toMatchObject({
    canFailOver: true,
    retry: null,
  });
});

test('a fault of our own is told as such, and to no other provider', () => {
  expect(connectionFailure(new TypeError('x is undefined'), { hadAnswer: false })).toMatchObject({
    canFailOver: false,
    error: { code: 'internal_error' },
  });
});

test('a credential that the upstream quotes is taken out, and a bad one is not the caller’s fault', () => {
  const refused = refusalFailure({
    status: 400,
    complaint: complaint({ message: 'header x-key: hunter2 is odd' }),
    secret: 'hunter2',
  });
  expect(refused.error.message).not.toContain('hunter2');
  expect(refused.error.internal).not.toContain('hunter2');
  const bad = refusalFailure({
    status: 400,
    complaint: complaint({ message: 'API key not valid. Please pass a valid API key.' }),
    secret: null,
  });
  expect(bad).toMatchObject({ canFailOver: true, error: { code: 'upstream_rejected_credentials' } });
});

test('of a long text the beginning is told, without what the cut leaves of a key', () => {
  const told = (message: string, status = 400) =>
    refusalFailure({ status, complaint: complaint({ message }), secret: null }).error;
  expect(told('没有这样的模型。'.repeat(10_000)).message).toEndWith('没有这样的模型。'.repeat(125));
  const { internal } = told(`${'word '.repeat(399)}AIza${'k'.repeat(200)}`, 500);
  expect(internal).toEndWith('word word ');
  expect(told('a.'.repeat(100_000)).message).toEndWith('it gave no reason.');
});

test('each part of a credential of several is taken out, and a 401 says that it is one', () => {
  const secret = JSON.stringify({ access_token: 'access-0', account_id: 'account-0017' });
  const refused = refusalFailure({
    status: 400,
    complaint: complaint({ message: 'account-0017 with access-0 may not do this' }),
    secret,
  });
  expect(refused.error.message).not.toMatch(/account-0017|access-0/);
  expect(refusalFailure({ status: 401, complaint: null, secret }).isUnauthorised).toBe(true);
  expect(refusalFailure({ status: 403, complaint: null, secret })).not.toHaveProperty('isUnauthorised');
});

test('a broken connection deserves one more try at the same provider, a timeout does not', () => {
  expect(connectionFailure(reset, { hadAnswer: false })).toMatchObject({
    canFailOver: true,
    retry: { afterMs: 0, isLastResort: false },
  });
  expect(timeoutFailure('idle')).toMatchObject({ canFailOver: true, retry: null });
});

test.each([
  [500, undefined, 300],
  [502, undefined, 300],
  [424, undefined, 300],
  [429, 1, 1000],
  [503, 2, 2000],
  [429, 3, null],
  [429, undefined, null],
  [503, undefined, null],
  [402, 1, null],
  [404, undefined, null],
  [504, undefined, null],
] as const)(
  'after status %d with retry-after %p the last provider is asked again in %p ms',
  (status, retryAfterSeconds, afterMs) => {
    const { retry } = refusalFailure({ status, complaint: null, secret: null, retryAfterSeconds });
    expect(retry).toEqual(afterMs === null ? null : { afterMs, isLastResort: true });
  },
);

test('a model that broke off over the tools of a request is held against nobody, and asked once more', () => {
  for (const code of ['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL']) {
    const complaint = {
      code,
      message: 'The model broke off its answer.',
      type: null,
      param: null,
      status: null,
    };
    const failure = refusalFailure({ status: 200, complaint, secret: null });
    expect(failure).toMatchObject({ blamed: 'nobody', canFailOver: true, retry: { isLastResort: true } });
    expect(failure.error.code).toBe('upstream_failed');
  }
});
