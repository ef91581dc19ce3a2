/** `/dashboard/settings/webhooks`: the list, the form of a new one, and making it. */
import { z } from 'zod';
import { transact } from '../../../identity/index.ts';
import {
  checkWebhook,
  createWebhook,
  listWebhooks,
  mostWebhooks,
  type Webhook,
  type WebhookScope,
} from '../../../notifications/index.ts';
import { done } from '../../done.ts';
import { formOf, takeForms } from '../../kept-form.ts';
import { webhooksWords } from '../../languages/webhooks/index.ts';
import { wantsPage } from '../../refusal.ts';
import { type Asked, type Route, route } from '../../route.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Empty } from '../../ui/callout.tsx';
import { renderPage } from '../../ui/document.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useSpeech, useWords } from '../../ui/speech.tsx';
import { Table, TwoLines } from '../../ui/table.tsx';
import { viewerOf } from '../../viewer.ts';
import { wordsFor } from '../../visit.ts';
import { SettingsHead } from '../settings-tabs.tsx';
import { inReadersWords } from './in-readers-words.ts';
import {
  fieldsOf,
  keeperRefusals,
  requireWebhookScope,
  shared,
  tellWebhook,
  trailOf,
  webhookBody,
  webhookPath,
  webhookResult,
  webhookScope,
  webhooksPath,
} from './the-webhooks.ts';
import { webhookDetailRoutes } from './webhook-detail.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { keepSecret, webhookSecretRoutes } from './webhook-secret.tsx';
import { WebhookState } from './webhook-state.tsx';

const newPath = `${webhooksPath}/new`;

export const webhookRoutes: readonly Route[] = [
  route({
    ...shared,
    method: 'GET',
    path: webhooksPath,
    summary: 'The webhooks of the organisation, or of a person who belongs to none',
    answers: 'page',
    handle: showList,
  }),
  route({
    ...shared,
    method: 'GET',
    path: newPath,
    summary: 'The form of a new webhook',
    answers: 'page',
    refusals: keeperRefusals,
    handle: showNew,
  }),
  route({
    ...shared,
    method: 'POST',
    path: webhooksPath,
    summary: 'Create a webhook; its secret is told once',
    answers: 'action',
    page: newPath,
    body: webhookBody,
    result: z.object({ webhook: webhookResult, secret: z.string() }),
    refusals: { ...keeperRefusals, 409: 'There are as many as there may be' },
    handle: create,
  }),
  ...webhookDetailRoutes,
  ...webhookSecretRoutes,
];

async function showList({ context, services, session }: Asked<'member'>): Promise<Response> {
  const words = wordsFor(context, webhooksWords);
  const scope = webhookScope(session);
  const [webhooks, viewer] = await Promise.all([
    scope === null ? [] : listWebhooks(scope, services.storage.db),
    viewerOf(session, services),
  ]);
  return renderPage(context, {
    title: words.title,
    layout: { kind: 'signed-in', viewer },
    islands: ['table'],
    content: (
      <>
        <SettingsHead current="webhooks" />
        <div class="settings">
          <section class="section" aria-labelledby="webhooks-title">
            <div class="section-head">
              <h2 id="webhooks-title">{words.title}</h2>
              {scope === null || webhooks.length >= mostWebhooks ? null : (
                <LinkButton href={newPath} look="primary">
                  <Icon name="plus" />
                  {words.add}
                </LinkButton>
              )}
            </div>
            <WebhookList scope={scope} webhooks={webhooks} />
          </section>
        </div>
      </>
    ),
  });
}

interface WebhookListProps {
  readonly scope: WebhookScope | null;
  readonly webhooks: readonly Webhook[];
}

function WebhookList({ scope, webhooks }: WebhookListProps) {
  const words = useWords(webhooksWords);
  const { figures } = useSpeech();
  if (scope === null) return <Empty icon="webhook" title={words.notYours} />;
  return (
    <>
      <p class="quiet">{scope.whose === 'person' ? words.about : words.aboutOrganisation}</p>
      {webhooks.length < mostWebhooks ? null : <p class="quiet">{words.most(figures.count(mostWebhooks))}</p>}
      <Table
        caption={words.title}
        rows={webhooks}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => webhookPath(id)}
        empty={
          <Empty icon="webhook" title={words.none}>
            {words.noneDetail}
          </Empty>
        }
        columns={[
          {
            key: 'name',
            label: words.name,
            phone: 'name',
            cell: ({ name, url }) => <TwoLines name={name} detail={new URL(url).host} />,
          },
          {
            key: 'events',
            label: words.events,
            phone: 'detail',
            cell: ({ events }) =>
              events === null ? words.allEvents : words.countEvents(figures.count(events.length)),
          },
          {
            key: 'state',
            label: words.state,
            phone: 'value',
            cell: (webhook) => <WebhookState webhook={webhook} />,
          },
        ]}
      />
    </>
  );
}

async function showNew({ context, services, session }: Asked<'member'>): Promise<Response> {
  requireWebhookScope(session);
  const words = wordsFor(context, webhooksWords);
  const form = formOf(takeForms(context), webhooksPath);
  const values = { name: '', url: '', format: 'standard', events: null, enabled: true };
  return renderPage(context, {
    title: words.add,
    layout: {
      kind: 'signed-in',
      viewer: await viewerOf(session, services),
      trail: trailOf(words),
    },
    islands: ['form'],
    content: (
      <>
        <div class="page-head">
          <h1>{words.add}</h1>
        </div>
        <WebhookForm to={webhooksPath} values={values} form={form} action={words.create} seen={null} />
      </>
    ),
  });
}

async function create({
  context,
  services,
  session,
  body,
}: Asked<'member', { body: typeof webhookBody }>): Promise<Response> {
  const scope = requireWebhookScope(session);
  const { envelope, clock, webhookNetwork: network } = services;
  const checked = await inReadersWords(context, () => checkWebhook(fieldsOf(body), { clock, network }));
  const fields = { ...checked, createdBy: session.user.id };
  const { webhook, secret } = await transact(services, (work) =>
    createWebhook(scope, work, { envelope }, fields),
  );
  if (wantsPage(context.req.raw)) {
    await keepSecret(context, services, { webhookId: webhook.id, userId: session.user.id, secret });
  }
  return done(context, {
    to: `${webhookPath(webhook.id)}/secret`,
    message: wordsFor(context, webhooksWords).created,
    result: { webhook: tellWebhook(webhook), secret },
  });
}
