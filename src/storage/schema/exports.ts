/** What people asked to have of all their data: one export an account, made in the background and kept for a day. */
import { bigint, customType, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { createdAtColumn, timeColumn } from './columns.ts';
import { users } from './identity.ts';

const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' });

export const dataExports = pgTable(
  'data_exports',
  {
    userId: bigint('user_id', { mode: 'number' })
      .primaryKey()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** waiting, ready or failed. */
    status: text('status').notNull(),
    /** Who makes it; a process that died lets go of it by the time below. */
    claim: text('claim'),
    claimedUntil: timeColumn('claimed_until'),
    tries: integer('tries').notNull().default(0),
    /** How many requests are in it so far. */
    requests: integer('requests').notNull().default(0),
    sizeBytes: bigint('size_bytes', { mode: 'number' }).notNull().default(0),
    /** When it is removed; null while it is made. */
    expiresAt: timeColumn('expires_at'),
    createdAt: createdAtColumn(),
  },
  (table) => [index('data_exports_due').on(table.status, table.claimedUntil)],
);

export const dataExportParts = pgTable(
  'data_export_parts',
  {
    userId: bigint('user_id', { mode: 'number' })
      .notNull()
      .references(() => dataExports.userId, { onDelete: 'cascade' }),
    number: integer('number').notNull(),
    bytes: bytes('bytes').notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.number] })],
);
