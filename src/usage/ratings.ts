/**
 * Ratings: what requests cost by other prices than those that they were served at. The row of a request is never changed;
 * which rating is in force stands beside it. README.md says who reads what.
 */
import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Executor } from '../storage/database.ts';
import { usageRatings } from '../storage/schema/usage.ts';
import type { StoredUsageRecord } from './record.ts';
import { firstRequestIdAt } from './time-prefix.ts';
import { noteCorrections } from './unsummed.ts';

/** The records as their ratings in force have them, where they were rated anew. */
export async function asRated(
  executor: Executor,
  records: readonly StoredUsageRecord[],
): Promise<readonly StoredUsageRecord[]> {
  if (records.length === 0) return records;
  const ids = records.map(({ requestId }) => requestId);
  const rated = await executor
    .select()
    .from(usageRatings)
    .where(and(inArray(usageRatings.requestId, ids), eq(usageRatings.inForce, true)));
  if (rated.length === 0) return records;
  const inForce = new Map(rated.map((rating) => [rating.requestId, rating]));
  return records.map((record) => {
    const rating = inForce.get(record.requestId);
    if (rating === undefined) return record;
    const { priceVersionId, costNanoUsd, chargedNanoUsd } = record;
    return {
      ...record,
      priceVersionId: rating.priceVersionId,
      costNanoUsd: rating.costNanoUsd,
      chargedNanoUsd: rating.chargedNanoUsd,
      rerated: { at: rating.createdAt, priceVersionId, costNanoUsd, chargedNanoUsd },
    };
  });
}

export interface Rating {
  /** As its rating in force has it. */
  readonly record: StoredUsageRecord;
  readonly priceVersionId: number;
  readonly costNanoUsd: bigint;
  readonly chargedNanoUsd: bigint;
  readonly journalId: number | null;
}

/** Puts ratings in force, and lets the sums follow: of one transaction with the journals that they name. */
export async function storeRatings(
  executor: Executor,
  ratings: readonly Rating[],
  ratedAt: Date,
): Promise<void> {
  if (ratings.length === 0) return;
  const ids = ratings.map(({ record }) => record.requestId);
  await executor
    .update(usageRatings)
    .set({ inForce: false })
    .where(and(inArray(usageRatings.requestId, ids), eq(usageRatings.inForce, true)));
  await executor.insert(usageRatings).values(
    ratings.map(({ record, ...rating }) => ({
      requestId: record.requestId,
      ...rating,
      createdAt: ratedAt,
    })),
  );
  const differences = ratings.map(({ record, costNanoUsd, chargedNanoUsd }) => [
    record.requestId,
    String(costNanoUsd - record.costNanoUsd),
    String(chargedNanoUsd - record.chargedNanoUsd),
  ]);
  await noteCorrections(
    executor,
    sql`SELECT (each->>0)::uuid AS request_id, (each->>1)::bigint AS cost, (each->>2)::bigint AS charged
      FROM json_array_elements(${JSON.stringify(differences)}::text::json) AS list (each)`,
  );
}

const deletedAtOnce = 10_000;

/** Of requests that came before, a little at a time, so that nobody waits for it. */
export async function deleteRatings(executor: Executor, oldestMs: number): Promise<void> {
  for (let deleted = deletedAtOnce; deleted === deletedAtOnce; ) {
    const { rowCount } = await executor.execute(sql`
      DELETE FROM ${usageRatings} WHERE id = ANY (ARRAY(
        SELECT id FROM ${usageRatings} WHERE request_id < ${firstRequestIdAt(oldestMs)} LIMIT ${deletedAtOnce}))`);
    deleted = rowCount ?? 0;
  }
}
