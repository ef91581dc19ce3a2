/** Addresses of others that are told of events, and what became of each delivery. */
import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { createdAtColumn, idColumn, identityColumn, timeColumn } from './columns.ts';
import { notificationEvents } from './events.ts';
import { organisations, users } from './identity.ts';

export const webhooks = pgTable(
  'webhooks',
  {
    id: identityColumn(),
    /** Whose: an organisation's, or a person's who belongs to none. */
    organisationId: idColumn('organisation_id').references(() => organisations.id, { onDelete: 'cascade' }),
    userId: idColumn('user_id').references(() => users.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    url: text('url').notNull(),
    /** Names of events; null takes all there are and will be. */
    events: text('events').array(),
    /** standard or slack. */
    format: text('format').notNull(),
    /** AES-256-GCM envelopes. */
    sealedSecret: text('sealed_secret').notNull(),
    /** Signs beside the present one until its end, so that a receiver can be changed meanwhile. */
    sealedPreviousSecret: text('sealed_previous_secret'),
    previousSecretEndsAt: timeColumn('previous_secret_ends_at'),
    enabled: boolean('enabled').notNull().default(true),
    /** When it was paused because nothing arrived any more. */
    pausedAt: timeColumn('paused_at'),
    /** Tries in a row that failed, and when that began. */
    failures: integer('failures').notNull().default(0),
    failingSince: timeColumn('failing_since'),
    createdBy: idColumn('created_by').references(() => users.id, { onDelete: 'set null' }),
    createdAt: createdAtColumn(),
  },
  (table) => [
    index('webhooks_organisation').on(table.organisationId),
    index('webhooks_user').on(table.userId),
    check('webhooks_owner', sql`(${table.organisationId} IS NULL) <> (${table.userId} IS NULL)`),
  ],
);

/** One event for one webhook. */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    id: identityColumn(),
    webhookId: idColumn('webhook_id')
      .notNull()
      .references(() => webhooks.id, { onDelete: 'cascade' }),
    eventId: idColumn('event_id')
      .notNull()
      .references(() => notificationEvents.id, { onDelete: 'cascade' }),
    /** How often it was begun since it was last asked for. */
    tries: integer('tries').notNull().default(0),
    /** When to try next; while it is being tried, when others may take it for abandoned. */
    dueAt: timeColumn('due_at').notNull(),
    deliveredAt: timeColumn('delivered_at'),
    /** When it was given up. */
    failedAt: timeColumn('failed_at'),
    createdAt: timeColumn('created_at').notNull(),
  },
  (table) => [
    uniqueIndex('webhook_deliveries_once').on(table.eventId, table.webhookId),
    index('webhook_deliveries_of').on(table.webhookId, table.id),
    /** What is next of each webhook, however much others have or it had before. */
    index('webhook_deliveries_next')
      .on(table.webhookId, table.dueAt, table.id)
      .where(sql`${table.deliveredAt} IS NULL AND ${table.failedAt} IS NULL`),
    index('webhook_deliveries_due')
      .on(table.dueAt)
      .where(sql`${table.deliveredAt} IS NULL AND ${table.failedAt} IS NULL`),
  ],
);

/** One request of a delivery. */
export const webhookTries = pgTable(
  'webhook_tries',
  {
    id: identityColumn(),
    deliveryId: idColumn('delivery_id')
      .notNull()
      .references(() => webhookDeliveries.id, { onDelete: 'cascade' }),
    at: timeColumn('at').notNull(),
    /** Of the answer; null where none came. */
    status: integer('status'),
    durationMs: integer('duration_ms').notNull(),
    /** Why it failed, in a few words of ours; null where it did not. */
    error: text('error'),
  },
  (table) => [index('webhook_tries_delivery').on(table.deliveryId, table.id)],
);
