/** Which database this is, so that it is told apart from every other one. */
import { sql } from 'drizzle-orm';
import { boolean, check, pgTable, uuid } from 'drizzle-orm/pg-core';

/** Of one row, which the first start makes. */
export const databaseIdentity = pgTable(
  'database_identity',
  {
    isOnly: boolean('is_only').primaryKey().default(true),
    id: uuid('id').notNull(),
  },
  (table) => [check('database_identity_is_only', sql`${table.isOnly}`)],
);
