/** Budgets: what somebody or something may cost in a period, and the fund of each window of it. */
import { sql } from 'drizzle-orm';
import { bigint, check, pgTable, primaryKey, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core';
import { createdAtColumn, identityColumn, nanoUsdColumn } from './columns.ts';
import { funds } from './ledger.ts';

const idOf = (name: string) => bigint(name, { mode: 'number' });

export const budgets = pgTable(
  'budgets',
  {
    id: identityColumn(),
    /** key, user, department, project or organisation. */
    subjectKind: text('subject_kind').notNull(),
    subjectId: idOf('subject_id').notNull(),
    /** daily, weekly, monthly or total. */
    period: text('period').notNull(),
    limitNanoUsd: nanoUsdColumn('limit_nano_usd').notNull(),
    /** 'file' when the configuration file declares this row; null otherwise. */
    managedBy: text('managed_by'),
    createdAt: createdAtColumn(),
  },
  (table) => [
    uniqueIndex('budgets_subject').on(table.subjectKind, table.subjectId, table.period),
    check('budgets_limit', sql`${table.limitNanoUsd} >= 0`),
  ],
);

/** Made when it is first needed. */
export const budgetWindows = pgTable(
  'budget_windows',
  {
    budgetId: idOf('budget_id')
      .notNull()
      .references(() => budgets.id, { onDelete: 'cascade' }),
    /** The epoch for a total, which has no other window. */
    startsAt: timestamp('starts_at', { withTimezone: true }).notNull(),
    fundId: idOf('fund_id')
      .notNull()
      .references(() => funds.id),
    /** The budget's as long as the window is open; afterwards what it was then. */
    limitNanoUsd: nanoUsdColumn('limit_nano_usd').notNull(),
    /** What was spent in it: the balance of its fund is the limit less this. */
    settledNanoUsd: nanoUsdColumn('settled_nano_usd').notNull().default(sql`0`),
  },
  (table) => [
    primaryKey({ columns: [table.budgetId, table.startsAt] }),
    uniqueIndex('budget_windows_fund').on(table.fundId),
  ],
);
