/** The usage room: what each request consumed and cost. */
export { insertUsage, storableNanoUsd } from './insert-usage.ts';
export { readUsage, sumCharged } from './read-usage.ts';
export type { AttemptRecord, StoredUsageRecord, UsageOutcome, UsageRecord } from './record.ts';
