/** A usage record for tests that are about a part of it. */
import type { UsageRecord } from '../index.ts';
import { usageRecord } from './usage-record.ts';

export const sampleRecord = (name: string, change: Partial<UsageRecord> = {}): UsageRecord =>
  usageRecord(name, {
    ...{ endpoint: 'chat_completions', model: 'gpt-4o-mini', upstreamModel: 'gpt-4o-mini-2024-07-18' },
    ...{ streamed: true, costNanoUsd: 0n, chargedNanoUsd: 0n },
    attempts: [{ provider: 'main', credentialId: 1, status: 200, latencyMs: 1, errorCode: null }],
    ...{ durationMs: 0, firstByteMs: null, overheadMs: 0 },
    ...change,
  });
