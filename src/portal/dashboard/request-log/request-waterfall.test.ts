/** Why a request went to its provider, in a sentence for each way that it can have gone, and what its failing means. */
import { describe, expect, test } from 'bun:test';
import { errorKinds } from '../../../base/errors.ts';
import type { StoredAttempt } from '../../../usage/index.ts';
import { insertUsage, requestIdAt } from '../../../usage/testing/insert-usage.ts';
import { sampleRecord } from '../../../usage/testing/sample-record.ts';
import { failuresWords } from '../../languages/failures/index.ts';
import { en } from '../../languages/requests/en.ts';
import { withTestPortal } from '../../testing/test-portal.ts';
import { explainChoice, tokensPerSecond } from './request-waterfall.tsx';

const tried = (provider: string, errorCode: string | null, more: Partial<StoredAttempt> = {}) => ({
  ...{ provider, credentialId: 1, status: errorCode === null ? 200 : 500, latencyMs: 3, errorCode },
  ...more,
});
const failed = (provider: string) => tried(provider, 'upstream_failed');
const passed = [{ provider: 'dead', credentialId: 2, why: 'open' }];

test.each([
  [[], 'No provider was reached.'],
  [[tried('a', null)], 'a was asked first and answered.'],
  [
    [tried('a', null, { why: 'session' })],
    'a answered this conversation before, so that it may have kept what was said.',
  ],
  [
    [tried('a', null, { why: 'spared_others', passed })],
    'a was asked first and answered. Not asked, because they had just failed: dead.',
  ],
  [[failed('a'), tried('a', null, { why: 'retried' })], 'a answered at a further try.'],
  [[failed('a'), failed('b'), tried('c', null, { why: 'failed_over' })], 'c answered after a, b had failed.'],
  [
    [tried('dead', null, { why: 'last_resort', passed })],
    'dead had just failed and was asked because nobody else was left; it answered.',
  ],
  [[failed('a'), failed('a')], 'a was asked and did not serve it.'],
  [[failed('a'), failed('b')], 'Every provider that was asked failed.'],
])('of %j is told', (attemptRecords, sentence) => {
  expect(explainChoice({ attemptRecords }, en.detail)).toBe(sentence);
});

test.each([
  ['what is streamed, from its first token on', true, [tried('a', null, { latencyMs: 400 })], 500],
  ['what comes whole, while it was waited for', false, [tried('a', null, { latencyMs: 900 })], 250 / 0.9],
  [
    'who answered, without those that failed before and the pause after them',
    true,
    [failed('a'), tried('b', null, { latencyMs: 197, pausedMs: 300 })],
    625,
  ],
  [
    'what comes whole, without the pause before it',
    false,
    [failed('a'), tried('b', null, { latencyMs: 497, pausedMs: 400 })],
    250 / 0.497,
  ],
])('the speed is of %s', (_, streamed, attemptRecords, rate) => {
  const record = { durationMs: 1000, overheadMs: 100, outputTokens: 250, attemptRecords, streamed };
  expect(tokensPerSecond(record)).toBeCloseTo(rate, 6);
});

describe('what a failure means', () => {
  let page = '';
  withTestPortal(async ({ storage, portal }) => {
    const { user, cookie } = await portal.signedIn();
    const startedAt = new Date(portal.nowMs() - 60_000);
    const requestId = requestIdAt(startedAt);
    const people = { userId: user.id, payerId: user.id };
    const errorCode = 'upstream_refused_request';
    await insertUsage(storage.db, [
      sampleRecord('', {
        ...{ requestId, startedAt, ...people, status: 400, outcome: 'upstream_failed', errorCode },
      }),
    ]);
    page = (await portal.ask(`/dashboard/request-log/${requestId}`, { headers: { cookie } })).text;
  });

  test('stands with the request, and what helps', () => {
    expect(page).toContain(failuresWords.en.upstream_refused_request);
  });

  test('is told of everything that can become of asking a provider', () => {
    const codes = Object.keys(errorKinds).filter((code) => code.startsWith('upstream_'));
    expect(Object.keys(failuresWords.en)).toEqual(expect.arrayContaining(codes));
  });
});
