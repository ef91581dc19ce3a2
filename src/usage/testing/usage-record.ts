/** A usage record for tests that are about what becomes of it, whatever it says. */
import { noUsage } from '../../base/token-usage.ts';
import type { UsageRecord } from '../record.ts';
import { requestIdOf } from './insert-usage.ts';
import { noUnits } from './no-units.ts';

/** @param name the same makes the same request id. */
export const usageRecord = (name: string, change: Partial<UsageRecord> = {}): UsageRecord => ({
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
  endpoint: '/v1/chat/completions',
  model: 'double-1',
  provider: 'main',
  upstreamModel: 'double-1-2026',
  streamed: false,
  status: 200,
  outcome: 'complete',
  errorCode: null,
  attempts: [{ provider: 'main', credentialId: 1, status: 200, latencyMs: 1.5, errorCode: null }],
  priceVersionId: null,
  exempt: false,
  costNanoUsd: 12n,
  chargedNanoUsd: 12n,
  durationMs: 2.25,
  firstByteMs: 1.5,
  overheadMs: 0.5,
  ...change,
});
