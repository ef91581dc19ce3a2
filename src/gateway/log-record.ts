/** The log line of a request that is paid for: what its record says, as far as it may be in a log. */
import type { Log } from '../base/log.ts';
import { totalTokens } from '../base/token-usage.ts';
import type { UsageRecord } from '../usage/index.ts';

/** @param leftOut what the request was asked without, because it has no price. */
export function logRecord(log: Log, record: UsageRecord, leftOut: string | undefined): void {
  const { provider, errorCode } = record;
  log.info('request', {
    requestId: record.requestId,
    path: record.endpoint,
    status: record.status,
    outcome: record.outcome,
    keyId: record.keyId,
    model: record.model,
    streamed: record.streamed,
    attempts: record.attempts.length,
    inputTokens: totalTokens(record) - record.outputTokens,
    outputTokens: record.outputTokens,
    durationMs: record.durationMs,
    overheadMs: record.overheadMs,
    ...(provider === null ? undefined : { provider }),
    ...(errorCode === null ? undefined : { errorCode }),
    ...(leftOut === undefined ? undefined : { leftOut }),
  });
}
