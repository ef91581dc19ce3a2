/** What became of the deliveries of a webhook; trying it, and sending one again. */
import { and, desc, eq, lt, type SQL, sql } from 'drizzle-orm';
import { AppError } from '../base/errors.ts';
import { agreedNow } from '../storage/agreed-time.ts';
import type { Executor } from '../storage/database.ts';
import { raiseEvent } from '../storage/events.ts';
import { notificationEvents } from '../storage/schema/events.ts';
import { webhookDeliveries, webhooks, webhookTries } from '../storage/schema/webhooks.ts';
import type { Work } from '../storage/work.ts';
import { noteOn } from './webhook-deliveries.ts';
import { deliveryTopic } from './webhook-turns.ts';
import { isOf, lockWebhook, type WebhookScope } from './webhooks.ts';

const deliveriesAPage = 50;

/** Of the last try of a delivery. */
const lastTryOf = (column: 'at' | 'status' | 'duration_ms' | 'error'): SQL =>
  sql`(SELECT ${sql.raw(column)} FROM ${webhookTries} AS one WHERE one.delivery_id = ${webhookDeliveries.id} ORDER BY one.id DESC LIMIT 1)`;

export interface WebhookDelivery {
  readonly id: number;
  readonly kind: string;
  readonly createdAt: Date;
  readonly state: 'waiting' | 'delivered' | 'failed';
  readonly tries: number;
  /** When it is tried again; null once it is over. */
  readonly dueAt: Date | null;
  /** Of its last try; null before the first. */
  readonly last: {
    readonly at: Date;
    readonly status: number | null;
    readonly durationMs: number;
    readonly error: string | null;
  } | null;
}

/** Sends it an event of its own, once, whatever it chose; a paused or disabled one too. @throws AppError `not_found`. */
export async function tryWebhook(scope: WebhookScope, work: Work, id: number): Promise<void> {
  const { name, organisationId, userId } = await lockWebhook(scope, work, id);
  const eventId = await raiseEvent(work, {
    kind: 'webhook.test',
    facts: { webhook_id: id, name },
    audience:
      organisationId === null
        ? { of: 'account', id: userId ?? 0 }
        : { of: 'organisation', id: organisationId },
  });
  if (eventId === undefined) throw new Error('a test is another event each time');
  const [createdAt, dueAt] = [new Date(work.clock.nowMs()), agreedNow(work.clock)];
  await work.executor.insert(webhookDeliveries).values({ webhookId: id, eventId, dueAt, createdAt });
  work.announce(deliveryTopic, 'queued');
}

/** Sends one again that is over, as the same message; to a paused or disabled webhook once. @throws AppError `not_found`; `conflict` while it still waits. */
export async function redeliver(
  scope: WebhookScope,
  work: Work,
  { id, deliveryId }: { readonly id: number; readonly deliveryId: number },
): Promise<void> {
  const row = await lockWebhook(scope, work, id);
  const [delivery] = await work.executor
    .select()
    .from(webhookDeliveries)
    .where(and(eq(webhookDeliveries.webhookId, id), eq(webhookDeliveries.id, deliveryId)))
    .for('update');
  if (delivery === undefined) {
    throw new AppError({ code: 'not_found', public: `This webhook has no delivery ${deliveryId}.` });
  }
  if (delivery.deliveredAt === null && delivery.failedAt === null) {
    throw new AppError({
      code: 'conflict',
      reason: 'under_way',
      public: 'This delivery is under way already.',
    });
  }
  await work.executor
    .update(webhookDeliveries)
    .set({ tries: 0, dueAt: agreedNow(work.clock), deliveredAt: null, failedAt: null })
    .where(eq(webhookDeliveries.id, deliveryId));
  work.note(noteOn(row, 'webhook.redelivered'));
  work.announce(deliveryTopic, 'queued');
}

/** The newest first. `next` is the page behind this one's `before`; null at the end. */
export async function listDeliveries(
  scope: WebhookScope,
  executor: Executor,
  { id, before }: { readonly id: number; readonly before?: number | undefined },
): Promise<{ readonly deliveries: readonly WebhookDelivery[]; readonly next: number | null }> {
  const rows = await executor
    .select({
      delivery: webhookDeliveries,
      kind: notificationEvents.kind,
      at: lastTryOf('at').mapWith(webhookDeliveries.createdAt),
      status: sql<number | null>`${lastTryOf('status')}`,
      durationMs: sql<number | null>`${lastTryOf('duration_ms')}`,
      error: sql<string | null>`${lastTryOf('error')}`,
    })
    .from(webhookDeliveries)
    .innerJoin(webhooks, eq(webhooks.id, webhookDeliveries.webhookId))
    .innerJoin(notificationEvents, eq(notificationEvents.id, webhookDeliveries.eventId))
    .where(
      and(
        isOf(scope),
        eq(webhookDeliveries.webhookId, id),
        before === undefined ? undefined : lt(webhookDeliveries.id, before),
      ),
    )
    .orderBy(desc(webhookDeliveries.id))
    .limit(deliveriesAPage + 1);
  const deliveries = rows.slice(0, deliveriesAPage).map(({ delivery, kind, ...last }): WebhookDelivery => {
    const { tries, dueAt, deliveredAt, failedAt, createdAt } = delivery;
    const isOver = deliveredAt !== null || failedAt !== null;
    return {
      ...{ id: delivery.id, kind, createdAt, tries },
      state: deliveredAt !== null ? 'delivered' : failedAt !== null ? 'failed' : 'waiting',
      dueAt: isOver ? null : dueAt,
      last: last.durationMs === null ? null : { ...last, durationMs: last.durationMs },
    };
  });
  return { deliveries, next: rows.length > deliveriesAPage ? (deliveries.at(-1)?.id ?? null) : null };
}
