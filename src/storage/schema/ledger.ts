/** Prepaid wallets: a balance a payer, and the deposits behind it. */
import { sql } from 'drizzle-orm';
import { bigint, check, index, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { createdAtColumn, identityColumn, nanoUsdColumn } from './columns.ts';
import { users } from './identity.ts';

/** balance = sum of the wallet's deposits − sum of what its usage records were charged. */
export const wallets = pgTable('wallets', {
  /** The payer. */
  userId: bigint('user_id', { mode: 'number' })
    .primaryKey()
    .references(() => users.id),
  balanceNanoUsd: nanoUsdColumn('balance_nano_usd').notNull().default(sql`0`),
  createdAt: createdAtColumn(),
});

/** Append-only. The business key makes each deposit happen once, however often it is asked for. */
export const walletDeposits = pgTable(
  'wallet_deposits',
  {
    id: identityColumn(),
    userId: bigint('user_id', { mode: 'number' })
      .notNull()
      .references(() => wallets.userId),
    amountNanoUsd: nanoUsdColumn('amount_nano_usd').notNull(),
    businessKey: text('business_key').notNull(),
    createdAt: createdAtColumn(),
  },
  (table) => [
    uniqueIndex('wallet_deposits_business_key').on(table.businessKey),
    index('wallet_deposits_user').on(table.userId),
    check('wallet_deposits_positive', sql`${table.amountNanoUsd} > 0`),
  ],
);
