/** Providers that fail, as the request log says. */
import { pgTable, text } from 'drizzle-orm/pg-core';
import { timeColumn } from './columns.ts';

/** A provider that is in trouble: who is on call was told when it began, and is told when it ends. */
export const providerTroubles = pgTable('provider_troubles', {
  provider: text('provider').primaryKey(),
  since: timeColumn('since').notNull(),
});
