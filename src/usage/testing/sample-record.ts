/** A usage record for tests that are about a part of it. */
import { noUsage } from '../../base/token-usage.ts';
import type { UsageRecord } from '../index.ts';
import { requestIdOf } from './insert-usage.ts';
import { noUnits } from './no-units.ts';

export const sampleRecord = (name: string, change: Partial<UsageRecord> = {}): UsageRecord => ({
  ...noUsage,
  ...noUnits,
  requestId: requestIdOf(name),
  startedAt: new Date('2031-03-04T05:06:07.089Z'),
  keyId: 1,
  userId: 2,
  payerId: 3,
  organisationId: null,
  departmentId: null,
  projectId: null,
  endpoint: 'chat_completions',
  model: 'gpt-4o-mini',
  provider: 'main',
  upstreamModel: 'gpt-4o-mini-2024-07-18',
  streamed: true,
  status: 200,
  outcome: 'complete',
  errorCode: null,
  attempts: [{ provider: 'main', credentialId: 1, status: 200, latencyMs: 1, errorCode: null }],
  priceVersionId: null,
  exempt: false,
  costNanoUsd: 0n,
  chargedNanoUsd: 0n,
  durationMs: 0,
  firstByteMs: null,
  overheadMs: 0,
  ...change,
});
