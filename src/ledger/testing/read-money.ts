/** What the books say, for tests and benches that hold it against usage rows. */
import { sql } from 'drizzle-orm';
import type { Executor } from '../../storage/database.ts';
import { accounts, entries, funds, wallets } from '../../storage/schema/ledger.ts';

export interface Money {
  readonly depositsNanoUsd: bigint;
  readonly balanceNanoUsd: bigint;
  readonly leasedNanoUsd: bigint;
}

/** Of one payer, or of all wallets together. */
export async function readMoney(executor: Executor, payerId: number | null = null): Promise<Money> {
  const { rows } = await executor.execute<{ deposits: string; balance: string; leased: string }>(sql`
    SELECT coalesce(sum(fund.balance_nano_usd), 0)::text AS balance,
      coalesce(sum(fund.leased_nano_usd), 0)::text AS leased,
      (SELECT coalesce(sum(entry.amount_nano_usd), 0)::text FROM ${entries} AS entry
        JOIN ${accounts} AS account ON account.id = entry.account_id
        JOIN journals AS journal ON journal.id = entry.journal_id
        WHERE account.kind IN ('paid', 'promo') AND journal.kind = 'deposit'
          AND (${payerId}::bigint IS NULL OR account.user_id = ${payerId})) AS deposits
    FROM ${wallets} AS wallet JOIN ${funds} AS fund ON fund.id = wallet.fund_id
    WHERE ${payerId}::bigint IS NULL OR wallet.user_id = ${payerId}`);
  const [row] = rows;
  return {
    depositsNanoUsd: BigInt(row?.deposits ?? 0),
    balanceNanoUsd: BigInt(row?.balance ?? 0),
    leasedNanoUsd: BigInt(row?.leased ?? 0),
  };
}
