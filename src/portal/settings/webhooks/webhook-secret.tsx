/** `/dashboard/settings/webhooks/{webhook_id}/secret`: a signing secret that was just made, shown once. */
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { z } from 'zod';
import { transact } from '../../../identity/index.ts';
import { findWebhook, rotateWebhookSecret } from '../../../notifications/index.ts';
import { done } from '../../done.ts';
import { webhooksWords } from '../../languages/webhooks/index.ts';
import { wantsPage } from '../../refusal.ts';
import { type Asked, type Route, route } from '../../route.ts';
import type { PortalServices } from '../../services.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { Code } from '../../ui/code.tsx';
import { renderPage } from '../../ui/document.tsx';
import { viewerOf } from '../../viewer.ts';
import { visitOf, wordsFor } from '../../visit.ts';
import {
  requireScopeOfWebhook,
  shared,
  trailOf,
  webhookParams,
  webhookPath,
  webhookRefusals,
  webhooksPath,
} from './the-webhooks.ts';

const cookieName = 'sluice-new-webhook';
const lifetimeMs = 120_000;
const params = webhookParams;
type AskedWithId = Asked<'member', { params: typeof params }>;

export const webhookSecretRoutes: readonly Route[] = [
  route({
    ...shared,
    method: 'GET',
    path: '/dashboard/settings/webhooks/{webhook_id}/secret',
    summary: 'The secret of a webhook that was just made or given another, once',
    answers: 'page',
    // Who looks takes it with them.
    changes: true,
    params,
    refusals: webhookRefusals,
    handle: show,
  }),
  route({
    ...shared,
    method: 'POST',
    path: '/dashboard/settings/webhooks/{webhook_id}/rotate',
    summary: 'Make a new secret; the one before it signs too for a day',
    answers: 'action',
    page: webhooksPath,
    params,
    result: z.object({ secret: z.string() }),
    refusals: webhookRefusals,
    handle: rotate,
  }),
];

interface NewSecret {
  readonly webhookId: number;
  /** Who made it, and is shown it. */
  readonly userId: number;
  readonly secret: string;
}

const keptShape = z.object({ webhookId: z.int(), userId: z.int(), secret: z.string(), untilMs: z.number() });

/** Over one redirect, sealed, in a cookie of the one page that shows it: it is in no address and no log. */
export async function keepSecret(context: Context, services: PortalServices, made: NewSecret): Promise<void> {
  const kept = { ...made, untilMs: services.clock.nowMs() + lifetimeMs };
  setCookie(context, cookieName, await services.envelope.seal(JSON.stringify(kept)), {
    ...cookieOf(context, made.webhookId),
    maxAge: lifetimeMs / 1000,
  });
}

const cookieOf = (context: Context, webhookId: number) =>
  ({
    path: `${webhookPath(webhookId)}/secret`,
    httpOnly: true,
    sameSite: 'Strict',
    secure: visitOf(context).address.startsWith('https:'),
  }) as const;

/** The secret, which is then gone; null where there is none, or it is of another webhook or for somebody else. */
async function takeSecret(
  context: Context,
  { envelope, clock }: PortalServices,
  wanted: Omit<NewSecret, 'secret'>,
): Promise<string | null> {
  const sealed = getCookie(context, cookieName);
  if (sealed === undefined) return null;
  deleteCookie(context, cookieName, cookieOf(context, wanted.webhookId));
  const opened = await envelope.open(sealed).catch(() => '{}');
  const kept = keptShape.safeParse(JSON.parse(opened)).data;
  if (kept === undefined || clock.nowMs() >= kept.untilMs) return null;
  return kept.webhookId === wanted.webhookId && kept.userId === wanted.userId ? kept.secret : null;
}

async function show({
  context,
  services,
  session,
  params: { webhook_id: id },
}: AskedWithId): Promise<Response> {
  const webhook = await findWebhook(requireScopeOfWebhook(session), services.storage.db, id);
  const secret = await takeSecret(context, services, { webhookId: id, userId: session.user.id });
  const words = wordsFor(context, webhooksWords);
  const title = secret === null ? words.secretOver : words.secretTitle;
  return renderPage(context, {
    title,
    layout: {
      kind: 'signed-in',
      viewer: await viewerOf(session, services),
      trail: [...trailOf(words), { href: webhookPath(id), label: webhook.name }],
    },
    content: (
      <>
        <div class="page-head">
          <h1>{title}</h1>
          <LinkButton href={webhookPath(id)} look={secret === null ? 'plain' : 'primary'}>
            {words.toWebhook}
          </LinkButton>
        </div>
        {secret === null ? (
          <Callout>
            <p>{words.secretOverText}</p>
          </Callout>
        ) : (
          <div class="stack">
            <p>{words.secretText}</p>
            <Code code={secret} />
            <p class="quiet">{words.secretOnce}</p>
          </div>
        )}
      </>
    ),
  });
}

async function rotate({
  context,
  services,
  session,
  params: { webhook_id: id },
}: AskedWithId): Promise<Response> {
  const scope = requireScopeOfWebhook(session);
  const { envelope } = services;
  const secret = await transact(services, (work) => rotateWebhookSecret(scope, work, { envelope }, id));
  if (wantsPage(context.req.raw)) {
    await keepSecret(context, services, { webhookId: id, userId: session.user.id, secret });
  }
  const message = wordsFor(context, webhooksWords).rotated;
  return done(context, { to: `${webhookPath(id)}/secret`, message, result: { secret } });
}
