/** The pages that explain the service: features, pricing, guide, security, controls, certifications. */
import type { Child } from 'hono/jsx';
import type { Article } from '../languages/article.ts';
import { catalogueWords } from '../languages/catalogue/index.ts';
import { productWords } from '../languages/product/index.ts';
import { trustWords } from '../languages/trust/index.ts';
import { addressOfModel, offeredModels } from '../model-list/choose-models.ts';
import { Price } from '../model-list/list-parts.tsx';
import { mainPrice, outputPrice } from '../model-list/prices.ts';
import type { Asked, Route } from '../route.ts';
import { renderPage } from '../ui/document.tsx';
import { useSpeech, useWords } from '../ui/speech.tsx';
import { Table } from '../ui/table.tsx';
import { wordsFor } from '../visit.ts';
import { publicLayout, publicPage } from './public-route.ts';

export const articleNames = [
  'features',
  'pricing',
  'guide',
  'security',
  'controls',
  'certifications',
] as const;
type ArticleName = (typeof articleNames)[number];

export const articleRoutes: readonly Route[] = articleNames.map((name) =>
  publicPage({
    path: `/${name}`,
    summary: `The page on ${name}`,
    handle: (asked) => showArticle(asked, name),
  }),
);

function showArticle(asked: Asked, name: ArticleName): Promise<Response> {
  const { context, session } = asked;
  const article = { ...wordsFor(context, productWords), ...wordsFor(context, trustWords) }[name];
  return renderPage(context, {
    title: article.title,
    description: article.description,
    layout: publicLayout(session),
    content: (
      <ArticlePage article={article}>{name === 'pricing' ? <LivePrices asked={asked} /> : null}</ArticlePage>
    ),
  });
}

function ArticlePage({ article, children }: { readonly article: Article; readonly children?: Child }) {
  const { title, lead, sections } = article;
  return (
    <div class="article">
      <div class="public-head">
        <h1>{title}</h1>
        <p class="lead">{lead}</p>
      </div>
      {children}
      {sections.map((section, index) => (
        <section class="article-section" aria-labelledby={`section-${index}`}>
          <h2 id={`section-${index}`}>{section.title}</h2>
          <dl>
            {section.points.map(([name, text]) => (
              <div>
                <dt>{withCode(name)}</dt>
                <dd>{withCode(text)}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}

/** What stands between backticks is code. */
const withCode = (text: string): readonly Child[] =>
  text.split('`').map((part, index) => (index % 2 === 0 ? part : <code>{part}</code>));

const mostPrices = 12;

function LivePrices({ asked }: { readonly asked: Asked }) {
  const words = useWords(catalogueWords);
  const { figures } = useSpeech();
  const writing = { words, figures };
  const models = offeredModels(asked.services.catalogue.current());
  if (models.length === 0) return null;
  return (
    <section class="section" aria-labelledby="live-prices">
      <div class="section-head">
        <h2 id="live-prices">{words.prices}</h2>
        <span class="quiet small grow">{words.priceUnits}</span>
        <a class="link small" href="/models-public">
          {words.showAll}
        </a>
      </div>
      <Table
        caption={words.prices}
        rows={models.slice(0, mostPrices)}
        keyOf={({ publicId }) => publicId}
        empty={null}
        columns={[
          {
            key: 'model',
            label: words.model,
            phone: 'name',
            cell: ({ publicId }) => (
              <a class="link" href={addressOfModel(publicId)}>
                {publicId}
              </a>
            ),
          },
          { key: 'type', label: words.type, phone: 'detail', cell: ({ type }) => words.types[type] },
          {
            key: 'input',
            label: words.input,
            isNumber: true,
            phone: 'value',
            cell: (model) => <Price price={mainPrice(model, writing)} />,
          },
          {
            key: 'output',
            label: words.output,
            isNumber: true,
            phone: 'state',
            cell: (model) => outputPrice(model, writing),
          },
        ]}
      />
    </section>
  );
}
