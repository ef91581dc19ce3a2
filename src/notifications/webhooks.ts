/** Webhooks of organisations, and of people who belong to none: made, listed, changed, removed. */
import { and, asc, count, eq, type SQL } from 'drizzle-orm';
import { z } from 'zod';
import { type Clock, withinTime } from '../base/clock.ts';
import type { Envelope } from '../base/envelope.ts';
import { AppError } from '../base/errors.ts';
import { fieldError } from '../base/field-check.ts';
import type { Scope } from '../base/scope.ts';
import type { Executor } from '../storage/database.ts';
import { webhooks } from '../storage/schema/webhooks.ts';
import { takeLock, type Work } from '../storage/work.ts';
import { holdAccount } from './contacts.ts';
import { webhookEvents } from './event-kinds.ts';
import { readWebhookUrl, resolveWebhookHost, unknownHost } from './public-address.ts';
import { failOpenDeliveries, noteOn } from './webhook-deliveries.ts';
import type { WebhookNetwork } from './webhook-request.ts';
import { newWebhookSecret, readPreviousSecrets } from './webhook-secret.ts';

export const webhookFormats = ['standard', 'slack'] as const;
export type WebhookFormat = (typeof webhookFormats)[number];

export const mostWebhooks = 20;
/** For so long those before sign too. */
const secretOverlapHours = 24;
const mostPreviousSecrets = 5;
/** For so long it is waited for who knows where a name leads. */
const longestLookUpMs = 5_000;

/** Whose: an organisation's or a person's. No other scope has webhooks. */
export type WebhookScope = Extract<Scope, { readonly whose: 'organisation' | 'person' }>;

export interface Webhook {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  /** Null takes all there are and will be. */
  readonly events: readonly string[] | null;
  readonly format: WebhookFormat;
  readonly enabled: boolean;
  readonly pausedAt: Date | null;
  readonly failures: number;
  readonly previousSecretEndsAt: Date | null;
  readonly createdAt: Date;
}

export interface WebhookFields {
  readonly name: string;
  readonly url: string;
  readonly events: readonly string[] | null;
  readonly format: WebhookFormat;
  readonly enabled: boolean;
}

/** Fields that `checkWebhook` found right. */
export interface CheckedWebhook extends Omit<WebhookFields, 'url' | 'events'> {
  readonly url: URL;
  readonly events: string[] | null;
}

/** What rules about webhooks need beside the work. */
export interface WebhookParts {
  readonly envelope: Envelope;
}

const fieldsShape = z.object({
  name: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .regex(/^\P{Cc}*$/u),
  events: z.array(z.enum(webhookEvents)).nullable(),
  format: z.enum(webhookFormats),
});

export const isOf = (scope: WebhookScope): SQL =>
  scope.whose === 'organisation'
    ? eq(webhooks.organisationId, scope.organisationId)
    : eq(webhooks.userId, scope.userId);

/** The oldest first; no more than may be made. */
export async function listWebhooks(scope: WebhookScope, executor: Executor): Promise<readonly Webhook[]> {
  const rows = await executor
    .select()
    .from(webhooks)
    .where(isOf(scope))
    .orderBy(asc(webhooks.id))
    .limit(mostWebhooks);
  return rows.map(readWebhook);
}

/** @throws AppError `not_found`. */
export async function findWebhook(scope: WebhookScope, executor: Executor, id: number): Promise<Webhook> {
  const [row] = await executor
    .select()
    .from(webhooks)
    .where(and(isOf(scope), eq(webhooks.id, id)));
  if (row === undefined) throw unknownWebhook();
  return readWebhook(row);
}

/**
 * @returns it and its secret, which is shown this once.
 * @throws AppError `conflict` beyond the most there may be, `not_found` for a person who is gone.
 */
export async function createWebhook(
  scope: WebhookScope,
  work: Work,
  { envelope }: WebhookParts,
  { url, ...fields }: CheckedWebhook & { readonly createdBy: number | null },
): Promise<{ readonly webhook: Webhook; readonly secret: string }> {
  if (scope.whose === 'person') await holdAccount(work.executor, scope.userId);
  await takeLock(work, `webhooks of ${JSON.stringify(scope)}`);
  const [known] = await work.executor.select({ count: count() }).from(webhooks).where(isOf(scope));
  if ((known?.count ?? 0) >= mostWebhooks) {
    const message = `There are ${mostWebhooks} webhooks already, which is the most there may be.`;
    throw new AppError({ code: 'conflict', reason: 'many_webhooks', public: message });
  }
  const secret = newWebhookSecret(work.ids);
  const owner =
    scope.whose === 'organisation' ? { organisationId: scope.organisationId } : { userId: scope.userId };
  const [row] = await work.executor
    .insert(webhooks)
    .values({
      ...owner,
      ...fields,
      url: url.href,
      sealedSecret: await envelope.seal(secret),
      createdAt: new Date(work.clock.nowMs()),
    })
    .returning();
  if (row === undefined) throw new Error('the webhook that was made is not there');
  work.note(noteOn(row, 'webhook.created', { host: new URL(row.url).host }));
  return { webhook: readWebhook(row), secret };
}

/** Short, and another one once any field is another: a form says by it what it was drawn from. */
export function stateOfWebhook({ name, url, format, events, enabled }: WebhookFields): string {
  return Bun.hash(JSON.stringify([name, url, format, events, enabled])).toString(36);
}

/**
 * Switched on, one that was off or paused goes on from the beginning; switched off, what waits for it fails.
 * @param asked.seen the state that the change was made from; left out, the change is made anyhow.
 * @throws AppError `not_found`; `conflict` where it is in another state by now.
 */
export async function changeWebhook(
  scope: WebhookScope,
  work: Work,
  { id, seen, url, ...fields }: CheckedWebhook & { readonly id: number; readonly seen?: string | undefined },
): Promise<Webhook> {
  const before = await lockWebhook(scope, work, id);
  if (seen !== undefined && seen !== stateOfWebhook(readWebhook(before))) {
    const message =
      'Somebody else changed this webhook meanwhile. Look at what it is now, and change it again.';
    throw new AppError({ code: 'conflict', reason: 'overtaken', public: message });
  }
  const isBegunAnew = fields.enabled && (!before.enabled || before.pausedAt !== null);
  const [row] = await work.executor
    .update(webhooks)
    .set({ ...fields, ...(isBegunAnew ? healthy : {}), url: url.href })
    .where(eq(webhooks.id, id))
    .returning();
  if (row === undefined) throw unknownWebhook();
  if (!row.enabled) await failOpenDeliveries(work, id);
  work.note(noteOn(row, 'webhook.changed', { host: new URL(row.url).host, enabled: row.enabled }));
  return readWebhook(row);
}

/** @throws AppError `not_found`. */
export async function resumeWebhook(scope: WebhookScope, work: Work, id: number): Promise<void> {
  const row = await lockWebhook(scope, work, id);
  await work.executor
    .update(webhooks)
    .set({ ...healthy, enabled: true })
    .where(eq(webhooks.id, id));
  work.note(noteOn(row, 'webhook.resumed'));
}

/** With its history. @throws AppError `not_found`. */
export async function deleteWebhook(scope: WebhookScope, work: Work, id: number): Promise<void> {
  const row = await lockWebhook(scope, work, id);
  await work.executor.delete(webhooks).where(eq(webhooks.id, id));
  work.note(noteOn(row, 'webhook.deleted', { host: new URL(row.url).host }));
}

/**
 * Those before sign too for a day: of two rotations within it a receiver may know any of the three secrets.
 * @returns the new one, which is shown this once.
 * @throws AppError `not_found`.
 */
export async function rotateWebhookSecret(
  scope: WebhookScope,
  work: Work,
  { envelope }: WebhookParts,
  id: number,
): Promise<string> {
  const row = await lockWebhook(scope, work, id);
  const secret = newWebhookSecret(work.ids);
  const nowMs = work.clock.nowMs();
  const isOverlapping = (row.previousSecretEndsAt?.getTime() ?? 0) > nowMs;
  const sealed = [isOverlapping ? row.sealedPreviousSecret : null, row.sealedSecret];
  // What was sealed under another secret of the service signs nothing, and may be why this is done.
  const opened = await Promise.all(sealed.map((each) => envelope.open(each ?? '').catch(() => null)));
  const previous = opened.filter((each) => each !== null).flatMap(readPreviousSecrets);
  await work.executor
    .update(webhooks)
    .set({
      sealedSecret: await envelope.seal(secret),
      sealedPreviousSecret: await envelope.seal(previous.slice(-mostPreviousSecrets).join(' ')),
      previousSecretEndsAt: new Date(nowMs + secretOverlapHours * 3_600_000),
    })
    .where(eq(webhooks.id, id));
  work.note(noteOn(row, 'webhook.secret_rotated'));
  return secret;
}

/**
 * Before a transaction and never in one: whom it asks may take long, and everybody would wait for that connection.
 * @throws AppError `validation_failed`.
 */
export async function checkWebhook(
  { url, enabled, ...fields }: WebhookFields,
  { clock, network }: { readonly clock: Clock; readonly network: WebhookNetwork },
): Promise<CheckedWebhook> {
  const checked = fieldsShape.safeParse(fields);
  if (!checked.success) {
    const issues = checked.error.issues.map(({ path, message, code }) => ({
      loc: path.filter((step) => typeof step !== 'symbol'),
      msg: message,
      type: code,
    }));
    throw new AppError({
      code: 'validation_failed',
      public: issues.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; '),
      fields: issues,
    });
  }
  const address = readWebhookUrl(url, network);
  // One that was saved so before can be switched off all the same.
  if (enabled && checked.data.events?.length === 0) {
    throw fieldError([{ loc: ['events'], msg: 'must name at least one event', type: 'no_events' }]);
  }
  // Asked here for whoever types it; what counts is what it leads to when something is sent.
  await withinTime(clock, longestLookUpMs, (late) => resolveWebhookHost(address, network, late)).catch(
    (error: unknown) => {
      // A name whose servers do not answer cannot be found.
      throw error instanceof AppError ? error : unknownHost();
    },
  );
  const { name, format, events } = checked.data;
  return { name, format, enabled, url: address, events: events === null ? null : [...new Set(events)] };
}

/** @throws AppError `not_found`. */
export async function lockWebhook(scope: WebhookScope, { executor }: Work, id: number) {
  const [row] = await executor
    .select()
    .from(webhooks)
    .where(and(isOf(scope), eq(webhooks.id, id)))
    .for('update');
  if (row === undefined) throw unknownWebhook();
  return row;
}

/** As if nothing had ever failed. */
const healthy = { pausedAt: null, failures: 0, failingSince: null };

const unknownWebhook = () => new AppError({ code: 'not_found', public: 'There is no such webhook.' });

function readWebhook(row: typeof webhooks.$inferSelect): Webhook {
  const { id, name, url, events, enabled, pausedAt, failures, previousSecretEndsAt, createdAt } = row;
  return {
    ...{ id, name, url, events, enabled, pausedAt, failures, previousSecretEndsAt, createdAt },
    format: row.format === 'slack' ? 'slack' : 'standard',
  };
}
