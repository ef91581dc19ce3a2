/** What happened that somebody may want to be told of: written with its cause, spread to those who want it by a loop. */
import { sql } from 'drizzle-orm';
import { index, jsonb, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { idColumn, identityColumn, timeColumn } from './columns.ts';

export const notificationEvents = pgTable(
  'notification_events',
  {
    id: identityColumn(),
    kind: text('kind').notNull(),
    /** Whatever is raised twice under one is there once. */
    dedupKey: text('dedup_key').notNull(),
    /** Whose it is: account, organisation, department or platform; and which, but for the platform. */
    audience: text('audience').notNull(),
    audienceId: idColumn('audience_id'),
    /** No secrets. */
    facts: jsonb('facts').$type<Readonly<Record<string, unknown>>>().notNull(),
    createdAt: timeColumn('created_at').notNull(),
    /** The last contact that has its mail, while there are more than one turn takes. */
    spreadTo: idColumn('spread_to').notNull().default(0),
    /** When everybody who wants it had theirs queued. */
    spreadAt: timeColumn('spread_at'),
  },
  (table) => [
    uniqueIndex('notification_events_dedup').on(table.dedupKey),
    // Accounts and groups take turns, each one's oldest first.
    index('notification_events_turns')
      .on(table.audience, sql`coalesce(${table.audienceId}, 0)`, table.id)
      .where(sql`${table.spreadAt} IS NULL`),
    index('notification_events_of').on(table.audience, table.audienceId),
    index('notification_events_created').on(table.createdAt),
  ],
);
