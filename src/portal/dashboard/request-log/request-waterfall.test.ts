/** Why a request went to its provider, in a sentence for each way that it can have gone. */
import { expect, test } from 'bun:test';
import type { StoredAttempt } from '../../../usage/index.ts';
import { en } from '../../languages/requests/en.ts';
import { explainChoice } from './request-waterfall.tsx';

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
  [[failed('a'), failed('a')], 'Every provider that was asked failed.'],
])('of %j is told', (attemptRecords, sentence) => {
  expect(explainChoice({ attemptRecords }, en.detail)).toBe(sentence);
});
