/** GET /dashboard/models: the models that somebody may use, to search, filter, sort and compare; all of it is in the address. */
import { z } from 'zod';
import { onlyOf } from '../../../base/scope.ts';
import { capabilities, type Model, modelTypes } from '../../../catalogue/index.ts';
import { type ApiKey, findKey, listLatestKeys } from '../../../identity/index.ts';
import { modelsWords } from '../../languages/models/index.ts';
import { namedModels } from '../../model-list/list-parts.tsx';
import { findPayment } from '../../payment.ts';
import { type Asked, type Route, route } from '../../route.ts';
import type { PortalServices } from '../../services.ts';
import { renderPage } from '../../ui/document.tsx';
import { viewerOf } from '../../viewer.ts';
import { wordsFor } from '../../visit.ts';
import { keyTerms } from '../keys/key-terms.ts';
import { usableModels } from '../usable-models.ts';
import { chooseAmong, contextSteps, priceSteps, readChoice } from './model-choice.ts';
import { modelDetailRoutes } from './model-detail.tsx';
import { healthOfModels } from './model-health.ts';
import { ModelList } from './models.view.tsx';
import { tryModelRoutes } from './try-model.tsx';

const pageSize = 100;
const field = z.string().max(200).optional();
const listQuery = z.object({
  q: field.describe('Words that the name, the maker or an alias has'),
  type: field.describe(modelTypes.join(', ')),
  capability: field.describe(capabilities.join(', ')),
  provider: field.describe('The name of a provider'),
  price: field.describe(`Dollars for a million tokens of input at most: ${priceSteps.join(', ')}`),
  context: field.describe(`Tokens of context at least: ${contextSteps.join(', ')}`),
  key: field.describe('The id of a key of one’s own: what it may ask for'),
  sort: field.describe('model, context, input, output, first, speed or answered; downwards with a hyphen'),
  page: field.describe('From 1'),
  compare: field.describe('A model to compare; up to four times'),
});

export const modelsRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/dashboard/models',
    summary: 'The models that somebody may use: prices, abilities, providers, and how they did lately',
    tag: 'Dashboard',
    access: 'member',
    answers: 'page',
    query: listQuery,
    handle: showModels,
  }),
  ...modelDetailRoutes,
  ...tryModelRoutes,
];

async function showModels(asked: Asked<'member', { query: typeof listQuery }>): Promise<Response> {
  const { context, services, session, query } = asked;
  const paying = findPayment(session.user, services);
  const [viewer, payment, health, keys] = await Promise.all([
    viewerOf(session, services, paying),
    paying,
    healthOfModels(services),
    readKeys(session.user.id, query.key, services),
  ]);
  const usable = usableModels(payment, services.catalogue.current());
  const providers = namesOfProviders(usable);
  const choice = readChoice(query, { providers, keys });
  const compared = namedModels(context.req.queries('compare') ?? [], usable);
  const { pathname, search } = new URL(context.req.url);
  const page = Math.max(1, Number.parseInt(query.page ?? '1', 10) || 1);
  const terms = choice.key === null ? null : await keyTerms(services, choice.key);
  const chosen = chooseAmong(usable, choice, { health, terms });
  return renderPage(context, {
    title: wordsFor(context, modelsWords).title,
    layout: { kind: 'signed-in', viewer },
    islands: ['compare'],
    content: (
      <ModelList
        {...{ chosen, choice, compared, health, providers, keys, page, pageSize }}
        total={usable.length}
        here={`${pathname}${search}`}
      />
    ),
  });
}

const shownKeys = 50;

/** Those that were used last, and the one that is asked for. */
async function readKeys(
  userId: number,
  asked: string | undefined,
  { storage: { db } }: PortalServices,
): Promise<readonly ApiKey[]> {
  const keys = await listLatestKeys(onlyOf(userId), db, shownKeys);
  const isListed = keys.some(({ id }) => String(id) === asked);
  const other =
    !isListed && /^\d{1,15}$/.test(asked ?? '') ? await findKey(onlyOf(userId), db, Number(asked)) : null;
  return other == null || other.revokedAt !== null ? keys : [...keys, other];
}

const namesOfProviders = (models: readonly Model[]): readonly string[] =>
  [...new Set(models.flatMap(({ deployments }) => deployments.map(({ provider }) => provider.name)))].sort();
