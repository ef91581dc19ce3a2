/** Adds the books up: what the database cannot hold at every write is held here, and by every test of money. */
import { type SQL, sql } from 'drizzle-orm';
import type { Executor } from '../storage/database.ts';
import type { Storage } from '../storage/index.ts';
import { hoursStatement, longStatement } from '../storage/long-statement.ts';
import { budgetWindows } from '../storage/schema/budgets.ts';
import {
  accountDays,
  accounts,
  entries,
  funds,
  journals,
  leases,
  promotionGrants,
  wallets,
} from '../storage/schema/ledger.ts';

/** Each finds rows that must not be, and says what they are. */
const rules: readonly { readonly rule: string; readonly finds: SQL }[] = [
  {
    rule: 'the entries of a journal sum to zero',
    finds: sql`SELECT 'journal ' || journal_id FROM ${entries} GROUP BY journal_id HAVING sum(amount_nano_usd) <> 0`,
  },
  {
    rule: 'a journal has entries',
    finds: sql`SELECT 'journal ' || id FROM ${journals} AS journal
      WHERE NOT EXISTS (SELECT FROM ${entries} AS entry WHERE entry.journal_id = journal.id)`,
  },
  {
    rule: 'the balance of a wallet is the sum of its entries',
    finds: sql`SELECT 'wallet of user ' || wallet.user_id || ': ' || fund.balance_nano_usd || ', entries ' || booked.paid + booked.promo
      FROM ${wallets} AS wallet JOIN ${funds} AS fund ON fund.id = wallet.fund_id, LATERAL (
        SELECT coalesce(sum(amount_nano_usd) FILTER (WHERE account_id = wallet.paid_account_id), 0) AS paid,
          coalesce(sum(amount_nano_usd) FILTER (WHERE account_id = wallet.promo_account_id), 0) AS promo
        FROM ${entries} WHERE account_id IN (wallet.paid_account_id, wallet.promo_account_id)
      ) AS booked
      WHERE fund.balance_nano_usd <> booked.paid + booked.promo OR wallet.promo_nano_usd <> booked.promo`,
  },
  {
    rule: 'a day of an account is the sum of what was booked on it',
    finds: sql`SELECT 'account ' || account_id || ' on ' || day || ': ' || coalesce(known.amount_nano_usd::text, 'none')
        || ', entries ' || coalesce(booked.amount::text, 'none')
      FROM ${accountDays} AS known FULL JOIN (
        SELECT entry.account_id, (journal.created_at AT TIME ZONE 'UTC')::date AS day, sum(entry.amount_nano_usd) AS amount,
          coalesce(sum(entry.amount_nano_usd) FILTER (WHERE journal.kind = 'usage'), 0) AS usage,
          sum(entry.requests) FILTER (WHERE journal.kind = 'usage') AS requests, min(journal.id) AS first, max(journal.id) AS last,
          max(journal.id) FILTER (WHERE journal.kind = 'usage') AS last_usage, max(journal.created_at) AS last_at
        FROM ${entries} AS entry JOIN ${journals} AS journal ON journal.id = entry.journal_id
        JOIN ${accounts} AS account ON account.id = entry.account_id AND account.user_id IS NOT NULL GROUP BY 1, 2
      ) AS booked USING (account_id, day)
      WHERE (known.amount_nano_usd, known.usage_nano_usd, known.usage_requests, known.first_journal_id,
          known.last_journal_id, known.last_usage_journal_id, known.last_at)
        IS DISTINCT FROM (booked.amount, booked.usage, booked.requests, booked.first, booked.last, booked.last_usage, booked.last_at)`,
  },
  {
    rule: 'what is left of promotions is what their grants say',
    finds: sql`SELECT 'wallet of user ' || wallet.user_id FROM ${wallets} AS wallet
      WHERE wallet.promo_nano_usd + wallet.promo_spent_nano_usd <> (
        SELECT coalesce(sum(remaining_nano_usd), 0) FROM ${promotionGrants} AS promo WHERE promo.user_id = wallet.user_id
      )`,
  },
  {
    rule: 'what is leased of a fund is the sum of its leases',
    finds: sql`SELECT 'fund ' || fund.id || ': ' || fund.leased_nano_usd FROM ${funds} AS fund
      WHERE fund.leased_nano_usd <> (
        SELECT coalesce(sum(granted_nano_usd - settled_nano_usd), 0) FROM ${leases} AS lease WHERE lease.fund_id = fund.id
      )`,
  },
  {
    rule: 'what is left of a window of a budget is its limit less what was spent in it',
    finds: sql`SELECT 'budget ' || budget_window.budget_id || ' from ' || budget_window.starts_at || ': ' || fund.balance_nano_usd
      FROM ${budgetWindows} AS budget_window JOIN ${funds} AS fund ON fund.id = budget_window.fund_id
      WHERE fund.balance_nano_usd <> budget_window.limit_nano_usd - budget_window.settled_nano_usd`,
  },
  {
    rule: 'what is spent from is a wallet or a budget, not both',
    finds: sql`SELECT 'fund ' || own.fund_id FROM ${wallets} AS own
      JOIN ${budgetWindows} AS budget_window ON budget_window.fund_id = own.fund_id`,
  },
  {
    rule: 'money of payers belongs to wallets',
    finds: sql`SELECT 'account ' || account.id FROM ${accounts} AS account WHERE account.user_id IS NOT NULL
      AND NOT EXISTS (SELECT FROM ${wallets} AS wallet WHERE account.id IN (wallet.paid_account_id, wallet.promo_account_id))`,
  },
];

/** At most so many of each rule are named. */
const mostNamed = 20;

export interface Breach {
  readonly rule: string;
  readonly where: readonly string[];
}

/**
 * Reads everything once: the books are never cut, so that a rule may take longer than any other statement in some years.
 * @param kind of the database: the embedded one has a single connection, which a rule holds for minutes at most.
 * @returns the rules that do not hold, and where; none when the books are right.
 */
export async function checkBooks(
  executor: Executor,
  kind: Storage['kind'] = 'postgres',
): Promise<readonly Breach[]> {
  const limit = kind === 'postgres' ? hoursStatement : longStatement;
  const breaches: Breach[] = [];
  for (const { rule, finds } of rules) {
    const { rows } = await executor.execute<{ place: string }>(
      sql`${limit}SELECT place FROM (${finds}) AS found (place) LIMIT ${mostNamed}`,
    );
    if (rows.length > 0) breaches.push({ rule, where: rows.map(({ place }) => place) });
  }
  return breaches;
}
