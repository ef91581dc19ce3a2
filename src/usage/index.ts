/** The usage room: what each request consumed and cost, and the spool that keeps it until the database has it. */

export { readPeopleChoices, readUsageChoices } from './choices.ts';
export { type Cell, type CsvPage, streamCsv, writeCells, writeCsvLine } from './csv.ts';
export { type PartitionSettings, partitionKeeper, partitionSpans } from './partitions.ts';
export { providerWatch } from './provider-watch.ts';
export { type RatingSpan, readPageToRate } from './rating-pages.ts';
export { type Rating, storeRatings } from './ratings.ts';
export {
  type AttemptRecord,
  mostLabelCharacters,
  type OpenedRequest,
  type PassedRecord,
  type RequestLabels,
  type StoredAttempt,
  type StoredUsageRecord,
  type UsageOutcome,
  type UsageRecord,
} from './record.ts';
export {
  hasHours,
  readUsageReport,
  type UsageDimension,
  type UsageReport,
  type UsageReportAsked,
  type UsageStep,
  usageDimensions,
} from './report.ts';
export { readUsage, readUsagePage, type UsageFilter } from './request-log.ts';
export { rollupKeeper, settlingKeeper } from './rollup-keeper.ts';
export { measureUsage } from './size.ts';
export { readSpendCourses, readSpendOfKeys } from './spend-of-keys.ts';
export { type Adopted, adoptSpools } from './spool/adopt-spools.ts';
export { claimSpools } from './spool/claim-spools.ts';
export { Spool } from './spool/spool.ts';
export { tryLeftSpools, trySpoolFolder } from './spool/try-spool-folder.ts';
export { storeUsage } from './store-usage.ts';
export { firstRequestIdAt } from './time-prefix.ts';
export { noteUnsummed } from './unsummed.ts';
export type { UsageSums } from './usage-sums.ts';
