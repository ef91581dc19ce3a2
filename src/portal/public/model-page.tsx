/** GET /models-public/{model}: one model with its prices, its providers and a request to copy. */
import { z } from 'zod';
import type { Deployment, Model } from '../../catalogue/index.ts';
import { catalogueWords } from '../languages/catalogue/index.ts';
import { abilitiesOf, addressOfModel, offeredModels } from '../model-list/choose-models.ts';
import { priceLines } from '../model-list/prices.ts';
import { type Asked, type Route, route } from '../route.ts';
import { Facts } from '../ui/callout.tsx';
import { CodeSamples } from '../ui/code.tsx';
import { renderPage } from '../ui/document.tsx';
import { useSpeech, useWords } from '../ui/speech.tsx';
import { Tag } from '../ui/state.tsx';
import { Table } from '../ui/table.tsx';
import { visitOf, wordsFor } from '../visit.ts';
import { publicLayout } from './public-route.ts';
import { samplesOf } from './samples.ts';

const modelParams = z.object({ model: z.string().max(200) });

export const modelPageRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/models-public/{model…}',
    summary:
      'A model: providers, context, prices and a request; one that is not there leads to a search for it',
    tag: 'Public pages',
    access: 'anyone',
    answers: 'page',
    params: modelParams,
    handle: showModel,
  }),
];

function showModel(asked: Asked<'anyone', { params: typeof modelParams }>): Promise<Response> | Response {
  const { context, services, session, params } = asked;
  const offered = offeredModels(services.catalogue.current());
  const named = (model: Model) => model.publicId === params.model || model.aliases.includes(params.model);
  const model = offered.find(named);
  if (model === undefined) {
    return context.redirect(`/models-public?${new URLSearchParams({ q: params.model })}`, 302);
  }
  if (model.publicId !== params.model) return context.redirect(addressOfModel(model.publicId), 302);
  const { publicId, ownedBy } = model;
  const words = wordsFor(context, catalogueWords);
  return renderPage(context, {
    title: publicId,
    description: words.modelDescription(publicId, ownedBy),
    layout: publicLayout(session),
    content: <OneModel model={model} address={visitOf(context).address} />,
  });
}

function OneModel({ model, address }: { readonly model: Model; readonly address: string }) {
  const words = useWords(catalogueWords);
  const { figures } = useSpeech();
  const { publicId, ownedBy, type, contextWindow, maxOutputTokens, aliases, deployments } = model;
  const tokens = (number: number) => words.tokens(figures.count(number));
  const facts = [
    { name: words.owner, value: ownedBy },
    { name: words.type, value: words.types[type] },
    ...(contextWindow === null ? [] : [{ name: words.context, value: tokens(contextWindow) }]),
    ...(maxOutputTokens === null ? [] : [{ name: words.longestAnswer, value: tokens(maxOutputTokens) }]),
    ...(aliases.length === 0 ? [] : [{ name: words.aliases, value: aliases.join(', ') }]),
  ];
  return (
    <div class="catalogue">
      <div class="public-head">
        <a class="link small" href="/models-public">
          {words.title}
        </a>
        <h1 class="whole">{publicId}</h1>
        {abilitiesOf(model).length === 0 ? null : (
          <p class="row">
            {abilitiesOf(model).map((each) => (
              <Tag>{words.capabilities[each]}</Tag>
            ))}
          </p>
        )}
      </div>
      <Facts items={facts} />
      <div class="beside">
        <section class="section" aria-labelledby="prices">
          <h2 id="prices">{words.prices}</h2>
          <Table
            caption={words.prices}
            rows={priceLines(model, { words, figures })}
            keyOf={({ meter }) => meter}
            empty={null}
            columns={[
              { key: 'meter', label: words.what, phone: 'name', cell: ({ name }) => name },
              {
                key: 'price',
                label: words.price,
                isNumber: true,
                phone: 'value',
                cell: ({ price }) => price,
              },
            ]}
          />
          <p class="quiet small">{words.pricesDetail}</p>
        </section>
        <section class="section" aria-labelledby="request">
          <h2 id="request">{words.request}</h2>
          <CodeSamples id="model" samples={samplesOf(model, address)} />
          <p class="quiet small">{words.requestDetail(<code>SLUICE_TOKEN</code>)}</p>
        </section>
      </div>
      <section class="section" aria-labelledby="providers">
        <h2 id="providers">{words.providers}</h2>
        <Providers deployments={deployments} contextWindow={contextWindow} />
        <p class="quiet small">{words.providersDetail}</p>
      </section>
    </div>
  );
}

interface ProvidersProps {
  readonly deployments: readonly Deployment[];
  readonly contextWindow: number | null;
}

function Providers({ deployments, contextWindow }: ProvidersProps) {
  const words = useWords(catalogueWords);
  const { figures } = useSpeech();
  const rows = deployments.map((deployment, at) => ({ ...deployment, at: at + 1 }));
  return (
    <Table
      caption={words.providers}
      rows={rows}
      keyOf={({ at }) => at}
      empty={null}
      columns={[
        { key: 'at', label: words.order, phone: 'detail', cell: ({ at }) => figures.count(at) },
        { key: 'provider', label: words.provider, phone: 'name', cell: ({ provider }) => provider.name },
        {
          key: 'region',
          label: words.region,
          phone: 'value',
          cell: ({ provider }) => provider.region ?? '–',
        },
        {
          key: 'context',
          label: words.context,
          isNumber: true,
          cell: (deployment) => {
            const context = deployment.contextWindow ?? contextWindow;
            return context === null ? '–' : figures.count(context);
          },
        },
      ]}
    />
  );
}
