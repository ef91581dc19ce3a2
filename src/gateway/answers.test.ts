import { expect, test } from 'bun:test';
import { ByteBudget } from '../base/byte-budget.ts';
import { systemClock } from '../base/clock.ts';
import { jsonAnswer } from './answers.ts';
import { RequestFacts } from './request-facts.ts';

test.each([
  [0, '0ms'],
  [12.3, '13ms'],
  [1501, '1.6s'],
  [59_960, '1m0s'],
  [100_400, '1m41s'],
  [119_600, '2m0s'],
  [3_600_000, '60m0s'],
])('a limit that is reset in %d ms says %s', (resetMs, told) => {
  const bodies = new ByteBudget(0);
  const facts = new RequestFacts('/v1/models', { requestId: 'req_1', clock: systemClock, bodies });
  const requests = { limit: 2, remaining: 1, resetMs };
  facts.ticket = {
    requests,
    tokens: null,
    countsTokens: false,
    reserve: () => undefined,
    close: () => undefined,
  };
  const answer = jsonAnswer(facts, { body: '{}' });
  expect(answer.headers.get('x-ratelimit-reset-requests')).toBe(told);
});
