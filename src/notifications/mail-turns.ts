/** Whose turn it is: mails that are due, those of events taken of one account after the other. */
import { and, asc, isNull, lte, sql } from 'drizzle-orm';
import type { Executor } from '../storage/database.ts';
import { mailOutbox } from '../storage/schema/notifications.ts';
import type { Work } from '../storage/work.ts';
import { findFewDue } from './few-due.ts';

/** Announced when a mail is queued. */
export const outboxTopic = 'mail';

/** Behind the last account. */
const theEnd = Number.MAX_SAFE_INTEGER;

/** Of one process, which goes round the accounts: it begins behind the one where it stopped. */
export class MailTurns {
  #after = 0;

  /** At most `count`, locked until the work ends: those of their own before all of events. */
  async choose(work: Work, count: number): Promise<readonly number[]> {
    const now = new Date(work.clock.nowMs());
    const { id, eventId, sentAt, failedAt, dueAt } = mailOutbox;
    const rows = await work.executor
      .select({ id })
      .from(mailOutbox)
      .where(and(isNull(sentAt), isNull(failedAt), isNull(eventId), lte(dueAt, now)))
      .orderBy(asc(dueAt))
      .limit(count)
      .for('update', { skipLocked: true });
    const own = rows.map((row) => row.id);
    if (own.length === count) return own;
    return [...own, ...(await this.#chooseOfEvents(work, { now, count: count - own.length }))];
  }

  async #chooseOfEvents(
    { executor }: Work,
    { now, count }: { readonly now: Date; readonly count: number },
  ): Promise<readonly number[]> {
    const began = this.#after;
    const few = await findFewDue(
      executor,
      sql`SELECT account_id AS turn FROM ${mailOutbox} WHERE ${isDueAt(now)} ORDER BY due_at`,
    );
    const found = await lockOfEvents(executor, { now, few, after: began, until: theEnd, count });
    if (found.length < count && began > 0) {
      const left = count - found.length;
      found.push(...(await lockOfEvents(executor, { now, few, after: 0, until: began, count: left })));
    }
    this.#after = found.at(-1)?.account ?? 0;
    return found.map(({ id }) => id);
  }
}

interface Span {
  readonly now: Date;
  /** The accounts of all that is due, where that is little. */
  readonly few: readonly number[] | undefined;
  /** Of accounts: behind this one, and up to that. */
  readonly after: number;
  readonly until: number;
  readonly count: number;
}

const isWaiting = sql`sent_at IS NULL AND failed_at IS NULL AND event_id IS NOT NULL`;
const isDueAt = (now: Date) => sql`${isWaiting} AND due_at <= ${now.toISOString()}::timestamptz`;

/**
 * Where much is due, from one account that waits to the next, each found in the index by itself: it costs what it looks
 * at, however many accounts there are and however much waits for one of them.
 */
async function lockOfEvents(
  executor: Executor,
  { now, few, after, until, count }: Span,
): Promise<{ id: number; account: number }[]> {
  const known = few?.filter((account) => account > after && account <= until);
  if (known?.length === 0) return [];
  const walk = sql`
    (SELECT account_id FROM ${mailOutbox} WHERE ${isWaiting} AND account_id > ${after}::bigint
      ORDER BY account_id, due_at, id LIMIT 1)
    UNION ALL
    SELECT (SELECT account_id FROM ${mailOutbox} WHERE ${isWaiting} AND account_id > waiting.account
      ORDER BY account_id, due_at, id LIMIT 1)
    FROM waiting WHERE waiting.account < ${until}::bigint`;
  const { rows } = await executor.execute<{ id: string; account: string }>(sql`
    WITH RECURSIVE waiting (account) AS (
      ${known === undefined ? walk : sql`SELECT unnest(${`{${known.join(',')}}`}::bigint[])`}
    )
    SELECT due.id, waiting.account FROM waiting CROSS JOIN LATERAL (
      SELECT id FROM ${mailOutbox} WHERE account_id = waiting.account AND ${isDueAt(now)}
      ORDER BY due_at, id LIMIT ${count} FOR UPDATE SKIP LOCKED) AS due
    WHERE waiting.account <= ${until}::bigint LIMIT ${count}`);
  return rows.map(({ id, account }) => ({ id: Number(id), account: Number(account) }));
}
