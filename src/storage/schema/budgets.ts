/** Budgets: what somebody or something may cost in a period, and the fund of each window of it. */
import { sql } from 'drizzle-orm';
import {
  check,
  foreignKey,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { createdAtColumn, idColumn, identityColumn, nanoUsdColumn } from './columns.ts';
import { departments, organisations } from './identity.ts';
import { funds } from './ledger.ts';

export const budgets = pgTable(
  'budgets',
  {
    id: identityColumn(),
    /** key, user, department, project or organisation. */
    subjectKind: text('subject_kind').notNull(),
    subjectId: idColumn('subject_id').notNull(),
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
    budgetId: idColumn('budget_id')
      .notNull()
      .references(() => budgets.id, { onDelete: 'cascade' }),
    /** The epoch for a total, which has no other window. */
    startsAt: timestamp('starts_at', { withTimezone: true }).notNull(),
    fundId: idColumn('fund_id')
      .notNull()
      .references(() => funds.id),
    /** The budget's as long as the window is open; afterwards what it was then. */
    limitNanoUsd: nanoUsdColumn('limit_nano_usd').notNull(),
    /** What was spent in it: the balance of its fund is the limit less this. */
    settledNanoUsd: nanoUsdColumn('settled_nano_usd').notNull().default(sql`0`),
    /** How much of it people were told to be spent, in percent. */
    toldPercent: integer('told_percent').notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.budgetId, table.startsAt] }),
    uniqueIndex('budget_windows_fund').on(table.fundId),
  ],
);

/** What a group gives to whoever joins it, and to keys that are made in it. */
export const budgetDefaults = pgTable(
  'budget_defaults',
  {
    id: identityColumn(),
    organisationId: idColumn('organisation_id')
      .notNull()
      .references(() => organisations.id, { onDelete: 'cascade' }),
    /** Null for the organisation's own. */
    departmentId: idColumn('department_id'),
    /** members or keys. */
    receivers: text('receivers').notNull(),
    /** daily, weekly, monthly or total. */
    period: text('period').notNull(),
    limitNanoUsd: nanoUsdColumn('limit_nano_usd').notNull(),
    /** 'file' when the configuration file declares this row; null otherwise. */
    managedBy: text('managed_by'),
    createdAt: createdAtColumn(),
  },
  (table) => [
    unique('budget_defaults_group')
      .on(table.organisationId, table.departmentId, table.receivers, table.period)
      .nullsNotDistinct(),
    foreignKey({
      name: 'budget_defaults_department',
      columns: [table.departmentId, table.organisationId],
      foreignColumns: [departments.id, departments.organisationId],
    }).onDelete('cascade'),
    check('budget_defaults_limit', sql`${table.limitNanoUsd} >= 0`),
  ],
);
