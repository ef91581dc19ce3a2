/** Tells who runs the platform of providers that fail, by what the request log says of the last minutes. */
import { and, eq, lt, notInArray, sql } from 'drizzle-orm';
import { Keeper } from '../base/keeper.ts';
import type { Log } from '../base/log.ts';
import { type AgreeingParts, withDatabaseTime } from '../storage/agreed-time.ts';
import { raiseEvent } from '../storage/events.ts';
import { providerTroubles } from '../storage/schema/provider-troubles.ts';
import { usageRecords } from '../storage/schema/usage.ts';
import { takeLock, transact, type Work } from '../storage/work.ts';
import { firstRequestIdAt } from './time-prefix.ts';

const pauseMs = 60_000;
const spanMs = 5 * 60_000;
/** A request is kept under the time at which it began; one that fails by a timeout may have begun so long before. */
const longestRequestMs = 15 * 60_000;
/** The newest of the span: what is told is a share. */
const mostRows = 20_000;
/** Of fewer tries a share means nothing. */
const leastAttempts = 20;
const leastAttemptsToRecover = 10;
/** Of a provider that is hardly asked any more nobody can say that it is well; it may be in trouble anew after it. */
const forgottenMs = 3_600_000;

export function providerWatch({ log, ...parts }: AgreeingParts & { readonly log: Log }): Keeper {
  return new Keeper({
    clock: parts.clock,
    log,
    pauseMs,
    failure: 'providers in trouble could not be looked for; it is tried again in a minute',
    round: () => watchProviders(parts),
  });
}

/** By the database's time: a process whose date is ahead would see no requests, and forget what others have told. */
export async function watchProviders(parts: AgreeingParts): Promise<void> {
  await transact(await withDatabaseTime(parts), tellOfProviders);
}

interface Found {
  readonly [column: string]: unknown;
  readonly provider: string;
  readonly attempts: number;
  readonly failures: number;
}

/** Once when half of the tries of five minutes fail, and once when no more than a quarter does again. */
async function tellOfProviders(work: Work): Promise<void> {
  const { executor, clock } = work;
  // Of two processes that look at once, the second finds what the first told.
  await takeLock(work, 'providers in trouble');
  const sinceMs = clock.nowMs() - spanMs;
  const since = firstRequestIdAt(sinceMs - longestRequestMs);
  // What a request itself was refused for, and what its client broke off, is no fault of the provider.
  const { rows } = await executor.execute<Found>(sql`
    SELECT attempt->>0 AS provider, count(*)::int AS attempts,
      count(*) FILTER (WHERE attempt->>4 LIKE 'upstream_%' AND attempt->>4 <> 'upstream_refused_request')::int
        AS failures
    FROM (
      SELECT attempts FROM ${usageRecords} WHERE request_id >= ${since}::uuid
        AND started_at + duration_ms * interval '1 millisecond' >= ${new Date(sinceMs).toISOString()}::timestamptz
      ORDER BY request_id DESC LIMIT ${mostRows}
    ) AS recent, jsonb_array_elements(recent.attempts) AS attempt
    WHERE attempt->>0 IS NOT NULL GROUP BY 1 ORDER BY 1`);
  const known = new Map(
    (await executor.select().from(providerTroubles)).map(({ provider, since: at }) => [provider, at]),
  );
  for (const { provider, attempts, failures } of rows) {
    const troubledSince = known.get(provider);
    if (troubledSince === undefined && attempts >= leastAttempts && failures * 2 >= attempts) {
      await executor.insert(providerTroubles).values({ provider, since: new Date(clock.nowMs()) });
      const facts = { provider, attempts, failures };
      await raiseEvent(work, { kind: 'provider.troubled', facts, audience: { of: 'platform' } });
    } else if (
      troubledSince !== undefined &&
      attempts >= leastAttemptsToRecover &&
      failures * 4 <= attempts
    ) {
      await executor.delete(providerTroubles).where(eq(providerTroubles.provider, provider));
      const facts = { provider, troubled_since: troubledSince.toISOString() };
      await raiseEvent(work, { kind: 'provider.recovered', facts, audience: { of: 'platform' } });
    }
  }
  await executor.delete(providerTroubles).where(
    and(
      lt(providerTroubles.since, new Date(clock.nowMs() - forgottenMs)),
      notInArray(
        providerTroubles.provider,
        rows.filter(({ attempts }) => attempts >= leastAttemptsToRecover).map(({ provider }) => provider),
      ),
    ),
  );
}
