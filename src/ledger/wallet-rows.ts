/** The wallets in the database. */
import { eq, type SQL, sql } from 'drizzle-orm';
import type { Executor } from '../storage/database.ts';
import { walletDeposits, wallets } from '../storage/schema/ledger.ts';
import type { Work } from '../storage/work.ts';
import type { Posting, Reading } from './account.ts';

/** The balance, and which of the postings are in it: one statement sees both at the same moment. No wallet reads as 0. */
export async function readWallet(
  executor: Executor,
  payerId: number,
  postings: readonly Posting[] = [],
): Promise<Reading> {
  const proofs = postings.map(({ proof }) => sql`(${proof})`);
  const { rows } = await executor.execute<{ balance: string; proven: string }>(sql`
    SELECT coalesce((SELECT balance_nano_usd FROM ${wallets} WHERE user_id = ${payerId}), 0)::text AS balance,
      array_to_string(ARRAY[${sql.join(proofs, sql`, `)}]::boolean[], ',') AS proven`);
  const [row] = rows;
  const proven = row?.proven.split(',') ?? [];
  const included = postings.filter((_posting, place) => proven[place] === 't');
  return { balanceNanoUsd: BigInt(row?.balance ?? 0), included: new Set(included) };
}

/**
 * A statement that takes each payer's charge off their balance, which may go below zero: what was consumed is owed.
 * @param charges a table, or the name of one, with the columns `payer_id` and `amount_nano_usd`.
 */
export function subtractCharges(charges: SQL): SQL {
  // Rows are locked in the order of user ids, so that two batches never wait for each other.
  return sql`
    INSERT INTO ${wallets} (user_id, balance_nano_usd)
    SELECT payer_id, -amount_nano_usd FROM ${charges} ORDER BY payer_id
    ON CONFLICT (user_id) DO UPDATE
    SET balance_nano_usd = ${wallets.balanceNanoUsd} + excluded.balance_nano_usd`;
}

export interface Deposit {
  readonly userId: number;
  readonly amountNanoUsd: bigint;
  /** Names the reason, such as the payment: a deposit happens once for each. */
  readonly businessKey: string;
}

/** @returns whether it happened now; false when this business key was deposited before. */
export async function addDeposit({ executor }: Work, deposit: Deposit): Promise<boolean> {
  const { userId, amountNanoUsd, businessKey } = deposit;
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

/** What was deposited for this reason; undefined when nothing was. */
export async function findDeposit(executor: Executor, businessKey: string): Promise<Deposit | undefined> {
  const [found] = await executor
    .select()
    .from(walletDeposits)
    .where(eq(walletDeposits.businessKey, businessKey));
  return found;
}
