/** GET /dashboard: a person's balance, keys, requests and models. Everything is read by who is signed in. */
import { onlyOf } from '../../base/scope.ts';
import type { Model } from '../../catalogue/index.ts';
import { listKeys, type User } from '../../identity/index.ts';
import { readUsage } from '../../usage/index.ts';
import { dashboardWords } from '../languages/dashboard/index.ts';
import { type Asked, type Route, route } from '../route.ts';
import type { PortalServices } from '../services.ts';
import { renderPage } from '../ui/document.tsx';
import { viewerOf } from '../viewer.ts';
import { visitOf, wordsFor } from '../visit.ts';
import { Overview } from './dashboard.view.tsx';

const shownRequests = 20;

export const dashboardRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/dashboard',
    summary: 'The overview: balance, keys, requests and models',
    tag: 'Dashboard',
    access: 'member',
    answers: 'page',
    handle: showDashboard,
  }),
];

async function showDashboard({ context, services, session }: Asked<'member'>): Promise<Response> {
  const { user } = session;
  const { storage, wallets, clock } = services;
  const [viewer, availableNanoUsd, keys, requests] = await Promise.all([
    viewerOf(session, services),
    wallets.available(user.id),
    listKeys(onlyOf(user.id), storage.db),
    readUsage(onlyOf(user.id), storage.db, { limit: shownRequests }),
  ]);
  return renderPage(context, {
    title: wordsFor(context, dashboardWords).title,
    layout: {
      kind: 'signed-in',
      viewer,
    },
    islands: ['table'],
    content: (
      <Overview
        user={user}
        availableNanoUsd={availableNanoUsd}
        keys={keys}
        requests={requests}
        models={usableModels(user, services)}
        address={visitOf(context).address}
        nowMs={clock.nowMs()}
      />
    ),
  });
}

/** What has no price is refused to those who pay. */
function usableModels(user: User, { catalogue }: PortalServices): readonly Model[] {
  return catalogue.current().models.filter(({ prices }) => prices !== null || user.billingExempt);
}
