/** How what was settled is taken off in the database: a part of the statement that stores usage rows. */
import { type SQL, sql } from 'drizzle-orm';
import { budgetWindows } from '../storage/schema/budgets.ts';
import { entries, funds, journals, leases, wallets } from '../storage/schema/ledger.ts';
import { houseAccount } from './books.ts';

/** Names of parts of a statement, with what was settled. */
export interface SettledParts {
  /** With the columns `payer_id`, `amount_nano_usd` and `requests`, each payer once. */
  readonly charges: SQL;
  /** With the columns `fund_id`, `amount_nano_usd` and, of it, `leased_nano_usd`, each fund once; null for none. */
  readonly spending: SQL | null;
  /** The id that the journal gets, from `newJournalId`. */
  readonly journalId: SQL;
  /** What is written before any fund is locked: rows that others lock before funds. */
  readonly after: SQL;
}

/** A query for the id of a journal that the same statement makes, so that what it charges can name it. */
export const newJournalId = sql`SELECT nextval(pg_get_serial_sequence('journals', 'id')) AS id`;

/**
 * Parts of a statement, each a name with its query, that take charges off wallets, costs off budgets and both off
 * leases, and book the charges as one journal. Funds of both kinds are locked in one order.
 * @param holderId whose leases it was held against; null takes it off balances alone.
 */
export function settleCharges(
  { charges, spending, journalId, after }: SettledParts,
  holderId: number | null,
): SQL {
  const ofBudgets = sql`UNION ALL SELECT fund_id, amount_nano_usd, leased_nano_usd FROM ${spending}`;
  return sql`
    due AS (
      SELECT own.fund_id, charge.amount_nano_usd, charge.amount_nano_usd AS leased_nano_usd
      FROM ${charges} AS charge JOIN ${wallets} AS own ON own.user_id = charge.payer_id
      ${spending === null ? sql`` : ofBudgets}
    ),
    locked AS (
      SELECT fund.id AS fund_id, due.amount_nano_usd, due.leased_nano_usd
      FROM due JOIN ${funds} AS fund ON fund.id = due.fund_id
      -- What nothing reads would be written when all else is done.
      WHERE (SELECT count(*) FROM ${after}) >= 0
      ORDER BY fund.id FOR UPDATE OF fund
    ),
    -- Locked too, so that it is read as it is now and not as it was when this statement began to wait for the fund.
    open_lease AS (
      SELECT lease.fund_id, lease.granted_nano_usd - lease.settled_nano_usd AS left_nano_usd
      FROM locked JOIN ${leases} AS lease ON lease.holder_id = ${holderId} AND lease.fund_id = locked.fund_id
      FOR UPDATE OF lease
    ),
    paying AS (
      SELECT locked.fund_id, locked.amount_nano_usd,
        least(locked.leased_nano_usd, coalesce(open_lease.left_nano_usd, 0)) AS leased
      FROM locked LEFT JOIN open_lease ON open_lease.fund_id = locked.fund_id
    ),
    wallet AS (
      SELECT own.user_id, own.paid_account_id, own.promo_account_id, paying.amount_nano_usd
      FROM paying JOIN ${wallets} AS own ON own.fund_id = paying.fund_id
    ),
    promo AS (
      SELECT wallet.user_id, wallet.promo_account_id, least(own.promo_nano_usd, wallet.amount_nano_usd) AS amount
      FROM wallet JOIN ${wallets} AS own ON own.user_id = wallet.user_id
      FOR UPDATE OF own
    ),
    settled AS (
      UPDATE ${leases} AS lease SET settled_nano_usd = lease.settled_nano_usd + paying.leased
      FROM paying WHERE lease.holder_id = ${holderId} AND lease.fund_id = paying.fund_id AND paying.leased > 0
    ),
    moved AS (
      UPDATE ${funds} AS fund SET balance_nano_usd = fund.balance_nano_usd - paying.amount_nano_usd,
        leased_nano_usd = fund.leased_nano_usd - paying.leased
      FROM paying WHERE fund.id = paying.fund_id
    ),
    ${spending === null ? sql`` : countInWindows}
    spent AS (
      UPDATE ${wallets} AS own SET promo_nano_usd = own.promo_nano_usd - promo.amount,
        promo_spent_nano_usd = own.promo_spent_nano_usd + promo.amount
      FROM promo WHERE own.user_id = promo.user_id AND promo.amount > 0
    ),
    journal AS (
      INSERT INTO ${journals} (id, kind, business_key) OVERRIDING SYSTEM VALUE
      SELECT ${journalId}, 'usage', 'usage ' || gen_random_uuid() WHERE EXISTS (SELECT FROM ${charges})
      RETURNING id
    ),
    booked AS (
      INSERT INTO ${entries} (journal_id, account_id, amount_nano_usd, requests)
      SELECT journal.id, line.account_id, line.amount, line.requests FROM journal, (
        SELECT wallet.paid_account_id AS account_id, promo.amount - wallet.amount_nano_usd AS amount, charge.requests
        FROM wallet JOIN promo ON promo.user_id = wallet.user_id JOIN ${charges} AS charge ON charge.payer_id = wallet.user_id
        UNION ALL
        -- Where promotions pay all of it there is no other entry to count at.
        SELECT promo.promo_account_id, -promo.amount,
          CASE WHEN promo.amount = charge.amount_nano_usd THEN charge.requests ELSE 0 END
        FROM promo JOIN ${charges} AS charge ON charge.payer_id = promo.user_id
        UNION ALL
        -- Nobody's money: an account that is null is refused, and the charge with it.
        SELECT NULL, -charge.amount_nano_usd, NULL FROM ${charges} AS charge
        WHERE NOT EXISTS (SELECT FROM ${wallets} AS own WHERE own.user_id = charge.payer_id)
        UNION ALL
        SELECT ${houseAccount('revenue')}, sum(amount_nano_usd)::bigint, 0 FROM wallet
      ) AS line WHERE line.amount <> 0
    )`;
}

const countInWindows = sql`
    counted AS (
      UPDATE ${budgetWindows} AS budget_window
      SET settled_nano_usd = budget_window.settled_nano_usd + paying.amount_nano_usd
      FROM paying WHERE budget_window.fund_id = paying.fund_id
    ),`;
