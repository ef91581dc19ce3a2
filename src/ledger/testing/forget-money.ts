/** Empties the books of a test's database, which nobody else may. */
import { sql } from 'drizzle-orm';
import type { Database } from '../../storage/database.ts';
import { budgets, budgetWindows } from '../../storage/schema/budgets.ts';
import {
  accountDays,
  accounts,
  entries,
  funds,
  journals,
  leaseHolders,
  leases,
  promotionGrants,
  wallets,
} from '../../storage/schema/ledger.ts';

export async function forgetMoney(db: Database): Promise<void> {
  await db.transaction(async (transaction) => {
    for (const table of [entries, journals]) {
      await transaction.execute(sql`ALTER TABLE ${table} DISABLE TRIGGER USER`);
    }
    for (const table of [
      budgetWindows,
      budgets,
      promotionGrants,
      leases,
      leaseHolders,
      wallets,
      accountDays,
      entries,
      journals,
      funds,
    ]) {
      await transaction.delete(table);
    }
    await transaction.delete(accounts).where(sql`${accounts.userId} IS NOT NULL`);
    for (const table of [entries, journals]) {
      await transaction.execute(sql`ALTER TABLE ${table} ENABLE TRIGGER USER`);
    }
  });
}
