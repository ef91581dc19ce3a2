/** The usage room: what each request consumed and cost. */
export { readUsage } from './read-usage.ts';
export type { AttemptRecord, StoredUsageRecord, UsageOutcome, UsageRecord } from './record.ts';
export { isUsageStored, storeUsage } from './store-usage.ts';
