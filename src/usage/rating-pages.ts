/** Reads the requests of a span to rate them anew, oldest first; every page costs a bounded amount of work. */
import { and, asc, eq, gt, gte, lt, lte, type SQL } from 'drizzle-orm';
import type { Executor } from '../storage/database.ts';
import { usageRecords } from '../storage/schema/usage.ts';
import { asRated } from './ratings.ts';
import type { StoredUsageRecord } from './record.ts';
import { toRecord } from './request-log.ts';
import { firstRequestIdAt } from './time-prefix.ts';

export interface RatingSpan {
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  /** When requests came; `to` is not in it any more. */
  readonly from: Date;
  readonly to: Date;
  /** A page's `next`; the oldest page when not given. */
  readonly after?: string | undefined;
}

/** So many rows a page looks through for those that fit. */
const mostScanned = 2_000;

/** Oldest first, each as its rating in force has it. A page before the end may have few records, or none. */
export async function readPageToRate(
  executor: Executor,
  { model, provider, from, to, after }: RatingSpan,
): Promise<{ readonly records: readonly StoredUsageRecord[]; readonly next: string | null }> {
  const reach = and(
    gte(usageRecords.requestId, firstRequestIdAt(from.getTime())),
    lt(usageRecords.requestId, firstRequestIdAt(to.getTime())),
    after === undefined ? undefined : gt(usageRecords.requestId, after),
  );
  const edge = await findEdge(executor, reach);
  const rows = await executor
    .select()
    .from(usageRecords)
    .where(
      and(
        reach,
        edge === undefined ? undefined : lte(usageRecords.requestId, edge),
        model === undefined ? undefined : eq(usageRecords.model, model),
        provider === undefined ? undefined : eq(usageRecords.provider, provider),
      ),
    )
    .orderBy(asc(usageRecords.requestId));
  return { records: await asRated(executor, rows.map(toRecord)), next: edge ?? null };
}

/** The last row that this page looks at; undefined when it reaches the end. */
async function findEdge(executor: Executor, reach: SQL | undefined): Promise<string | undefined> {
  const [row] = await executor
    .select({ requestId: usageRecords.requestId })
    .from(usageRecords)
    .where(reach)
    .orderBy(asc(usageRecords.requestId))
    .offset(mostScanned - 1)
    .limit(1);
  return row?.requestId;
}
