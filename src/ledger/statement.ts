/** What happened on a wallet, as its owner reads it: each journal a line, and what was used a line a day, or a batch. */
import { and, eq, sql } from 'drizzle-orm';
import type { Executor } from '../storage/database.ts';
import { accounts, entries, journals } from '../storage/schema/ledger.ts';

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

/** Of more lines than this the newest are told. */
const mostLines = 5_000;

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

/** Newest first; days are those of UTC. The balance of each line is what the books say, whatever the span. */
export async function readStatement(
  executor: Executor,
  userId: number,
  { from, until, isByBatch = false }: StatementSpan,
): Promise<readonly StatementLine[]> {
  const isByDay = isByBatch ? sql`false` : sql`journal.kind = 'usage'`;
  const { rows } = await executor.execute<Row>(sql`
    WITH booked AS (
      SELECT CASE WHEN ${isByDay} THEN NULL ELSE journal.id END AS journal, journal.kind, journal.note,
        CASE WHEN ${isByDay} THEN date_trunc('day', journal.created_at, 'UTC') ELSE journal.created_at END AS at,
        coalesce(sum(entry.amount_nano_usd) FILTER (WHERE account.kind = 'paid'), 0) AS paid,
        coalesce(sum(entry.amount_nano_usd) FILTER (WHERE account.kind = 'promo'), 0) AS promo,
        sum(entry.requests) AS requests, max(journal.id) AS last
      FROM ${accounts} AS account
      JOIN ${entries} AS entry ON entry.account_id = account.id
      JOIN ${journals} AS journal ON journal.id = entry.journal_id
      WHERE account.user_id = ${userId} AND journal.created_at < ${until.toISOString()}::timestamptz
      GROUP BY 1, 2, 3, 4
    )
    SELECT journal::text AS journal, kind, note, requests::text AS requests, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at,
      paid::text AS paid, promo::text AS promo, balance::text AS balance
    FROM (SELECT *, sum(paid + promo) OVER (ORDER BY last) AS balance FROM booked) AS line
    WHERE at >= ${from.toISOString()}::timestamptz
    ORDER BY last DESC LIMIT ${mostLines}`);
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
