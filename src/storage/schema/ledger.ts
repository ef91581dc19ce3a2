/** The books, the wallets, what is leased of them to processes, and promotions. */
import { sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  boolean,
  check,
  date,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { createdAtColumn, idColumn, identityColumn, nanoUsdColumn } from './columns.ts';
import { users } from './identity.ts';

const sumOf = (name: string) => nanoUsdColumn(name).notNull().default(sql`0`);

/** Where money stands: of a payer `paid` and `promo`; of the house, without a person, one of each other kind. */
export const accounts = pgTable(
  'accounts',
  {
    id: identityColumn(),
    kind: text('kind').notNull(),
    userId: idColumn('user_id').references(() => users.id),
  },
  (table) => [
    uniqueIndex('accounts_of_user').on(table.userId, table.kind).where(sql`${table.userId} IS NOT NULL`),
    uniqueIndex('accounts_of_house').on(table.kind).where(sql`${table.userId} IS NULL`),
  ],
);

/** One event. Append-only: a mistake is mended by a journal that reverses it. */
export const journals = pgTable(
  'journals',
  {
    id: identityColumn(),
    kind: text('kind').notNull(),
    /** Whatever is asked for twice happens once. */
    businessKey: text('business_key').notNull(),
    note: text('note').notNull().default(''),
    reverses: idColumn('reverses').references((): AnyPgColumn => journals.id),
    /** Who asked for it; null for the program itself. */
    createdBy: idColumn('created_by').references(() => users.id),
    createdAt: createdAtColumn(),
  },
  (table) => [
    uniqueIndex('journals_business_key').on(table.businessKey),
    // Also of two that are booked at the same moment.
    uniqueIndex('journals_reverses').on(table.reverses).where(sql`${table.reverses} IS NOT NULL`),
  ],
);

/** Append-only; those of a journal come in one statement and sum to zero, which a trigger holds. */
export const entries = pgTable(
  'entries',
  {
    journalId: idColumn('journal_id')
      .notNull()
      .references(() => journals.id),
    accountId: idColumn('account_id')
      .notNull()
      .references(() => accounts.id),
    amountNanoUsd: nanoUsdColumn('amount_nano_usd').notNull(),
    /**
     * Of usage: how many requests of the payer it is the sum of, at one of the payer's two entries, and 0 at the other;
     * null of what is no usage, and of usage of before this was counted.
     */
    requests: integer('requests'),
  },
  (table) => [
    primaryKey({ columns: [table.journalId, table.accountId] }),
    index('entries_account').on(table.accountId, table.journalId),
    // What is no usage is little, and looked for among all that is.
    index('entries_no_usage').on(table.accountId, table.journalId).where(sql`${table.requests} IS NULL`),
  ],
);

/**
 * What was booked on a payer's account on a day of UTC, by the times of the journals: a statement reads days in place of
 * entries. A trigger of entries writes it, so that it is what they say whoever books.
 */
export const accountDays = pgTable(
  'account_days',
  {
    accountId: idColumn('account_id')
      .notNull()
      .references(() => accounts.id),
    day: date('day').notNull(),
    amountNanoUsd: nanoUsdColumn('amount_nano_usd').notNull(),
    usageNanoUsd: nanoUsdColumn('usage_nano_usd').notNull(),
    /** As far as they were counted when they were charged; null where none was. */
    usageRequests: idColumn('usage_requests'),
    /** Between them are all journals of the day, and perhaps others. */
    firstJournalId: idColumn('first_journal_id').notNull(),
    lastJournalId: idColumn('last_journal_id').notNull(),
    /** Null on a day without usage. */
    lastUsageJournalId: idColumn('last_usage_journal_id'),
    /** When the latest journal was made. */
    lastAt: timestamp('last_at', { withTimezone: true }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.day] })],
);

/** What is spent from. Nobody leases below the floor; a balance can fall below it when the floor is raised, or by a refund. */
export const funds = pgTable(
  'funds',
  {
    id: identityColumn(),
    balanceNanoUsd: sumOf('balance_nano_usd'),
    /** Of a wallet minus its credit limit. */
    floorNanoUsd: sumOf('floor_nano_usd'),
    /** The sum of what its leases have left. */
    leasedNanoUsd: sumOf('leased_nano_usd'),
  },
  (table) => [check('funds_leased', sql`${table.leasedNanoUsd} >= 0`)],
);

/** The balance of its fund is the sum of the entries of its two accounts. */
export const wallets = pgTable(
  'wallets',
  {
    /** The payer. */
    userId: idColumn('user_id')
      .primaryKey()
      .references(() => users.id),
    fundId: idColumn('fund_id')
      .notNull()
      .references(() => funds.id),
    paidAccountId: idColumn('paid_account_id')
      .notNull()
      .references(() => accounts.id),
    promoAccountId: idColumn('promo_account_id')
      .notNull()
      .references(() => accounts.id),
    /** The part of the balance that was granted, which is spent first. */
    promoNanoUsd: sumOf('promo_nano_usd'),
    /** What was spent of promotions since it was last allotted to the grants, by their ends. */
    promoSpentNanoUsd: sumOf('promo_spent_nano_usd'),
    /** The most that there was right after something came in, since it was last looked at; null where nothing did. */
    creditedToNanoUsd: nanoUsdColumn('credited_to_nano_usd'),
    /** Whether it was above the level since its owner was told that it is below it. */
    isLowArmed: boolean('is_low_armed').notNull().default(false),
    isVeryLowArmed: boolean('is_very_low_armed').notNull().default(false),
    /** Of which level its owner was told last, since processes can have different ones; null while it is armed for all. */
    lowToldNanoUsd: nanoUsdColumn('low_told_nano_usd'),
    veryLowToldNanoUsd: nanoUsdColumn('very_low_told_nano_usd'),
    /** How much of its credit its owner was told to be used, in percent. */
    creditToldPercent: integer('credit_told_percent').notNull().default(0),
    createdAt: createdAtColumn(),
  },
  (table) => [
    uniqueIndex('wallets_fund').on(table.fundId),
    check('wallets_promo', sql`${table.promoNanoUsd} >= 0`),
    check('wallets_promo_spent', sql`${table.promoSpentNanoUsd} >= 0`),
  ],
);

export const promotionGrants = pgTable(
  'promotion_grants',
  {
    id: identityColumn(),
    userId: idColumn('user_id')
      .notNull()
      .references(() => wallets.userId),
    journalId: idColumn('journal_id')
      .notNull()
      .references(() => journals.id),
    name: text('name').notNull(),
    grantedNanoUsd: nanoUsdColumn('granted_nano_usd').notNull(),
    /** Less what was allotted to it of what was spent, and what ended. */
    remainingNanoUsd: nanoUsdColumn('remaining_nano_usd').notNull(),
    expiresAt: timestamp('expires_at', { withTimezone: true }),
    createdAt: createdAtColumn(),
  },
  (table) => [
    index('promotion_grants_open')
      .on(table.userId, table.expiresAt)
      .where(sql`${table.remainingNanoUsd} > 0`),
    check('promotion_grants_remaining', sql`${table.remainingNanoUsd} BETWEEN 0 AND ${table.grantedNanoUsd}`),
  ],
);

/** A process that has leases. */
export const leaseHolders = pgTable('lease_holders', {
  id: identityColumn(),
  host: text('host').notNull(),
  /** Raised when an answer was lost: a statement of before that is still on its way does nothing. */
  epoch: integer('epoch').notNull().default(1),
  seenAt: timestamp('seen_at', { withTimezone: true }).notNull(),
  /** From then on it takes no more: somebody else replays what it did. */
  fencedAt: timestamp('fenced_at', { withTimezone: true }),
  createdAt: createdAtColumn(),
});

export const leases = pgTable(
  'leases',
  {
    holderId: idColumn('holder_id')
      .notNull()
      .references(() => leaseHolders.id),
    fundId: idColumn('fund_id')
      .notNull()
      .references(() => funds.id),
    /** Less what was given back. */
    grantedNanoUsd: nanoUsdColumn('granted_nano_usd').notNull(),
    settledNanoUsd: sumOf('settled_nano_usd'),
  },
  (table) => [
    primaryKey({ columns: [table.holderId, table.fundId] }),
    index('leases_fund').on(table.fundId),
    check('leases_settled', sql`${table.settledNanoUsd} BETWEEN 0 AND ${table.grantedNanoUsd}`),
  ],
);
