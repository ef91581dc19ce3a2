/** What keys cost, day by day, for a list of them: from the rollups and what waits for them, as a report reads it. */
import { inArray, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Scope } from '../base/scope.ts';
import type { Executor } from '../storage/database.ts';
import { usageUnsummed } from '../storage/schema/usage.ts';
import { withinScope } from '../storage/within-scope.ts';
import { facets } from './facets.ts';
import { piecesSince, selectPieces, type UsageStep } from './pieces.ts';

interface SpendAsked {
  /** The beginning of a day of UTC. */
  readonly from: Date;
  /** Those to tell of, with their owners, by whom they are found; all of the scope when not given. */
  readonly keys?: readonly { readonly id: number; readonly ownerId: number }[] | undefined;
}

/** More keys than that are not told: those that cost least. */
const mostKeys = 20_000;

/** What each cost from a day on, in nano-USD; those that cost nothing are left out. */
export async function readSpendOfKeys(
  scope: Scope,
  executor: Executor,
  asked: SpendAsked,
): Promise<ReadonlyMap<number, bigint>> {
  if (asked.keys?.length === 0) return new Map();
  const { rows } = await executor.execute<{ key: string; cost: string }>(sql`
    SELECT key_id::text AS key, sum(cost)::text AS cost FROM (${await costs(scope, executor, { ...asked, every: undefined })}) AS found
    GROUP BY key_id HAVING sum(cost) > 0 ORDER BY sum(cost) DESC, key_id LIMIT ${mostKeys}`);
  return new Map(rows.map(({ key, cost }) => [Number(key), BigInt(cost)]));
}

/** The same by the day, as milliseconds of its beginning: for small pictures of few keys. */
export async function readSpendCourses(
  scope: Scope,
  executor: Executor,
  asked: SpendAsked & { readonly keys: NonNullable<SpendAsked['keys']> },
): Promise<ReadonlyMap<number, ReadonlyMap<number, bigint>>> {
  const courses = new Map<number, Map<number, bigint>>();
  if (asked.keys.length === 0) return courses;
  const { rows } = await executor.execute<{ key: string; day: string; cost: string }>(sql`
    SELECT key_id::text AS key, (extract(epoch FROM day) * 1000)::bigint::text AS day, sum(cost)::text AS cost
    FROM (${await costs(scope, executor, { ...asked, every: 'day' })}) AS found GROUP BY key_id, day`);
  for (const { key, day, cost } of rows) {
    const course = courses.get(Number(key)) ?? new Map<number, bigint>();
    courses.set(Number(key), course.set(Number(day), BigInt(cost)));
  }
  return courses;
}

/** Rows of sums, and one a request that is in no sum yet: all from one snapshot. */
async function costs(
  scope: Scope,
  executor: Executor,
  { from, keys, every }: SpendAsked & { readonly every: UsageStep | undefined },
): Promise<SQL> {
  const { userId: user, organisationId: organisation, departmentId: department } = usageUnsummed;
  const pieces = await piecesSince(executor, from, { facet: facets.callers, every });
  const summed = selectPieces(scope, pieces, {
    columns: 'key_id, bucket_at AS day, cost_nano_usd AS cost',
    narrowed: (table) => onlyKeys(table, keys),
  });
  return sql`${sql.join([...summed], sql` UNION ALL `)} UNION ALL
    SELECT key_id, date_trunc('day', started_at, 'UTC'), cost_nano_usd FROM ${usageUnsummed}
    WHERE started_at >= ${from.toISOString()} AND ${withinScope(scope, { user, organisation, department })}
      ${onlyKeys(usageUnsummed, keys)}`;
}

/** A key's requests are its owner's, by whom an index finds them. */
function onlyKeys(
  { keyId, userId }: { readonly keyId: PgColumn; readonly userId: PgColumn },
  keys: SpendAsked['keys'],
): SQL {
  if (keys === undefined) return sql``;
  const owners = [...new Set(keys.map(({ ownerId }) => ownerId))];
  return sql`AND ${inArray(userId, owners)} AND ${inArray(
    keyId,
    keys.map(({ id }) => id),
  )}`;
}
