/** Whose webhooks somebody keeps, what a program is told of one, and what every route about them shares. */
import { z } from 'zod';
import { AppError } from '../../../base/errors.ts';
import { isAtLeast, type Session } from '../../../identity/index.ts';
import {
  type Webhook,
  type WebhookScope,
  webhookEvents,
  webhookFormats,
} from '../../../notifications/index.ts';
import { readList, readSwitch } from '../../form-readers.ts';
import type { webhooksWords } from '../../languages/webhooks/index.ts';
import { idField } from '../../route.ts';
import { settingsPaths } from '../section.ts';

export const webhooksPath = '/dashboard/settings/webhooks';
export const webhookPath = (id: number): string => `${webhooksPath}/${id}`;
export const shared = { tag: 'Webhooks', access: 'member' } as const;

/** The way to a page about one of them. */
export const trailOf = ({ back, title }: (typeof webhooksWords)['en']) => [
  { href: settingsPaths.profile, label: back },
  { href: webhooksPath, label: title },
];

export const webhookParams = z.object({ webhook_id: idField });
export const webhookRefusals = {
  404: 'There is no such webhook, or not for who does not administer its organisation',
};
export const keeperRefusals = { 403: 'The webhooks of an organisation are kept by its administrators' };

/** Null for who belongs to an organisation and does not administer it. */
export function webhookScope({ user }: Session): WebhookScope | null {
  const { id: userId, organisationId, role } = user;
  if (organisationId === null) return { whose: 'person', userId };
  return isAtLeast(role, 'org_admin') ? { whose: 'organisation', organisationId } : null;
}

/** @throws AppError `not_allowed`. */
export function requireWebhookScope(session: Session): WebhookScope {
  const scope = webhookScope(session);
  if (scope !== null) return scope;
  throw new AppError({
    code: 'not_allowed',
    public: 'The webhooks of your organisation are kept by its administrators.',
  });
}

/** For a row that names one: to whoever keeps none, none is there. @throws AppError `not_found`. */
export function requireScopeOfWebhook(session: Session): WebhookScope {
  const scope = webhookScope(session);
  if (scope !== null) return scope;
  throw new AppError({ code: 'not_found', public: 'There is no such webhook.' });
}

export const webhookBody = z.object({
  name: z.string().trim().min(1).max(100),
  url: z.string().trim().min(1).max(2000),
  format: z.enum(webhookFormats).default('standard'),
  events: z
    .preprocess(readList, z.array(z.enum(webhookEvents)).max(100).nullable())
    .default(null)
    .describe('Null takes all there are and will be'),
  events_are: z
    .enum(['all', 'some'])
    .optional()
    .describe('Of a form: whether the list beside it counts; `all` is null'),
  enabled: z.preprocess(readSwitch, z.boolean()).default(true),
});

export function fieldsOf({ events_are: which, events, ...rest }: z.output<typeof webhookBody>) {
  return { ...rest, events: which === 'all' ? null : events };
}

export const webhookResult = z.object({
  id: z.int(),
  name: z.string(),
  url: z.string(),
  format: z.enum(webhookFormats),
  events: z.array(z.string()).nullable(),
  enabled: z.boolean(),
  paused_at: z.iso.datetime().nullable(),
});

export function tellWebhook(webhook: Webhook): z.input<typeof webhookResult> {
  const { id, name, url, format, events, enabled, pausedAt } = webhook;
  return {
    ...{ id, name, url, format, enabled },
    events: events === null ? null : [...events],
    paused_at: pausedAt?.toISOString() ?? null,
  };
}
