/** The end of a key: from when on it is news, which keys are near theirs, and telling their owners. */
import { and, asc, eq, gt, isNull, lte, type SQL, sql } from 'drizzle-orm';
import { Keeper } from '../base/keeper.ts';
import type { Log } from '../base/log.ts';
import type { Scope } from '../base/scope.ts';
import { type AgreeingParts, withAgreedTime } from '../storage/agreed-time.ts';
import type { Executor } from '../storage/database.ts';
import { type EventKind, raiseEvent, wasRaised } from '../storage/events.ts';
import { apiKeys } from '../storage/schema/api-keys.ts';
import { users } from '../storage/schema/identity.ts';
import { transact, type Work } from '../storage/work.ts';
import { keysWithin } from './keys.ts';

const dayMs = 86_400_000;
/** Nobody has to be told earlier, however long a key lives. */
const longestMs = 7 * dayMs;

/**
 * The span before a key's end in which the end is news: the last fifth of its life, a week at most. Who makes a key for a
 * few days knows them: where the fifth is less than two days it is news on the last day alone, and told once.
 */
export function warningMsOf(lifeMs: number): number {
  const fifthMs = lifeMs / 5;
  return Math.min(fifthMs < 2 * dayMs ? dayMs : longestMs, fifthMs);
}

const fifthSeconds = sql`(extract(epoch FROM ${apiKeys.expiresAt} - ${apiKeys.createdAt}) / 5)`;
/** As `warningMsOf` says it, of the row of a key with an end: in seconds, since a day of a database can have 23 hours. */
export const warningOfKey: SQL = sql`make_interval(secs => least(
  CASE WHEN ${fifthSeconds} < 172800 THEN 86400 ELSE 604800 END, ${fifthSeconds}))`;

const momentAt = (ms: number) => sql`${new Date(ms).toISOString()}::timestamptz`;

interface EndingKey {
  readonly id: number;
  readonly name: string;
  readonly ownerEmail: string;
  readonly expiresAt: Date;
}

/** Keys in use whose end is news, before it and for as long after it; the first to end first. */
export async function listEndingKeys(
  scope: Scope,
  executor: Executor,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<readonly EndingKey[]> {
  const now = momentAt(nowMs);
  const rows = await executor
    .select({
      ...{ id: apiKeys.id, name: apiKeys.name },
      ...{ ownerEmail: users.email, expiresAt: apiKeys.expiresAt },
    })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.ownerId))
    .where(
      and(
        keysWithin(scope),
        eq(apiKeys.enabled, true),
        isNull(apiKeys.revokedAt),
        // Found by the index of ends; the rule says the rest.
        gt(apiKeys.expiresAt, new Date(nowMs - longestMs)),
        lte(apiKeys.expiresAt, new Date(nowMs + longestMs)),
        sql`${now} BETWEEN ${apiKeys.expiresAt} - ${warningOfKey} AND ${apiKeys.expiresAt} + ${warningOfKey}`,
      ),
    )
    .orderBy(asc(apiKeys.expiresAt), asc(apiKeys.id))
    .limit(limit);
  return rows.flatMap(({ expiresAt, ...key }) => (expiresAt === null ? [] : [{ ...key, expiresAt }]));
}

const pauseMs = 5 * 60_000;
/** In one transaction, so that none is long. */
const atOnce = 200;
/** How long a key's end is news that it has come: processes may have been away. */
const lateMs = 2 * dayMs;

/**
 * Tells the owners of keys that they expire, when that begins to be news and a day before, and when they have. Each is told
 * once, so a process whose clock is ahead must not say it for all of them.
 */
export function expiryKeeper({ log, ...parts }: AgreeingParts & { readonly log: Log }): Keeper {
  return new Keeper({
    clock: parts.clock,
    log,
    pauseMs,
    failure: 'the ends of API keys could not be told; it is tried again in five minutes',
    async round(closing) {
      const agreed = await withAgreedTime(parts);
      for (let count = atOnce; count === atOnce && !closing.aborted; ) {
        count = await transact(agreed, tellOfExpiry);
      }
    },
  });
}

interface Found {
  readonly [column: string]: unknown;
  readonly id: string;
  readonly owner_id: string;
  readonly name: string;
  readonly expires_at: string;
  readonly days: number;
  readonly once: string;
}

/** Each step once for each end that a key is given; one that is nearer takes the place of those before it. */
export async function tellOfExpiry(work: Work): Promise<number> {
  const nowMs = work.clock.nowMs();
  const days = sql`CASE WHEN expires_at <= ${momentAt(nowMs)} THEN 0 WHEN expires_at <= ${momentAt(nowMs + dayMs)} THEN 1 ELSE 7 END`;
  const kind = sql<EventKind>`CASE WHEN days = 0 THEN 'key.expired' ELSE 'key.expires_soon' END`;
  const { rows } = await work.executor.execute<Found>(sql`
    SELECT id, owner_id, name, expires_at, days, once FROM (
      SELECT id::text AS id, owner_id::text AS owner_id, name, expires_at::text AS expires_at, ${days} AS days,
        concat(id, ':', extract(epoch FROM expires_at)::bigint, ':', ${days}) AS once
      FROM ${apiKeys}
      WHERE expires_at > ${momentAt(nowMs - lateMs)} AND expires_at <= ${momentAt(nowMs + longestMs)}
        AND (expires_at <= ${momentAt(nowMs)} OR expires_at - ${warningOfKey} <= ${momentAt(nowMs)})
        AND revoked_at IS NULL AND enabled
    ) AS ending
    WHERE NOT ${wasRaised(kind, sql`once`)}
    ORDER BY id LIMIT ${atOnce}`);
  for (const { id, owner_id, name, expires_at, days: left, once } of rows) {
    const about = { key_id: Number(id), name, expires_at: new Date(expires_at).toISOString() };
    const shared = { audience: { of: 'account', id: Number(owner_id) }, once } as const;
    if (left === 0) await raiseEvent(work, { kind: 'key.expired', facts: about, ...shared });
    else await raiseEvent(work, { kind: 'key.expires_soon', facts: { ...about, days: left }, ...shared });
  }
  return rows.length;
}
