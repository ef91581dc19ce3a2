/** Deliveries to webhooks: taken try by try until they are over, and what each try did to its webhook. */
import { and, asc, eq, inArray, isNull, lte, sql } from 'drizzle-orm';
import { raiseEvent } from '../storage/events.ts';
import { notificationEvents } from '../storage/schema/events.ts';
import { webhookDeliveries, webhooks, webhookTries } from '../storage/schema/webhooks.ts';
import { transact, type Work, type WorkParts } from '../storage/work.ts';
import type { WebhookAnswer } from './webhook-request.ts';

export const deliveryTopic = 'webhook-delivery';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Behind the first try, the second, and so on; after the try behind the last it is given up. */
const pausesMs = [5000, 5 * minuteMs, 30 * minuteMs, 2 * hourMs, 5 * hourMs, 10 * hourMs, 10 * hourMs];
const mostTries = pausesMs.length + 1;
/** Longer than a try may take. */
const claimMs = 2 * minuteMs;
/** Of one webhook in one turn: one that is slow holds up few. */
const mostOfOne = 4;
/** It is paused when so many tries in a row have failed, for so long. */
const mostFailures = 5;
const failingMs = 24 * hourMs;
const gone = 410;

type WebhookRow = typeof webhooks.$inferSelect;

/** One that is to be tried now, by this process alone. */
export interface ClaimedDelivery {
  readonly id: number;
  readonly createdAt: Date;
  /** This one counted. */
  readonly tries: number;
  readonly webhook: WebhookRow;
  readonly event: typeof notificationEvents.$inferSelect;
}

const isOpen = and(isNull(webhookDeliveries.deliveredAt), isNull(webhookDeliveries.failedAt));

/** At most `count` that are due, a few of each webhook. They are nobody else's for two minutes. */
export async function claimDeliveries(parts: WorkParts, count: number): Promise<ClaimedDelivery[]> {
  const now = new Date(parts.clock.nowMs());
  const at = now.toISOString();
  const claimed = await transact(parts, ({ executor }) => {
    const due = sql`(
      SELECT due.id FROM ${webhooks} AS hook CROSS JOIN LATERAL (
        SELECT id, due_at FROM ${webhookDeliveries}
        WHERE webhook_id = hook.id AND delivered_at IS NULL AND failed_at IS NULL AND due_at <= ${at}::timestamptz
        ORDER BY due_at, id LIMIT ${mostOfOne}
      ) AS due ORDER BY due.due_at, due.id LIMIT ${count})`;
    const mine = executor
      .select({ id: webhookDeliveries.id })
      .from(webhookDeliveries)
      .where(and(isOpen, lte(webhookDeliveries.dueAt, now), inArray(webhookDeliveries.id, due)))
      .for('update', { skipLocked: true });
    return executor
      .update(webhookDeliveries)
      .set({ tries: sql`${webhookDeliveries.tries} + 1`, dueAt: new Date(now.getTime() + claimMs) })
      .where(inArray(webhookDeliveries.id, mine))
      .returning({ id: webhookDeliveries.id });
  });
  if (claimed.length === 0) return [];
  const rows = await parts.storage.db
    .select()
    .from(webhookDeliveries)
    .innerJoin(webhooks, eq(webhooks.id, webhookDeliveries.webhookId))
    .innerJoin(notificationEvents, eq(notificationEvents.id, webhookDeliveries.eventId))
    .where(
      inArray(
        webhookDeliveries.id,
        claimed.map(({ id }) => id),
      ),
    )
    .orderBy(asc(webhookDeliveries.id));
  return rows.map(({ webhook_deliveries: { id, createdAt, tries }, webhooks: webhook, ...row }) => ({
    ...{ id, createdAt, tries, webhook },
    event: row.notification_events,
  }));
}

/** When the next one is due, in milliseconds since the epoch; null when none waits. */
export async function nextDeliveryDueMs({ storage }: WorkParts): Promise<number | null> {
  const [row] = await storage.db
    .select({ dueAt: webhookDeliveries.dueAt })
    .from(webhookDeliveries)
    .where(isOpen)
    .orderBy(asc(webhookDeliveries.dueAt))
    .limit(1);
  return row?.dueAt.getTime() ?? null;
}

/** Writes down a try, and what follows of it for the delivery and its webhook. */
export async function settleDelivery(
  parts: WorkParts,
  delivery: ClaimedDelivery,
  answer: WebhookAnswer,
): Promise<void> {
  await transact(parts, async (work) => {
    const { executor, clock } = work;
    const now = new Date(clock.nowMs());
    const { status, durationMs, error } = answer;
    // The webhook first, as everybody does it, so that nobody waits for each other.
    const [webhook] = await executor
      .select()
      .from(webhooks)
      .where(eq(webhooks.id, delivery.webhook.id))
      .for('update');
    if (webhook === undefined) return;
    await executor
      .insert(webhookTries)
      .values({ deliveryId: delivery.id, at: now, status, durationMs, error });
    const isTaken = error === null;
    const isOver = isTaken || delivery.tries >= mostTries || webhook.pausedAt !== null;
    const dueAt = new Date(now.getTime() + (pausesMs[delivery.tries - 1] ?? hourMs));
    await executor
      .update(webhookDeliveries)
      .set(isTaken ? { deliveredAt: now } : isOver ? { failedAt: now } : { dueAt })
      .where(eq(webhookDeliveries.id, delivery.id));
    if (isTaken) {
      await executor
        .update(webhooks)
        .set({ failures: 0, failingSince: null })
        .where(and(eq(webhooks.id, webhook.id), sql`${webhooks.failures} > 0`));
      return;
    }
    if (isOver) work.note(noteOn(webhook, 'webhook.given_up', { kind: delivery.event.kind }));
    await countFailure(work, webhook, status);
  });
}

async function countFailure(work: Work, webhook: WebhookRow, status: number | null): Promise<void> {
  const nowMs = work.clock.nowMs();
  const failures = webhook.failures + 1;
  const failingSince = webhook.failingSince ?? new Date(nowMs);
  await work.executor.update(webhooks).set({ failures, failingSince }).where(eq(webhooks.id, webhook.id));
  const isTooLong = failures >= mostFailures && nowMs - failingSince.getTime() >= failingMs;
  if (webhook.pausedAt === null && (status === gone || isTooLong))
    await pause(work, { ...webhook, failures });
}

/** What waits for a webhook fails, so that it stands in the history, from where it can be sent again. */
export async function failOpenDeliveries({ executor, clock }: Work, webhookId: number): Promise<void> {
  await executor
    .update(webhookDeliveries)
    .set({ failedAt: new Date(clock.nowMs()) })
    .where(and(eq(webhookDeliveries.webhookId, webhookId), isOpen));
}

async function pause(work: Work, webhook: WebhookRow): Promise<void> {
  const { executor, clock } = work;
  const now = new Date(clock.nowMs());
  await executor.update(webhooks).set({ pausedAt: now }).where(eq(webhooks.id, webhook.id));
  await failOpenDeliveries(work, webhook.id);
  work.note(noteOn(webhook, 'webhook.paused', { failures: webhook.failures }));
  const { id, name, failures, organisationId, userId } = webhook;
  await raiseEvent(work, {
    kind: 'webhook.paused',
    facts: { webhook_id: id, name, failures },
    audience:
      organisationId === null
        ? { of: 'account', id: userId ?? 0 }
        : { of: 'organisation', id: organisationId },
  });
}

export function noteOn(
  { id, name, organisationId, userId }: Pick<WebhookRow, 'id' | 'name' | 'organisationId' | 'userId'>,
  action: `webhook.${WebhookAction}`,
  details: Readonly<Record<string, string | number | boolean | null>> = {},
) {
  return {
    action,
    subject: { kind: 'webhook', id, label: name },
    owner:
      organisationId === null
        ? ({ kind: 'person', id: userId ?? 0 } as const)
        : ({ kind: 'organisation', id: organisationId } as const),
    details,
  };
}

type WebhookAction =
  | 'created'
  | 'changed'
  | 'deleted'
  | 'secret_rotated'
  | 'paused'
  | 'resumed'
  | 'given_up'
  | 'redelivered';
