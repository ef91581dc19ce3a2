/** What a try did to its delivery and its webhook: over, tried again later, or the webhook paused. */
import { and, eq, isNull, sql } from 'drizzle-orm';
import { type AgreeingParts, withDatabaseTime } from '../storage/agreed-time.ts';
import type { AuditDetails } from '../storage/audit-trail.ts';
import { raiseEvent } from '../storage/events.ts';
import { webhookDeliveries, webhooks, webhookTries } from '../storage/schema/webhooks.ts';
import { transact, type Work } from '../storage/work.ts';
import type { WebhookAnswer } from './webhook-request.ts';
import { type ClaimedDelivery, deliveryTopic } from './webhook-turns.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Behind the first try, the second, and so on; after the try behind the last it is given up. */
const pausesMs = [5000, 5 * minuteMs, 30 * minuteMs, 2 * hourMs, 5 * hourMs, 10 * hourMs, 10 * hourMs];
const mostTries = pausesMs.length + 1;
/** It is paused when so many tries in a row have failed, for so long. */
const mostFailures = 5;
const failingMs = 24 * hourMs;
const gone = 410;

type WebhookRow = typeof webhooks.$inferSelect;

const isOpen = and(isNull(webhookDeliveries.deliveredAt), isNull(webhookDeliveries.failedAt));

/** Writes down a try, and what follows of it for the delivery and its webhook. */
export async function settleDelivery(
  parts: AgreeingParts,
  delivery: ClaimedDelivery,
  answer: WebhookAnswer,
): Promise<void> {
  await transact(await withDatabaseTime(parts), async (work) => {
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
    // What is sent to one that is paused or switched off was asked for by hand, once.
    const isServed = webhook.enabled && webhook.pausedAt === null;
    // Whoever asked for a test looks at what became of it, and the address may be a stranger's.
    const isTest = delivery.event.kind === 'webhook.test';
    const isOver = isTaken || isTest || delivery.tries >= mostTries || !isServed;
    const dueAt = new Date(now.getTime() + (pausesMs[delivery.tries - 1] ?? hourMs));
    const [own] = await executor
      .update(webhookDeliveries)
      // One that was taken after its webhook was paused is not among those that failed with it.
      .set(isTaken ? { deliveredAt: now, failedAt: null } : isOver ? { failedAt: now } : { dueAt })
      // Whoever claimed it since, or asked for it anew, knows better.
      .where(and(eq(webhookDeliveries.id, delivery.id), eq(webhookDeliveries.dueAt, delivery.claimedUntil)))
      .returning({ id: webhookDeliveries.id });
    if (isTaken) {
      await executor
        .update(webhooks)
        .set({ failures: 0, failingSince: null })
        .where(and(eq(webhooks.id, webhook.id), sql`${webhooks.failures} > 0`));
      return;
    }
    if (own === undefined) return;
    if (isOver) work.note(noteOn(webhook, 'webhook.given_up', { kind: delivery.event.kind }));
    // One that is switched off cannot be paused for what it is sent all the same.
    if (webhook.enabled) await countFailure(work, webhook, status);
  });
}

/** Of one whose try was broken off here: it is due at once, for whoever goes on, and has a try as before. */
export async function giveDeliveryBack(
  parts: AgreeingParts,
  { id, tries, claimedUntil }: ClaimedDelivery,
): Promise<void> {
  await transact(await withDatabaseTime(parts), async ({ executor, clock, announce }) => {
    await executor
      .update(webhookDeliveries)
      .set({ dueAt: new Date(clock.nowMs()), tries: tries - 1 })
      .where(and(eq(webhookDeliveries.id, id), eq(webhookDeliveries.dueAt, claimedUntil), isOpen));
    announce(deliveryTopic, 'queued');
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
  details: AuditDetails = {},
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
