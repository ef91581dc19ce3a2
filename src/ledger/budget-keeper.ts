/**
 * Removes what is left of budgets: those of keys and accounts that are gone, windows that were over long ago, and the funds of
 * either.
 */
import { sql } from 'drizzle-orm';
import { Keeper } from '../base/keeper.ts';
import type { Log } from '../base/log.ts';
import { type AgreeingParts, withAgreedTime } from '../storage/agreed-time.ts';
import { apiKeys } from '../storage/schema/api-keys.ts';
import { budgets, budgetWindows } from '../storage/schema/budgets.ts';
import { users } from '../storage/schema/identity.ts';
import { funds, leases, wallets } from '../storage/schema/ledger.ts';
import { transact, type Work, type WorkParts } from '../storage/work.ts';

const pauseMs = 3_600_000;
const dayMs = 86_400_000;
/** The longest window is a month. */
const keptDays = 31 + 90;
/** In one transaction, so that none is long. */
const atOnce = 500;

export function budgetKeeper({ log, ...parts }: AgreeingParts & { readonly log: Log }): Keeper {
  return new Keeper({
    clock: parts.clock,
    log,
    pauseMs,
    failure: 'past windows of budgets could not be removed; it is tried again in an hour',
    async round(closing) {
      const count = await removePastBudgets(await withAgreedTime(parts), closing);
      if (count > 0) log.info('past windows of budgets were removed', { count });
    },
  });
}

/** @returns how many funds are gone. */
export async function removePastBudgets(parts: WorkParts, closing: AbortSignal): Promise<number> {
  let removed = 0;
  await transact(parts, removeBudgetsOfNobody);
  for (const remove of [removePastWindows, removeFundsOfNobody]) {
    for (let count = atOnce; count === atOnce && !closing.aborted; removed += count) {
      count = await transact(parts, remove);
    }
  }
  return removed;
}

/** Of keys that are gone and of accounts that were removed, which nobody can name any more to remove them. */
async function removeBudgetsOfNobody({ executor }: Work): Promise<void> {
  await executor.execute(sql`
    DELETE FROM ${budgets} AS budget
    WHERE (budget.subject_kind = 'key' AND NOT EXISTS (SELECT FROM ${apiKeys} AS key WHERE key.id = budget.subject_id))
      OR (budget.subject_kind = 'user' AND NOT EXISTS (SELECT FROM ${users} AS person
        WHERE person.id = budget.subject_id AND person.removed_at IS NULL))`);
}

/** One of which a process still has something stays until that is back. */
async function removePastWindows({ executor, clock }: Work): Promise<number> {
  const before = new Date(clock.nowMs() - keptDays * dayMs).toISOString();
  const { rows } = await executor.execute<{ id: string }>(sql`
    SELECT fund.id::text AS id
    FROM ${budgetWindows} AS past JOIN ${budgets} AS budget ON budget.id = past.budget_id
      JOIN ${funds} AS fund ON fund.id = past.fund_id
    WHERE budget.period <> 'total' AND past.starts_at < ${before}::timestamptz AND fund.leased_nano_usd = 0
    ORDER BY fund.id LIMIT ${atOnce} FOR UPDATE OF fund SKIP LOCKED`);
  await removeFunds(
    executor,
    rows.map(({ id }) => id),
  );
  return rows.length;
}

/** Of budgets that were removed: a budget takes its windows along, and leaves their funds to those who hold of them. */
async function removeFundsOfNobody({ executor }: Work): Promise<number> {
  const { rows } = await executor.execute<{ id: string }>(sql`
    SELECT fund.id::text AS id FROM ${funds} AS fund
    WHERE fund.leased_nano_usd = 0 AND NOT EXISTS (SELECT FROM ${wallets} AS own WHERE own.fund_id = fund.id)
      AND NOT EXISTS (SELECT FROM ${budgetWindows} AS known WHERE known.fund_id = fund.id)
    ORDER BY fund.id LIMIT ${atOnce} FOR UPDATE OF fund SKIP LOCKED`);
  await removeFunds(
    executor,
    rows.map(({ id }) => id),
  );
  return rows.length;
}

async function removeFunds(executor: Work['executor'], ids: readonly string[]): Promise<void> {
  const list = sql`(SELECT value::bigint FROM json_array_elements_text(${JSON.stringify(ids)}::text::json))`;
  await executor.execute(sql`DELETE FROM ${budgetWindows} WHERE fund_id IN ${list}`);
  // Leases of which all is settled.
  await executor.execute(sql`DELETE FROM ${leases} WHERE fund_id IN ${list}`);
  await executor.execute(sql`DELETE FROM ${funds} WHERE id IN ${list}`);
}
