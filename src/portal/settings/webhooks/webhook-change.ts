/** Changing a webhook; whoever was overtaken is told what it is now. */
import type { Context } from 'hono';
import { z } from 'zod';
import { AppError } from '../../../base/errors.ts';
import { transact } from '../../../identity/index.ts';
import {
  type CheckedWebhook,
  changeWebhook,
  checkWebhook,
  findWebhook,
  stateOfWebhook,
  type Webhook,
} from '../../../notifications/index.ts';
import { done } from '../../done.ts';
import { errorsWords } from '../../languages/errors/index.ts';
import { keysWords } from '../../languages/keys/index.ts';
import { webhooksWords } from '../../languages/webhooks/index.ts';
import type { Asked } from '../../route.ts';
import { wordsFor } from '../../visit.ts';
import { inReadersWords } from './in-readers-words.ts';
import {
  fieldsOf,
  requireScopeOfWebhook,
  tellWebhook,
  webhookBody,
  type webhookParams,
  webhookPath,
  webhookResult,
} from './the-webhooks.ts';

export const changeBody = webhookBody.extend({
  seen: z
    .string()
    .max(40)
    .optional()
    .describe('Of a form: what the webhook was when it was drawn; 409 where it is something else by now'),
});
export const changeResult = z.object({ webhook: webhookResult });

export async function change({
  context,
  services,
  session,
  params: { webhook_id: id },
  body: { seen, ...body },
}: Asked<'member', { params: typeof webhookParams; body: typeof changeBody }>): Promise<Response> {
  const scope = requireScopeOfWebhook(session);
  const { clock, webhookNetwork: network } = services;
  const checked = await inReadersWords(context, () => checkWebhook(fieldsOf(body), { clock, network }));
  const webhook = await transact(services, (work) =>
    changeWebhook(scope, work, { id, seen, ...checked }),
  ).catch(async (thrown: unknown) => {
    if (!(thrown instanceof AppError) || thrown.code !== 'conflict') throw thrown;
    const now = await findWebhook(scope, services.storage.db, id);
    // Whoever is shown what it is now may save over that, and over nothing newer.
    context.set('form', { ...context.get('form'), seen: stateOfWebhook(now) });
    throw withDifferences(context, thrown, { now, checked });
  });
  const message = wordsFor(context, webhooksWords).saved;
  return done(context, { to: webhookPath(id), message, result: { webhook: tellWebhook(webhook) } });
}

/** Whoever was overtaken sees what it is now beside what they wrote. */
function withDifferences(
  context: Context,
  overtaken: AppError,
  { now, checked }: { readonly now: Webhook; readonly checked: CheckedWebhook },
): AppError {
  const words = wordsFor(context, webhooksWords);
  const { isNow } = wordsFor(context, keysWords).form;
  const say = (field: string, label: string, value: string) => ({
    loc: ['body', field],
    // The address and the name say it beside their fields.
    msg: label === '' ? isNow(value) : `${label}: ${isNow(value)}`,
    type: 'changed',
  });
  const differs = (['name', 'url', 'format', 'enabled'] as const).filter(
    (field) => String(now[field]) !== String(checked[field]),
  );
  const told = {
    name: say('name', '', now.name),
    url: say('url', '', now.url),
    format: say('format', words.format, words.formats[now.format]),
    enabled: say('enabled', words.enabled, now.enabled ? words.states.on : words.states.off),
  };
  const isSame = Bun.deepEquals(now.events, checked.events);
  const events = now.events === null ? words.allEvents : now.events.join(', ');
  // The page that shows mistakes shows no message beside them, so that this is told as one of them.
  const whole = { loc: ['body'], msg: wordsFor(context, errorsWords).reasons.overtaken, type: 'overtaken' };
  return new AppError({
    code: overtaken.code,
    public: overtaken.message,
    cause: overtaken,
    reason: overtaken.reason ?? 'overtaken',
    fields: [
      whole,
      ...differs.map((field) => told[field]),
      ...(isSame ? [] : [say('events', words.events, events)]),
    ],
  });
}
