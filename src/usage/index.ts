/** The usage room: what each request consumed and cost. */
export { readUsage, sumCharged } from './read-usage.ts';
export type { AttemptRecord, StoredAttempt, StoredUsageRecord, UsageOutcome, UsageRecord } from './record.ts';
export { isUsageStored, storeUsage } from './store-usage.ts';
