/** What a gateway has booked, read from its database once it has stopped. */
import { sql } from 'drizzle-orm';
import { readMoney } from '../../src/ledger/testing/read-money.ts';
import { openStorage, type StorageOptions } from '../../src/storage/index.ts';
import { usageRecords } from '../../src/storage/schema/usage.ts';

export interface Books {
  readonly rows: number;
  readonly costNanoUsd: bigint;
  readonly chargedNanoUsd: bigint;
  readonly depositsNanoUsd: bigint;
  readonly balanceNanoUsd: bigint;
  /** How many of these requests have no row. */
  countMissing: (requestIds: ReadonlySet<string>) => number;
}

/** Sums come as text: they are larger than a number may be. */
interface Sums extends Record<string, unknown> {
  readonly cost: string;
  readonly charged: string;
}

export async function readBooks(options: StorageOptions): Promise<Books> {
  const storage = await openStorage(options);
  try {
    const { rows } = await storage.db.execute<Sums>(sql`
      SELECT (SELECT coalesce(sum(cost_nano_usd), 0)::text FROM ${usageRecords}) AS cost,
        (SELECT coalesce(sum(charged_nano_usd), 0)::text FROM ${usageRecords}) AS charged`);
    const [sums] = rows;
    if (sums === undefined) throw new Error('the database gave no sums');
    const ids = await storage.db.select({ id: usageRecords.requestId }).from(usageRecords);
    const known = new Set(ids.map(({ id }) => id));
    return {
      rows: ids.length,
      costNanoUsd: BigInt(sums.cost),
      chargedNanoUsd: BigInt(sums.charged),
      ...(await readMoney(storage.db)),
      countMissing: (requestIds) => [...requestIds].filter((id) => !known.has(id)).length,
    };
  } finally {
    await storage.close();
  }
}
