/** How far what has to be told has come, for whoever runs the service: what waits, since when, how fast it goes, what fails. */
import { sql } from 'drizzle-orm';
import type { Executor } from '../storage/database.ts';
import { notificationEvents } from '../storage/schema/events.ts';
import { mailOutbox } from '../storage/schema/notifications.ts';
import { webhookDeliveries, webhooks } from '../storage/schema/webhooks.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const mostErrors = 5;
/** Of a server's answer, so that those about one matter are counted together. */
const comparedCharacters = 80;

export interface DeliveryState {
  /** Events whose recipients have not all been found. */
  readonly events: Waiting;
  readonly mails: Waiting & Ended;
  readonly webhooks: Waiting & Ended & { readonly paused: number };
  /** Why mails failed that wait or were given up within a day, the most frequent first. */
  readonly mailErrors: readonly { readonly error: string; readonly mails: number }[];
}

interface Waiting {
  readonly waiting: number;
  /** Seconds since the oldest of them was made; null where none waits. */
  readonly oldestSeconds: number | null;
}

interface Ended {
  /** Of those that wait: that have failed before. */
  readonly retrying: number;
  readonly doneLastMinute: number;
  readonly doneLastHour: number;
  readonly failedLastDay: number;
}

/** Every count is of an index that holds what waits, or what has ended lately, alone. */
export async function readDeliveryState(executor: Executor, nowMs: number): Promise<DeliveryState> {
  const at = (agoMs: number) => sql`${new Date(nowMs - agoMs).toISOString()}::timestamptz`;
  const oldest = sql`extract(epoch FROM ${at(0)} - min(created_at))::float8`;
  const { rows: events } = await executor.execute<Row>(sql`
    SELECT count(*)::int AS waiting, ${oldest} AS oldest FROM ${notificationEvents} WHERE spread_at IS NULL`);
  const { rows: mails } = await executor.execute<Row>(sql`
    SELECT count(*)::int AS waiting, ${oldest} AS oldest,
      (count(*) FILTER (WHERE last_error IS NOT NULL))::int AS retrying
    FROM ${mailOutbox} WHERE sent_at IS NULL AND failed_at IS NULL`);
  const { rows: mailsOver } = await executor.execute<Row>(sql`
    SELECT (count(*) FILTER (WHERE sent_at > ${at(60_000)}))::int AS minute,
      (count(*) FILTER (WHERE sent_at > ${at(hourMs)}))::int AS hour,
      (count(*) FILTER (WHERE failed_at IS NOT NULL))::int AS failed
    FROM ${mailOutbox} WHERE coalesce(sent_at, failed_at) > ${at(dayMs)}`);
  const { rows: deliveries } = await executor.execute<Row>(sql`
    SELECT count(*)::int AS waiting, ${oldest} AS oldest, (count(*) FILTER (WHERE tries > 1))::int AS retrying
    FROM ${webhookDeliveries} WHERE delivered_at IS NULL AND failed_at IS NULL`);
  const { rows: deliveriesOver } = await executor.execute<Row>(sql`
    SELECT (count(*) FILTER (WHERE delivered_at > ${at(60_000)}))::int AS minute,
      (count(*) FILTER (WHERE delivered_at > ${at(hourMs)}))::int AS hour,
      (count(*) FILTER (WHERE failed_at > ${at(dayMs)}))::int AS failed,
      (SELECT count(*)::int FROM ${webhooks} WHERE paused_at IS NOT NULL) AS paused
    FROM ${webhookDeliveries} WHERE created_at > ${at(3 * dayMs)}`);
  const { rows: mailErrors } = await executor.execute<{ error: string; mails: number }>(sql`
    SELECT left(last_error, ${comparedCharacters}) AS error, count(*)::int AS mails FROM (
      SELECT last_error FROM ${mailOutbox}
      WHERE sent_at IS NULL AND failed_at IS NULL AND last_error IS NOT NULL
      UNION ALL SELECT last_error FROM ${mailOutbox}
      WHERE coalesce(sent_at, failed_at) > ${at(dayMs)} AND failed_at IS NOT NULL
    ) AS failing GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${mostErrors}`);
  return {
    events: waitingOf(events),
    mails: { ...waitingOf(mails), ...endedOf(mails, mailsOver) },
    webhooks: {
      ...waitingOf(deliveries),
      ...endedOf(deliveries, deliveriesOver),
      paused: deliveriesOver[0]?.['paused'] ?? 0,
    },
    mailErrors,
  };
}

type Row = Readonly<Record<string, number | null>>;

const waitingOf = ([row]: readonly Row[]): Waiting => ({
  waiting: row?.['waiting'] ?? 0,
  oldestSeconds: row?.['oldest'] ?? null,
});

const endedOf = ([open]: readonly Row[], [over]: readonly Row[]): Ended => ({
  retrying: open?.['retrying'] ?? 0,
  doneLastMinute: over?.['minute'] ?? 0,
  doneLastHour: over?.['hour'] ?? 0,
  failedLastDay: over?.['failed'] ?? 0,
});
