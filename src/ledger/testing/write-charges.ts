/** Takes charges off wallets as the writer of usage rows does, for tests that need no rows. */
import { sql } from 'drizzle-orm';
import type { Executor } from '../../storage/database.ts';
import { settleCharges, type Wallets } from '../index.ts';

export async function writeCharges(
  executor: Executor,
  charges: ReadonlyMap<number, bigint>,
  holderId: number | null,
): Promise<void> {
  const rows = JSON.stringify([...charges].map(([payerId, amount]) => [payerId, String(amount)]));
  await executor.execute(sql`
    WITH charges AS (
      SELECT (row->>0)::bigint AS payer_id, (row->>1)::bigint AS amount_nano_usd
      FROM json_array_elements(${rows}::text::json) AS list (row)
    ),
    ${settleCharges(sql`charges`, holderId)}
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
