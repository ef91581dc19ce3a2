import { expect, test } from 'bun:test';
import { noUsage } from '../base/token-usage.ts';
import { settleAbandoned } from './abandoned.ts';

type Given = Parameters<typeof settleAbandoned>;

test('speech that begins when its client has gone is ended at its provider', async () => {
  let cancelled = 0;
  const bytes = { call: { cancel: () => (cancelled += 1) } };
  const answer = { kind: 'bytes', bytes, usage: noUsage };
  const abandoned = { kind: 'abandoned', answer, isWithProvider: async () => true };
  // Settled by somebody else already, so that nothing but the answer is looked at.
  const facts = { isSettled: true, owes: null };
  await settleAbandoned(abandoned as unknown as Given[0], { facts, services: {} } as unknown as Given[1]);
  expect(cancelled).toBe(1);
});
