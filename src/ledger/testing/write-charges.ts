/** Takes charges off wallets and costs off budgets as the writer of usage rows does, for tests that need no rows. */
import { sql } from 'drizzle-orm';
import type { Executor } from '../../storage/database.ts';
import type { BudgetSpending } from '../admission.ts';
import { newJournalId, settleCharges, type Wallets } from '../index.ts';

export async function writeCharges(
  executor: Executor,
  charges: ReadonlyMap<number, bigint>,
  holderId: number | null,
): Promise<void> {
  await writeSpending(executor, { charges, spending: [], holderId });
}

export interface Spending {
  readonly charges: ReadonlyMap<number, bigint>;
  readonly spending: readonly BudgetSpending[];
  readonly holderId: number | null;
}

export async function writeSpending(
  executor: Executor,
  { charges, spending, holderId }: Spending,
): Promise<void> {
  const rows = JSON.stringify([...charges].map(([payerId, amount]) => [payerId, String(amount)]));
  const shares = spending.map((each) => [
    each.fundId,
    String(each.amountNanoUsd),
    String(each.leasedNanoUsd),
  ]);
  const parts = {
    charges: sql`charges`,
    spending: spending.length === 0 ? null : sql`spending`,
    journalId: sql`(${newJournalId})`,
    after: sql`charges`,
  };
  await executor.execute(sql`
    WITH charges AS (
      SELECT (row->>0)::bigint AS payer_id, (row->>1)::bigint AS amount_nano_usd, 1 AS requests
      FROM json_array_elements(${rows}::text::json) AS list (row)
    ),
    spending AS (
      SELECT (row->>0)::bigint AS fund_id, sum((row->>1)::bigint)::bigint AS amount_nano_usd,
        sum((row->>2)::bigint)::bigint AS leased_nano_usd
      FROM json_array_elements(${JSON.stringify(shares)}::text::json) AS list (row) GROUP BY 1
    ),
    ${settleCharges(parts, holderId)}
    SELECT 1`);
}

/** And tells the process that settled them. */
export async function writeSettled(
  executor: Executor,
  wallets: Wallets,
  charges: ReadonlyMap<number, bigint>,
): Promise<void> {
  await writeCharges(executor, charges, wallets.holderId ?? null);
  wallets.written(charges);
}

/** What was taken of leases, by fund. */
export function leasedOf(spending: readonly BudgetSpending[]): Map<number, bigint> {
  const leased = new Map<number, bigint>();
  for (const { fundId, leasedNanoUsd } of spending) {
    leased.set(fundId, (leased.get(fundId) ?? 0n) + leasedNanoUsd);
  }
  return leased;
}
