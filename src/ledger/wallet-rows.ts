/** The wallets in the database. */
import { sql } from 'drizzle-orm';
import type { Executor } from '../storage/database.ts';
import { walletDeposits, wallets } from '../storage/schema/ledger.ts';
import type { Reading, TransactionStatus } from './account.ts';

/** The balance, and how each of the transactions stood right after it was read. No wallet reads as 0. */
export async function readWallet(
  executor: Executor,
  payerId: number,
  transactionIds: readonly string[] = [],
): Promise<Reading> {
  const { rows } = await executor.execute<{
    balance: string;
    id: string | null;
    status: TransactionStatus | null;
  }>(sql`
    SELECT wallet.balance::text AS balance, posting.id, pg_xact_status(posting.id::xid8) AS status
    FROM (SELECT coalesce((SELECT balance_nano_usd FROM ${wallets} WHERE user_id = ${payerId}), 0)) AS wallet (balance)
    LEFT JOIN json_array_elements_text(${JSON.stringify(transactionIds)}::text::json) AS posting (id) ON true`);
  const statuses = new Map<string, TransactionStatus>();
  for (const { id, status } of rows) {
    if (id !== null && status !== null) statuses.set(id, status);
  }
  return { balanceNanoUsd: BigInt(rows[0]?.balance ?? 0), statuses };
}

/**
 * Takes each payer's charge off their balance, which may go below zero: what was consumed is owed.
 * @returns the database's number for the transaction this ran in; undefined when there was nothing to take.
 */
export async function subtractCharges(
  executor: Executor,
  charges: ReadonlyMap<number, bigint>,
): Promise<string | undefined> {
  const rows = [...charges].map(([payerId, amount]) => ({ user_id: payerId, amount: String(amount) }));
  if (rows.length === 0) return undefined;
  // Rows are locked in the order of user ids, so that two batches never wait for each other.
  const { rows: updated } = await executor.execute<{ transaction_id: string }>(sql`
    INSERT INTO ${wallets} (user_id, balance_nano_usd)
    SELECT user_id, -amount
    FROM json_to_recordset(${JSON.stringify(rows)}::text::json) AS charge (user_id bigint, amount bigint)
    ORDER BY user_id
    ON CONFLICT (user_id) DO UPDATE
    SET balance_nano_usd = ${wallets.balanceNanoUsd} + excluded.balance_nano_usd
    RETURNING pg_current_xact_id()::text AS transaction_id`);
  return updated[0]?.transaction_id;
}

export interface Deposit {
  readonly userId: number;
  readonly amountNanoUsd: bigint;
  /** Names the reason, such as the payment: a deposit happens once for each. */
  readonly businessKey: string;
}

/** @returns whether it happened now; false when this business key was deposited before. */
export async function addDeposit(executor: Executor, deposit: Deposit): Promise<boolean> {
  const { userId, amountNanoUsd, businessKey } = deposit;
  // One statement, so that there is never a deposit without its effect on the balance, in a transaction or not.
  const { rows: updated } = await executor.execute(sql`
    WITH deposit AS (
      INSERT INTO ${walletDeposits} (user_id, amount_nano_usd, business_key)
      VALUES (${userId}, ${String(amountNanoUsd)}::bigint, ${businessKey})
      ON CONFLICT (business_key) DO NOTHING
      RETURNING user_id, amount_nano_usd
    )
    INSERT INTO ${wallets} (user_id, balance_nano_usd)
    SELECT user_id, amount_nano_usd FROM deposit
    ON CONFLICT (user_id) DO UPDATE
    SET balance_nano_usd = ${wallets.balanceNanoUsd} + excluded.balance_nano_usd
    RETURNING user_id`);
  return updated.length > 0;
}
