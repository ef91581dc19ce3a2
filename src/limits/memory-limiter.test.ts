import { expect, test } from 'bun:test';
import { clockShowing } from '../base/testing/manual-clock.ts';
import { describeLimiter } from './limiter.cases.ts';
import { MemoryLimiter } from './memory-limiter.ts';

describeLimiter('MemoryLimiter', (clock) => new MemoryLimiter(clock));

test('however many others come, nobody with an open request is forgotten', () => {
  const limiter = new MemoryLimiter(clockShowing(() => 0));
  const keyLimits = { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: 1 };
  const callerOf = (keyId: number) => ({ keyId, userId: 1, keyLimits, userLimits: null });
  const ticket = limiter.admit(callerOf(0));
  for (let keyId = 1; keyId <= 50_001; keyId += 1) limiter.admit(callerOf(keyId)).close(0);
  expect(() => limiter.admit(callerOf(0))).toThrow('limited to 1 requests at once');
  ticket.close(0);
  limiter.admit(callerOf(0));
});
