/** `/dashboard/settings/webhooks/{webhook_id}`: one webhook, its form, what became of its deliveries, and what is done with it. */
import { z } from 'zod';
import { take, transact, type Work } from '../../../identity/index.ts';
import {
  findWebhook,
  listDeliveries,
  redeliver,
  resumeWebhook,
  stateOfWebhook,
  tryWebhook,
  type Webhook,
  type WebhookScope,
} from '../../../notifications/index.ts';
import { done } from '../../done.ts';
import { formOf, type KeptForm, takeForms } from '../../kept-form.ts';
import { webhooksWords } from '../../languages/webhooks/index.ts';
import { type Asked, idField, type Route, route } from '../../route.ts';
import { PostButton } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { renderPage } from '../../ui/document.tsx';
import { useSpeech, useWords } from '../../ui/speech.tsx';
import { Steps } from '../../ui/way.tsx';
import { viewerOf } from '../../viewer.ts';
import { wordsFor } from '../../visit.ts';
import { DeliveryTable } from './delivery-table.tsx';
import {
  requireScopeOfWebhook,
  shared,
  trailOf,
  webhookParams,
  webhookPath,
  webhookRefusals,
  webhooksPath,
} from './the-webhooks.ts';
import { change, changeBody, changeResult } from './webhook-change.ts';
import { WebhookForm } from './webhook-form.tsx';
import { removeBody, removeWebhook, WebhookRemoval } from './webhook-removal.tsx';
import { WebhookState } from './webhook-state.tsx';

const path = '/dashboard/settings/webhooks/{webhook_id}';
const params = webhookParams;
const detailQuery = z.object({ before: idField.optional().describe('The page of what is older') });
const deliveryParams = webhookParams.extend({ delivery_id: idField });
const action = {
  ...shared,
  method: 'POST',
  answers: 'action',
  page: (_sent: unknown, { webhook_id: id }: Readonly<Record<string, string>>) => `${webhooksPath}/${id}`,
  refusals: webhookRefusals,
} as const;

export const webhookDetailRoutes: readonly Route[] = [
  route({
    ...shared,
    method: 'GET',
    path,
    summary: 'One webhook, and what became of its deliveries',
    answers: 'page',
    params,
    query: detailQuery,
    refusals: webhookRefusals,
    handle: show,
  }),
  route({
    ...action,
    path,
    summary: 'Change a webhook',
    params,
    body: changeBody,
    result: changeResult,
    refusals: { ...webhookRefusals, 409: 'Somebody else changed it since the form was drawn' },
    handle: change,
  }),
  route({
    ...action,
    path: `${path}/test`,
    summary: 'Send a webhook an event of its own',
    params,
    refusals: { ...webhookRefusals, 429: 'Too many attempts' },
    handle: tryOut,
  }),
  route({
    ...action,
    path: `${path}/resume`,
    summary: 'Let a webhook go on that was paused',
    params,
    handle: onOne(resumeWebhook, 'resumed'),
  }),
  route({
    ...action,
    path: `${path}/delete`,
    summary: 'Delete a webhook and its history',
    params,
    body: removeBody,
    handle: removeWebhook,
  }),
  route({
    ...action,
    path: `${path}/deliveries/{delivery_id}/redeliver`,
    summary: 'Send a delivery again that is over, as the same message',
    params: deliveryParams,
    refusals: { ...webhookRefusals, 409: 'The delivery is under way', 429: 'Too many attempts' },
    handle: sendAgain,
  }),
];

type AskedWithId = Asked<'member', { params: typeof params }>;

async function show({
  context,
  services,
  session,
  params: { webhook_id: id },
  query,
}: Asked<'member', { params: typeof params; query: typeof detailQuery }>): Promise<Response> {
  const scope = requireScopeOfWebhook(session);
  const { storage, clock } = services;
  const webhook = await findWebhook(scope, storage.db, id);
  const [{ deliveries, next }, viewer] = await Promise.all([
    listDeliveries(scope, storage.db, { id, before: query.before }),
    viewerOf(session, services),
  ]);
  const words = wordsFor(context, webhooksWords);
  const here = webhookPath(id);
  const kept = takeForms(context);
  return renderPage(context, {
    title: webhook.name,
    layout: { kind: 'signed-in', viewer, trail: trailOf(words) },
    islands: ['form'],
    content: (
      <>
        <div class="page-head">
          <h1>{webhook.name}</h1>
          <WebhookState webhook={webhook} />
          <PostButton to={`${here}/test`} icon="send">
            {words.test}
          </PostButton>
        </div>
        {webhook.pausedAt === null ? null : <Paused id={id} />}
        <section class="section" aria-labelledby="history-title">
          <div class="section-head">
            <h2 id="history-title">{words.history}</h2>
          </div>
          <DeliveryTable webhookId={id} deliveries={deliveries} nowMs={clock.nowMs()} />
          <Steps
            previous={query.before === undefined ? null : here}
            next={next === null ? null : `${here}?before=${next}`}
          />
        </section>
        <Settings
          webhook={webhook}
          form={formOf(kept, here)}
          removal={formOf(kept, `${here}/delete`)}
          nowMs={clock.nowMs()}
        />
      </>
    ),
  });
}

function Paused({ id }: { readonly id: number }) {
  const words = useWords(webhooksWords);
  return (
    <Callout
      tone="bad"
      action={
        <PostButton to={`${webhookPath(id)}/resume`} size="small">
          {words.resume}
        </PostButton>
      }
    >
      <p>{words.paused}</p>
    </Callout>
  );
}

interface SettingsProps {
  readonly webhook: Webhook;
  readonly form: KeptForm;
  readonly removal: KeptForm;
  readonly nowMs: number;
}

function Settings({ webhook, form, removal, nowMs }: SettingsProps) {
  const words = useWords(webhooksWords);
  const { figures } = useSpeech();
  const { id, previousSecretEndsAt } = webhook;
  const isOverlapping = previousSecretEndsAt !== null && previousSecretEndsAt.getTime() > nowMs;
  return (
    <>
      <section class="section" aria-labelledby="settings-title">
        <div class="section-head">
          <h2 id="settings-title">{words.settings}</h2>
        </div>
        <WebhookForm
          to={webhookPath(id)}
          values={webhook}
          form={form}
          action={words.save}
          // A form that was refused for a mistake still says what it was drawn from.
          seen={form.values['seen'] ?? stateOfWebhook(webhook)}
        />
      </section>
      <section class="section" aria-labelledby="secret-title">
        <div class="section-head">
          <h2 id="secret-title">{words.secret}</h2>
        </div>
        <p class="quiet">{words.secretText}</p>
        {isOverlapping ? <p class="quiet">{words.secretBoth(figures.moment(previousSecretEndsAt))}</p> : null}
        <p class="row webhook-action">
          <PostButton to={`${webhookPath(id)}/rotate`}>{words.rotate}</PostButton>
        </p>
      </section>
      <WebhookRemoval webhook={webhook} form={removal} />
    </>
  );
}

/** Something that is done to one webhook in one transaction, and said on its page. */
function onOne(
  run: (scope: WebhookScope, work: Work, id: number) => Promise<void>,
  said: 'tested' | 'resumed' | 'sentAgain',
) {
  return async ({
    context,
    services,
    session,
    params: { webhook_id: id },
  }: AskedWithId): Promise<Response> => {
    const scope = requireScopeOfWebhook(session);
    await transact(services, (work) => run(scope, work, id));
    return done(context, { to: webhookPath(id), message: wordsFor(context, webhooksWords)[said] });
  };
}

async function tryOut(asked: AskedWithId): Promise<Response> {
  await takeTry(asked);
  return onOne(tryWebhook, 'tested')(asked);
}

async function sendAgain(asked: Asked<'member', { params: typeof deliveryParams }>): Promise<Response> {
  const { delivery_id: deliveryId } = asked.params;
  await takeTry(asked);
  return onOne((scope, work, id) => redeliver(scope, work, { id, deliveryId }), 'sentAgain')(asked);
}

/** One allowance for both: each is a request to an address that need not be the person's own. */
async function takeTry({ services, session }: Pick<AskedWithId, 'services' | 'session'>): Promise<void> {
  await take(services, 'webhook tries of account', String(session.user.id));
}
