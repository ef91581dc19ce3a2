/** GET /dashboard: what was used and what it cost, what needs attention, and the newest requests, of what somebody looks at. */
import { z } from 'zod';
import { onlyOf, type Scope } from '../../base/scope.ts';
import { listLatestKeys, nameKeys, namePeople } from '../../identity/index.ts';
import { readUsage, readUsageReport } from '../../usage/index.ts';
import { dashboardWords } from '../languages/dashboard/index.ts';
import { findPayment } from '../payment.ts';
import { type Asked, type Route, route } from '../route.ts';
import type { PortalServices } from '../services.ts';
import { renderPage } from '../ui/document.tsx';
import { viewerOf } from '../viewer.ts';
import { visitOf, wordsFor } from '../visit.ts';
import { readNotices } from './attention.tsx';
import { Overview } from './dashboard.view.tsx';
import { areAllDone, areDismissed, firstStepsRoutes, readSteps } from './first-steps.tsx';
import { type PeriodDays, readHomeFacts, readPeriod, spanOf } from './home-facts.ts';
import type { Spender } from './spenders.view.tsx';
import { usableModels } from './usable-models.ts';

/** So many tell how providers do lately; the newest of them are shown. */
const readRequests = 100;
const shownRequests = 10;
const shownSpenders = 8;
/** Of whom budgets are read; the page of keys has the others. */
const readKeys = 100;

const homeQuery = z.object({
  days: z.string().max(20).optional().describe('1, 7 or 30; 30 when it is none of them'),
});

export const dashboardRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/dashboard',
    summary: 'The overview: spend, requests, errors and latency, the balance, and what needs attention',
    tag: 'Dashboard',
    access: 'member',
    answers: 'page',
    query: homeQuery,
    handle: showDashboard,
  }),
  ...firstStepsRoutes,
];

async function showDashboard(asked: Asked<'member', { query: typeof homeQuery }>): Promise<Response> {
  const { context, services, session, scope, query } = asked;
  const { user } = session;
  const { db } = services.storage;
  const nowMs = services.clock.nowMs();
  const days = readPeriod(query.days);
  const paying = findPayment(user, services);
  const [viewer, payment, keys, requests, facts, spenders] = await Promise.all([
    viewerOf(session, services, paying),
    paying,
    listLatestKeys(onlyOf(user.id), db, readKeys),
    readUsage(scope, db, { limit: readRequests }),
    readHomeFacts(scope, db, { days, nowMs }),
    scope.whose === 'person' ? null : readSpenders(scope, services, { days, nowMs }),
  ]);
  const shown = requests.slice(0, shownRequests);
  const [notices, steps, keyNames] = await Promise.all([
    readNotices({ session, scope, services, payment, keys, requests, organisation: viewer.organisation }),
    areDismissed(context, user) || scope.whose !== 'person' ? null : readSteps(user, payment, services),
    nameKeys(
      scope,
      db,
      shown.map(({ keyId }) => keyId),
    ),
  ]);
  const openSteps = steps === null || areAllDone(steps) ? null : steps;
  return renderPage(context, {
    title: wordsFor(context, dashboardWords).title,
    layout: { kind: 'signed-in', viewer },
    islands: ['table', 'chart', ...(openSteps === null ? [] : (['first-steps'] as const))],
    content: (
      <Overview
        {...{ user, scope, days, facts, notices, payment, nowMs, spenders, keyNames, keys }}
        isNarrow={viewer.administration === 'off'}
        steps={openSteps}
        requests={shown}
        models={usableModels(payment, services.catalogue.current())}
        address={visitOf(context).address}
      />
    ),
  });
}

async function readSpenders(
  scope: Scope,
  { storage: { db } }: PortalServices,
  { days, nowMs }: { readonly days: PeriodDays; readonly nowMs: number },
): Promise<readonly Spender[]> {
  const { rows } = await readUsageReport(scope, db, {
    ...spanOf(days, nowMs),
    ...{ by: 'user', limit: shownSpenders },
  });
  const ids = rows.map(({ group }) => Number(group));
  const names = await namePeople(scope, db, ids);
  return rows.map(({ group, requests, costNanoUsd }) => ({
    ...{ id: Number(group), email: names.get(Number(group)) ?? null, requests, costNanoUsd },
  }));
}
