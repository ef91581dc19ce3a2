/** What Sluice has booked, read from its database once it has stopped. */
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { z } from 'zod';
import { readMoney } from '../../src/ledger/testing/read-money.ts';
import { openStorage, type StorageOptions } from '../../src/storage/index.ts';
import { usageRecords } from '../../src/storage/schema/usage.ts';
import type { Books } from './books.ts';

/** Sums come as text: they are larger than a number may be. */
interface SumsRow extends Record<string, unknown> {
  readonly records: string;
  readonly complete: string;
  readonly client_closed: string;
  readonly prompt_tokens: string;
  readonly completion_tokens: string;
  readonly complete_prompt_tokens: string;
  readonly complete_completion_tokens: string;
  readonly cost: string;
  readonly charged: string;
}

export async function readBooks(options: StorageOptions): Promise<Books> {
  const storage = await openStorage(options);
  try {
    const {
      rows: [sums],
    } = await storage.db.execute<SumsRow>(sql`
      SELECT count(*)::text AS records,
        count(*) FILTER (WHERE outcome = 'complete')::text AS complete,
        count(*) FILTER (WHERE outcome = 'client_closed')::text AS client_closed,
        coalesce(sum(input_tokens), 0)::text AS prompt_tokens,
        coalesce(sum(output_tokens), 0)::text AS completion_tokens,
        coalesce(sum(input_tokens) FILTER (WHERE outcome = 'complete'), 0)::text AS complete_prompt_tokens,
        coalesce(sum(output_tokens) FILTER (WHERE outcome = 'complete'), 0)::text AS complete_completion_tokens,
        coalesce(sum(cost_nano_usd), 0)::text AS cost,
        coalesce(sum(charged_nano_usd), 0)::text AS charged
      FROM ${usageRecords}`);
    const { depositsNanoUsd, balanceNanoUsd } = await readMoney(storage.db);
    if (sums === undefined) throw new Error('the database gave no sums');
    return {
      records: Number(sums.records),
      complete: Number(sums.complete),
      clientClosed: Number(sums.client_closed),
      all: {
        promptTokens: Number(sums.prompt_tokens),
        completionTokens: Number(sums.completion_tokens),
      },
      ofComplete: {
        promptTokens: Number(sums.complete_prompt_tokens),
        completionTokens: Number(sums.complete_completion_tokens),
      },
      costNanoUsd: BigInt(sums.cost),
      chargedNanoUsd: BigInt(sums.charged),
      depositsNanoUsd,
      balanceNanoUsd,
    };
  } finally {
    await storage.close();
  }
}

const tokenSums = z.object({ promptTokens: z.int(), completionTokens: z.int() });
const booksSchema = z.object({
  records: z.int(),
  complete: z.int(),
  clientClosed: z.int(),
  all: tokenSums,
  ofComplete: tokenSums,
  costNanoUsd: z.bigint(),
  chargedNanoUsd: z.bigint(),
  depositsNanoUsd: z.bigint(),
  balanceNanoUsd: z.bigint(),
});

/**
 * The books of another checkout, as its own bench reads them: its tables may be others.
 * @throws Error where that cannot be done.
 */
export async function readBooksBy(folder: string, options: StorageOptions): Promise<Books> {
  const own: unknown = await import(join(folder, 'bench', 'books', 'read-books.ts'));
  const read: unknown = typeof own === 'object' && own !== null && Reflect.get(own, 'readBooks');
  if (typeof read !== 'function') throw new Error(`${folder} has no bench that reads its books`);
  return booksSchema.parse(await read(options));
}
