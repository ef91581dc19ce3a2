/** What happened to the credentials of providers, for those who look after them: never a secret, never a customer. */
import { bigint, index, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { identityColumn } from './columns.ts';

export const tokenEvents = pgTable(
  'token_events',
  {
    id: identityColumn(),
    /** Of the first, where several are told in one row. */
    at: timestamp('at', { withTimezone: true }).notNull(),
    provider: text('provider').notNull(),
    /** Of the credential; null where it is about a provider, a model there, or a whole pool. */
    keyName: text('key_name'),
    /** The upstream's id of it; null where it is about all. */
    model: text('model'),
    kind: text('kind').notNull(),
    source: text('source').notNull(),
    errorKind: text('error_kind'),
    /** How long it goes on. */
    durationMs: bigint('duration_ms', { mode: 'number' }),
    /** How many alike came within a moment. */
    count: integer('count').notNull().default(1),
  },
  (table) => [
    index('token_events_at').on(table.at, table.id),
    index('token_events_provider').on(table.provider, table.at, table.id),
  ],
);
