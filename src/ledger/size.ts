/** How large the books are. */
import type { Executor } from '../storage/database.ts';
import { measureTable, type TableSize } from '../storage/table-size.ts';

/** Journals and entries, which grow with each batch of usage and are never deleted, and the days of accounts beside them. */
export async function measureBooks(executor: Executor): Promise<readonly TableSize[]> {
  const sizes: TableSize[] = [];
  for (const name of ['journals', 'entries', 'account_days']) sizes.push(await measureTable(executor, name));
  return sizes;
}
