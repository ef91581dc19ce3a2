/** GET /dashboard/models/{model}: one model with its prices, its providers and how they did, and a request to copy. */
import { z } from 'zod';
import { onlyOf } from '../../../base/scope.ts';
import type { Model } from '../../../catalogue/index.ts';
import { readUsageReport } from '../../../usage/index.ts';
import { catalogueWords } from '../../languages/catalogue/index.ts';
import { modelsWords } from '../../languages/models/index.ts';
import { abilitiesOf } from '../../model-list/choose-models.ts';
import { type PriceLine, priceLines } from '../../model-list/prices.ts';
import { findPayment, type Payment } from '../../payment.ts';
import { samplesOf } from '../../public/samples.ts';
import { type Asked, type Route, route } from '../../route.ts';
import { Facts } from '../../ui/callout.tsx';
import { CodeSamples } from '../../ui/code.tsx';
import { renderPage } from '../../ui/document.tsx';
import { wayTo } from '../../ui/navigation.ts';
import { useSpeech, useWords } from '../../ui/speech.tsx';
import { Tag } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import { viewerOf } from '../../viewer.ts';
import { visitOf, wordsFor } from '../../visit.ts';
import { usableModels } from '../usable-models.ts';
import { addressOfOwnModel } from './address.ts';
import { type HealthByName, healthOfProviders } from './model-health.ts';
import { useHealthWriting } from './model-table.view.tsx';
import { TryModel } from './try-model.tsx';

const modelParams = z.object({ model: z.string().max(200) });
const dayMs = 86_400_000;

export const modelDetailRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/dashboard/models/{model…}',
    summary: 'A model that somebody may use; one that is not there leads to a search for it',
    tag: 'Dashboard',
    access: 'member',
    answers: 'page',
    params: modelParams,
    handle: showModel,
  }),
];

async function showModel(asked: Asked<'member', { params: typeof modelParams }>): Promise<Response> {
  const { context, services, session, params } = asked;
  const paying = findPayment(session.user, services);
  const usable = usableModels(await paying, services.catalogue.current());
  const named = (model: Model) => model.publicId === params.model || model.aliases.includes(params.model);
  const model = usable.find(named);
  if (model === undefined) {
    return context.redirect(`/dashboard/models?${new URLSearchParams({ q: params.model })}`, 302);
  }
  if (model.publicId !== params.model) return context.redirect(addressOfOwnModel(model.publicId), 302);
  const nowMs = services.clock.nowMs();
  const [viewer, health, own] = await Promise.all([
    viewerOf(session, services, paying),
    healthOfProviders(services, model.publicId),
    readUsageReport(onlyOf(session.user.id), services.storage.db, {
      ...{ from: new Date(nowMs - 30 * dayMs), to: new Date(nowMs + 1) },
      where: { model: model.publicId },
    }),
  ]);
  const { title } = wordsFor(context, modelsWords);
  const sums = own.rows[0];
  return renderPage(context, {
    title: model.publicId,
    layout: { kind: 'signed-in', viewer, trail: [{ href: '/dashboard/models', label: title }] },
    islands: ['try-model'],
    content: (
      <OneModel
        model={model}
        payment={services.trial === null ? null : await paying}
        health={health}
        own={{ requests: sums?.requests ?? 0, costNanoUsd: sums?.costNanoUsd ?? 0n }}
        address={visitOf(context).address}
      />
    ),
  });
}

interface OneModelProps {
  readonly model: Model;
  /** Null where no model can be tried from here. */
  readonly payment: Payment | null;
  /** By the names of providers. */
  readonly health: HealthByName;
  /** Of whoever looks, in thirty days. */
  readonly own: { readonly requests: number; readonly costNanoUsd: bigint };
  readonly address: string;
}

function OneModel({ model, payment, health, own, address }: OneModelProps) {
  const words = useWords(modelsWords);
  const catalogue = useWords(catalogueWords);
  const { figures } = useSpeech();
  const { publicId, ownedBy, type, contextWindow, maxOutputTokens, aliases } = model;
  const [variants, usual] = partition(priceLines(model, { words: catalogue, figures }));
  const tokens = (number: number) => catalogue.tokens(figures.count(number));
  const facts = [
    { name: catalogue.owner, value: ownedBy },
    { name: catalogue.type, value: catalogue.types[type] },
    ...(contextWindow === null ? [] : [{ name: catalogue.context, value: tokens(contextWindow) }]),
    ...mainPrices(model, { words: catalogue, figures }),
    ...(maxOutputTokens === null ? [] : [{ name: catalogue.longestAnswer, value: tokens(maxOutputTokens) }]),
    ...(aliases.length === 0 ? [] : [{ name: catalogue.aliases, value: aliases.join(', ') }]),
    {
      name: words.ownUse,
      value: (
        <a class="link" href={wayTo('requests', { range: 'month', model: publicId })}>
          {words.ownUsed(own.requests, figures.cost(own.costNanoUsd))}
        </a>
      ),
    },
  ];
  return (
    <>
      <div class="page-head">
        <h1 class="whole">{publicId}</h1>
        {abilitiesOf(model).map((each) => (
          <Tag>{catalogue.capabilities[each]}</Tag>
        ))}
      </div>
      <Facts items={facts} />
      {payment === null || type !== 'chat' ? null : <TryModel model={model} payment={payment} />}
      <section class="section" aria-labelledby="providers">
        <h2 id="providers">{catalogue.providers}</h2>
        <Providers model={model} health={health} />
        <p class="quiet small">{`${catalogue.providersDetail} ${words.measured}`}</p>
      </section>
      <section class="section" aria-labelledby="request">
        <h2 id="request">{catalogue.request}</h2>
        <CodeSamples id="model" samples={samplesOf(model, address)} />
        <p class="quiet small">{catalogue.requestDetail(<code>SLUICE_TOKEN</code>)}</p>
      </section>
      <section class="section model-prices" aria-labelledby="prices">
        <h2 id="prices">{catalogue.prices}</h2>
        <PriceTable lines={usual} />
        <p class="quiet small">{catalogue.pricesDetail}</p>
        {variants.length === 0 ? null : (
          <details>
            <summary>{catalogue.variantPrices(variants.length)}</summary>
            <PriceTable lines={variants} />
          </details>
        )}
      </section>
    </>
  );
}

function PriceTable({ lines }: { readonly lines: readonly PriceLine[] }) {
  const words = useWords(modelsWords);
  const catalogue = useWords(catalogueWords);
  return (
    <Table
      caption={catalogue.prices}
      rows={lines}
      keyOf={({ meter }) => meter}
      empty={<p class="quiet">{words.noPrice}</p>}
      columns={[
        { key: 'meter', label: catalogue.what, phone: 'name', cell: ({ name }) => name },
        {
          ...{ key: 'price', label: catalogue.price, isNumber: true, phone: 'value' },
          cell: ({ price }) => price,
        },
      ]}
    />
  );
}

const partition = (lines: readonly PriceLine[]) =>
  [lines.filter(({ isVariant }) => isVariant), lines.filter(({ isVariant }) => !isVariant)] as const;

/** What a prompt and its answer cost, or the first price of another kind. */
function mainPrices(model: Model, writing: Parameters<typeof priceLines>[1]) {
  const lines = priceLines(model, writing).filter(({ isVariant }) => !isVariant);
  const main = lines.filter(({ meter }) => meter === 'input' || meter === 'output');
  return (main.length === 0 ? lines.slice(0, 1) : main).map(({ name, price }) => ({ name, value: price }));
}

function Providers({ model, health }: Pick<OneModelProps, 'model' | 'health'>) {
  const words = useWords(modelsWords);
  const catalogue = useWords(catalogueWords);
  const { figures } = useSpeech();
  const write = useHealthWriting();
  const rows = model.deployments.map((deployment, index) => ({ ...deployment, at: index + 1 }));
  return (
    <Table
      caption={catalogue.providers}
      rows={rows}
      keyOf={({ at }) => at}
      empty={null}
      columns={[
        { key: 'at', label: catalogue.order, leaves: 'next', cell: ({ at }) => figures.count(at) },
        { key: 'provider', label: catalogue.provider, phone: 'name', cell: ({ provider }) => provider.name },
        {
          key: 'region',
          label: catalogue.region,
          phone: 'detail',
          cell: ({ provider }) => provider.region ?? '–',
        },
        {
          key: 'context',
          label: catalogue.context,
          isNumber: true,
          leaves: 'next',
          cell: (deployment) => {
            const context = deployment.contextWindow ?? model.contextWindow;
            return context === null ? '–' : figures.count(context);
          },
        },
        {
          key: 'first',
          label: words.firstToken,
          isNumber: true,
          phone: 'value',
          cell: ({ provider }) => write.firstToken(health.get(provider.name)),
        },
        {
          key: 'speed',
          label: words.speed,
          isNumber: true,
          leaves: 'next',
          cell: ({ provider }) => write.speed(health.get(provider.name)),
        },
        {
          key: 'answered',
          label: words.answered,
          isNumber: true,
          phone: 'state',
          cell: ({ provider }) => write.answered(health.get(provider.name)),
        },
      ]}
    />
  );
}
