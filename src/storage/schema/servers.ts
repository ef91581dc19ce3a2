/** Inference servers that accounts run themselves and have registered here: endpoints that speak like OpenAI's. */
import { bigint, pgTable, text, timestamp, unique, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { createdAtColumn, identityColumn } from './columns.ts';
import { users } from './identity.ts';

export const inferenceServers = pgTable(
  'inference_servers',
  {
    id: identityColumn(),
    /** What others know it by. */
    uuid: uuid('uuid').notNull().defaultRandom(),
    userId: bigint('user_id', { mode: 'number' })
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    baseUrl: text('base_url').notNull(),
    /** running, stopping or stopped. */
    status: text('status').notNull(),
    /** Since when it has answered without a break; null while it does not run. */
    runningSince: timestamp('running_since', { withTimezone: true }),
    createdAt: createdAtColumn(),
  },
  (table) => [
    uniqueIndex('inference_servers_uuid').on(table.uuid),
    // The order in which an account's servers are listed.
    unique('inference_servers_of_user').on(table.userId, table.id),
  ],
);
