/** What is told of accounts and keys beside what the audit trail has. */
import { sql } from 'drizzle-orm';
import { Keeper } from '../base/keeper.ts';
import type { Log } from '../base/log.ts';
import { type EventFacts, type EventKind, raiseEvent } from '../storage/events.ts';
import { apiKeys } from '../storage/schema/api-keys.ts';
import { notificationEvents } from '../storage/schema/events.ts';
import { transact, type Work, type WorkParts } from '../storage/work.ts';

type AccountEvent = Extract<
  EventKind,
  'account.email_changed' | 'account.password_changed' | 'account.password_reset'
>;

export async function tellOfAccount(work: Work, kind: AccountEvent, userId: number): Promise<void> {
  await raiseEvent(work, { kind, facts: {}, audience: { of: 'account', id: userId } });
}

/** Somebody signed in from a browser that has no word of an earlier sign-in. */
export async function raiseNewBrowser(
  work: Work,
  userId: number,
  from: EventFacts<'account.new_browser'>,
): Promise<void> {
  await raiseEvent(work, {
    kind: 'account.new_browser',
    facts: from,
    audience: { of: 'account', id: userId },
  });
}

/** From when on an account can be used, however it came to be; those of the configuration file are no news. */
export async function tellOfNewAccount(
  work: Work,
  user: { readonly id: number; readonly status: string; readonly managedBy: string | null },
): Promise<void> {
  if (user.status !== 'active' || user.managedBy !== null) return;
  await raiseEvent(work, {
    kind: 'account.created',
    facts: {},
    audience: { of: 'account', id: user.id },
    once: String(user.id),
  });
}

const pauseMs = 5 * 60_000;
const dayMs = 86_400_000;
/** In one transaction, so that none is long. */
const atOnce = 200;
/** How long a key's end is news that it has come: processes may have been away. */
const lateMs = 2 * dayMs;

/** Tells the owners of keys that they expire, seven days and a day before, and when they have. */
export function expiryKeeper({ log, ...parts }: WorkParts & { readonly log: Log }): Keeper {
  return new Keeper({
    clock: parts.clock,
    log,
    pauseMs,
    failure: 'the ends of API keys could not be told; it is tried again in five minutes',
    async round(closing) {
      for (let count = atOnce; count === atOnce && !closing.aborted; ) {
        count = await transact(parts, tellOfExpiry);
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
  const at = (ms: number) => sql`${new Date(ms).toISOString()}::timestamptz`;
  const days = sql`CASE WHEN expires_at <= ${at(nowMs)} THEN 0 WHEN expires_at <= ${at(nowMs + dayMs)} THEN 1 ELSE 7 END`;
  const { rows } = await work.executor.execute<Found>(sql`
    SELECT id, owner_id, name, expires_at, days, once FROM (
      SELECT id::text AS id, owner_id::text AS owner_id, name, expires_at::text AS expires_at, ${days} AS days,
        concat(id, ':', extract(epoch FROM expires_at)::bigint, ':', ${days}) AS once
      FROM ${apiKeys}
      WHERE expires_at > ${at(nowMs - lateMs)} AND expires_at <= ${at(nowMs + 7 * dayMs)}
        AND revoked_at IS NULL AND enabled
    ) AS ending
    WHERE NOT EXISTS (
      SELECT FROM ${notificationEvents} AS told
      WHERE told.dedup_key = CASE WHEN days = 0 THEN 'key.expired:' ELSE 'key.expires_soon:' END || once)
    ORDER BY id LIMIT ${atOnce}`);
  for (const { id, owner_id, name, expires_at, days: left, once } of rows) {
    const about = { key_id: Number(id), name, expires_at: new Date(expires_at).toISOString() };
    const shared = { audience: { of: 'account', id: Number(owner_id) }, once } as const;
    if (left === 0) await raiseEvent(work, { kind: 'key.expired', facts: about, ...shared });
    else await raiseEvent(work, { kind: 'key.expires_soon', facts: { ...about, days: left }, ...shared });
  }
  return rows.length;
}
