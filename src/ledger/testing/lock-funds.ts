/** What whoever settles usage of several wallets has locked half-way, for tests of those who come meanwhile. */
import { eq, sql } from 'drizzle-orm';
import type { Executor } from '../../storage/database.ts';
import { funds, wallets } from '../../storage/schema/ledger.ts';
import type { Storage } from '../../storage/storage.ts';

/**
 * Locks the wallets' funds in the order in which they are told, which is that of their making, and starts `work` between
 * the first and the others, once it waits. Needs a database that several can use at once.
 * @returns what the work does.
 */
export async function lockAround<Result>(
  { db }: Pick<Storage, 'db'>,
  [first = -1, ...others]: readonly number[],
  work: () => Promise<Result>,
): Promise<Result> {
  let done: Promise<Result> | undefined;
  await db.transaction(async (settling) => {
    await lockFund(settling, first);
    done = work();
    done.catch(() => undefined);
    while (!(await doesSomebodyWait(db)));
    for (const userId of others) await lockFund(settling, userId);
  });
  if (done === undefined) throw new Error('the work was not started');
  return await done;
}

/** The fund of somebody's wallet. */
export const lockFund = (executor: Executor, userId: number) =>
  executor
    .select({ id: funds.id })
    .from(funds)
    .innerJoin(wallets, eq(wallets.fundId, funds.id))
    .where(eq(wallets.userId, userId))
    .for('update', { of: funds });

async function doesSomebodyWait(executor: Executor): Promise<boolean> {
  const { rows } = await executor.execute(
    sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rows.length > 0;
}
