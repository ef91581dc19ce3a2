/** Raises events: written with the work that causes them, and told later to those who want to know. */
import { type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { notificationEvents } from './schema/events.ts';
import type { Work } from './work.ts';

export const eventTopic = 'event';

const usd = z.string();
const id = z.number().int();
const day = z.iso.datetime();
const percent = z.number().int().nonnegative();
const nothing = z.object({});

/** Every kind with its facts, which hold no secrets: others are sent them as they stand. */
export const eventFacts = {
  'account.created': nothing,
  'account.email_changed': nothing,
  'account.password_changed': nothing,
  'account.password_reset': nothing,
  'account.new_browser': z.object({ device: z.string(), address: z.string() }),
  'wallet.low': z.object({ balance_usd: usd, level_usd: usd }),
  'wallet.very_low': z.object({ balance_usd: usd, level_usd: usd }),
  'wallet.credit_threshold': z.object({ percent, used_usd: usd, limit_usd: usd }),
  'budget.threshold': z.object({
    percent,
    spent_usd: usd,
    limit_usd: usd,
    period: z.string(),
    period_started_at: day,
    subject: z.object({ kind: z.string(), id, name: z.string() }),
  }),
  'key.expires_soon': z.object({ key_id: id, name: z.string(), days: z.number().int(), expires_at: day }),
  'key.expired': z.object({ key_id: id, name: z.string(), expires_at: day }),
  'promotion.expires_soon': z.object({ name: z.string(), remaining_usd: usd, expires_at: day }),
  'promotion.expired': z.object({ name: z.string(), expired_usd: usd }),
  'payment.received': z.object({ amount_usd: usd, reference: z.string() }),
  'payment.approved': z.object({ amount_usd: usd, reference: z.string() }),
  'payment.cancelled': z.object({ amount_usd: usd, reference: z.string() }),
  'provider.troubled': z.object({ provider: z.string(), attempts: z.number(), failures: z.number() }),
  'provider.recovered': z.object({ provider: z.string(), troubled_since: day }),
  'webhook.paused': z.object({ webhook_id: id, name: z.string(), failures: z.number().int() }),
  'webhook.test': z.object({ webhook_id: id, name: z.string() }),
} as const satisfies Record<string, z.ZodType>;

export type EventKind = keyof typeof eventFacts;
export type EventFacts<Kind extends EventKind> = z.output<(typeof eventFacts)[Kind]>;

/** Whose it is, which decides who may be told. */
export type EventAudience =
  | { readonly of: 'account' | 'organisation' | 'department'; readonly id: number }
  | { readonly of: 'platform' };

export interface RaisedEvent<Kind extends EventKind> {
  readonly kind: Kind;
  readonly facts: EventFacts<Kind>;
  readonly audience: EventAudience;
  /** What is raised twice under one is there once; each is another when not given. */
  readonly once?: string;
}

/** @returns its id; undefined when it was raised before. */
export async function raiseEvent<Kind extends EventKind>(
  { executor, clock, ids, announce }: Work,
  { kind, facts, audience, once = ids.requestId() }: RaisedEvent<Kind>,
): Promise<number | undefined> {
  const [row] = await executor
    .insert(notificationEvents)
    .values({
      kind,
      facts,
      dedupKey: `${kind}:${once}`,
      audience: audience.of,
      audienceId: audience.of === 'platform' ? null : audience.id,
      createdAt: new Date(clock.nowMs()),
    })
    .onConflictDoNothing({ target: notificationEvents.dedupKey })
    .returning({ id: notificationEvents.id });
  if (row !== undefined) announce(eventTopic, 'raised');
  return row?.id;
}

/**
 * Whether one of that kind was raised under that `once`, as a condition of a query that looks for what is still to be told.
 * @param kind of each row, or of all.
 */
export const wasRaised = (kind: EventKind | SQL<EventKind>, once: SQL): SQL => sql`EXISTS (
  SELECT FROM ${notificationEvents} AS told WHERE told.dedup_key = (${kind})::text || ':' || ${once})`;
