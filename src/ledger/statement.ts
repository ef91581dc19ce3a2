/** What happened on a wallet, as its owner reads it: each journal a line, and what was used a line a day, or a batch. */
import { and, eq, sql } from 'drizzle-orm';
import type { Executor } from '../storage/database.ts';
import { accountDays, accounts, entries, journals } from '../storage/schema/ledger.ts';

export interface StatementLine {
  /** Null for a day of usage, which is many journals; that of a batch is in its requests' rows. */
  readonly journalId: number | null;
  readonly kind: string;
  readonly at: Date;
  readonly note: string;
  /** What came in; what went out is negative. */
  readonly paidNanoUsd: bigint;
  readonly promoNanoUsd: bigint;
  /** Of usage: how many it is the sum of, as far as that was counted when they were charged; null for what is none. */
  readonly requests: number | null;
  /** Of both, after the line. */
  readonly balanceNanoUsd: bigint;
}

export interface StatementSpan {
  readonly from: Date;
  /** Up to this moment, which is not in it. */
  readonly until: Date;
  /** Usage a line a batch of requests instead of a day. */
  readonly isByBatch?: boolean;
}

const dayMs = 86_400_000;

/** Of more lines than this the newest are told. */
export const mostStatementLines = 5_000;

interface Row extends Record<string, unknown> {
  readonly journal: string | null;
  readonly kind: string;
  readonly at: string;
  readonly note: string;
  readonly requests: string | null;
  readonly paid: string;
  readonly promo: string;
  readonly balance: string;
}

/**
 * Newest first; days are those of UTC, and of a statement with a line of usage a day the first one is told whole: what only
 * a part of its line is of would be in the balances and in no line. The balance of each line is what the books say, whatever the span. It reads the
 * days of the span (`account_days`) and what was no usage in them, and entries of usage only for a line a batch and for
 * a day that the span cuts; of what was before, a number for each day.
 */
export async function readStatement(
  executor: Executor,
  userId: number,
  { from, until, isByBatch = false }: StatementSpan,
): Promise<readonly StatementLine[]> {
  const fromMs = from.getTime();
  const beginMs = isByBatch ? fromMs : Math.floor(fromMs / dayMs) * dayMs;
  const begin = sql`${new Date(beginMs).toISOString()}::timestamptz`;
  const end = sql`${until.toISOString()}::timestamptz`;
  const firstDay = sql`(${begin} AT TIME ZONE 'UTC')::date`;
  const { rows } = await executor.execute<Row>(sql`
    WITH own AS (SELECT id, kind FROM ${accounts} WHERE user_id = ${userId}),
    opening AS (
      SELECT coalesce(sum(past.amount_nano_usd), 0) AS balance
      FROM own JOIN ${accountDays} AS past ON past.account_id = own.id WHERE past.day < ${firstDay}
    ),
    days AS (
      SELECT own.kind AS account_kind, known.*, ${isByBatch} OR known.last_at >= ${end} AS is_cut
      FROM own JOIN ${accountDays} AS known ON known.account_id = own.id
      WHERE known.day >= ${firstDay} AND known.day::timestamp AT TIME ZONE 'UTC' < ${end}
    ),
    parts AS (
      SELECT account_kind, NULL::bigint AS journal, 'usage' AS kind, '' AS note, day::timestamp AT TIME ZONE 'UTC' AS at,
        usage_nano_usd AS amount, usage_requests AS requests, last_usage_journal_id AS last
      FROM days WHERE NOT is_cut AND last_usage_journal_id IS NOT NULL
      UNION ALL
      SELECT days.account_kind, ${isByBatch ? sql`journal.id` : sql`NULL`}, journal.kind, '',
        ${isByBatch ? sql`journal.created_at` : sql`days.day::timestamp AT TIME ZONE 'UTC'`},
        entry.amount_nano_usd, entry.requests, journal.id
      FROM days ${bookedOnDay()}
      WHERE days.is_cut AND journal.kind = 'usage' AND journal.created_at < ${end} AND ${isOfDay}
      UNION ALL
      SELECT days.account_kind, journal.id, journal.kind, journal.note, journal.created_at,
        entry.amount_nano_usd, NULL, journal.id
      FROM days ${bookedOnDay(sql`one.requests IS NULL`)}
      WHERE journal.kind <> 'usage' AND journal.created_at < ${end} AND ${isOfDay}
    ),
    booked AS (
      SELECT journal, kind, note, at, max(last) AS last, sum(requests) AS requests,
        coalesce(sum(amount) FILTER (WHERE account_kind = 'paid'), 0) AS paid,
        coalesce(sum(amount) FILTER (WHERE account_kind = 'promo'), 0) AS promo
      FROM parts GROUP BY 1, 2, 3, 4
    )
    SELECT journal::text AS journal, kind, note, requests::text AS requests, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at,
      paid::text AS paid, promo::text AS promo, balance::text AS balance
    FROM (
      SELECT booked.*, (at AT TIME ZONE 'UTC')::date AS day, opening.balance
        + sum(paid + promo) OVER (ORDER BY (at AT TIME ZONE 'UTC')::date, last) AS balance
      FROM booked, opening
    ) AS line
    WHERE at >= ${begin}
    ORDER BY day DESC, last DESC LIMIT ${mostStatementLines}`);
  return rows.map((row) => ({
    journalId: row.journal === null ? null : Number(row.journal),
    kind: row.kind,
    at: new Date(row.at),
    note: row.note,
    requests: row.requests === null ? null : Number(row.requests),
    paidNanoUsd: BigInt(row.paid),
    promoNanoUsd: BigInt(row.promo),
    balanceNanoUsd: BigInt(row.balance),
  }));
}

/**
 * Of each day its entries: their journals are between its first and its last, where those of other days can be too. Each
 * is looked up by itself (`OFFSET 0`): what a range holds is not known when a query is planned, and all of the books may
 * seem cheaper to read than one day.
 */
const bookedOnDay = (among = sql`true`) => sql`
  CROSS JOIN LATERAL (
    SELECT * FROM ${entries} AS one WHERE one.account_id = days.account_id
      AND one.journal_id BETWEEN days.first_journal_id AND days.last_journal_id AND ${among} OFFSET 0
  ) AS entry
  CROSS JOIN LATERAL (SELECT * FROM ${journals} AS one WHERE one.id = entry.journal_id OFFSET 0) AS journal`;

const isOfDay = sql`(journal.created_at AT TIME ZONE 'UTC')::date = days.day`;

/** What was deposited for this reason, and to whom; undefined when nothing was. */
export async function findDeposit(
  executor: Executor,
  businessKey: string,
): Promise<{ readonly userId: number | null; readonly amountNanoUsd: bigint } | undefined> {
  const [found] = await executor
    .select({ userId: accounts.userId, amountNanoUsd: entries.amountNanoUsd })
    .from(journals)
    .innerJoin(entries, eq(entries.journalId, journals.id))
    .innerJoin(accounts, and(eq(accounts.id, entries.accountId), eq(accounts.kind, 'paid')))
    .where(and(eq(journals.businessKey, businessKey), eq(journals.kind, 'deposit')));
  return found;
}
