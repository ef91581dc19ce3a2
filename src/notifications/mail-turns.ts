/** Whose turn it is: mails that are due, those of events taken of one account after the other. */
import { and, asc, isNull, lte, sql } from 'drizzle-orm';
import type { Executor } from '../storage/database.ts';
import { mailOutbox } from '../storage/schema/notifications.ts';
import {
  findFewDue,
  goRound,
  isDueOfTurn,
  keepToIndexes,
  type Span,
  theEnd,
  type Waiting,
} from './going-round.ts';

/** Announced when a mail is queued. */
export const outboxTopic = 'mail';

const mailsOfEvents: Waiting = {
  table: mailOutbox,
  whose: sql`account_id`,
  isWaiting: sql`sent_at IS NULL AND failed_at IS NULL AND event_id IS NOT NULL`,
};

/** Of one process, which goes round the accounts: it begins behind the one where it stopped. */
export class MailTurns {
  #after = 0;

  /** At most `count`, locked until the work ends: those of their own before all of events. */
  async choose(
    executor: Executor,
    { now, count }: { readonly now: Date; readonly count: number },
  ): Promise<readonly number[]> {
    const { id, eventId, sentAt, failedAt, dueAt } = mailOutbox;
    const rows = await executor
      .select({ id })
      .from(mailOutbox)
      .where(and(isNull(sentAt), isNull(failedAt), isNull(eventId), lte(dueAt, now)))
      .orderBy(asc(dueAt))
      .limit(count)
      .for('update', { skipLocked: true });
    const own = rows.map((row) => row.id);
    if (own.length === count) return own;
    return [...own, ...(await this.#chooseOfEvents(executor, { now, count: count - own.length }))];
  }

  async #chooseOfEvents(
    executor: Executor,
    { now, count }: { readonly now: Date; readonly count: number },
  ): Promise<readonly number[]> {
    const began = this.#after;
    const few = await findFewDue(executor, mailsOfEvents, now);
    const found = await keepToIndexes(executor, async () => {
      const behind = await lockOfEvents(executor, { now, few, after: began, until: theEnd, count });
      const left = count - behind.length;
      if (left === 0 || began === 0) return behind;
      return [
        ...behind,
        ...(await lockOfEvents(executor, { now, few, after: 0, until: began, count: left })),
      ];
    });
    this.#after = found.at(-1)?.account ?? 0;
    return found.map(({ id }) => id);
  }
}

async function lockOfEvents(
  executor: Executor,
  { now, count, ...span }: Span & { readonly now: Date; readonly count: number },
): Promise<{ id: number; account: number }[]> {
  const waiting = goRound(mailsOfEvents, span);
  if (waiting === null) return [];
  const { rows } = await executor.execute<{ id: string; account: string }>(sql`
    WITH RECURSIVE waiting (turn) AS (${waiting})
    SELECT due.id, waiting.turn AS account FROM waiting CROSS JOIN LATERAL (
      SELECT id FROM ${mailOutbox} WHERE ${isDueOfTurn(mailsOfEvents, now)}
      ORDER BY due_at, id LIMIT ${count} FOR UPDATE SKIP LOCKED) AS due
    WHERE waiting.turn <= ${span.until}::bigint LIMIT ${count}`);
  return rows.map(({ id, account }) => ({ id: Number(id), account: Number(account) }));
}
