/** GET /dashboard: a person's balance, keys, requests and models. Everything is read by who is signed in. */
import type { Context } from 'hono';
import { onlyOf } from '../../base/scope.ts';
import type { Model } from '../../catalogue/index.ts';
import { listKeys, type User } from '../../identity/index.ts';
import { readUsage } from '../../usage/index.ts';
import { dashboardWords } from '../languages/dashboard/index.ts';
import { noticesWords } from '../languages/notices/index.ts';
import type { PortalServices } from '../services.ts';
import { findSignedIn } from '../session-cookie.ts';
import { renderPage } from '../ui/document.tsx';
import { showNotice } from '../ui/notice.tsx';
import { visitOf, wordsFor } from '../visit.ts';
import { Overview } from './dashboard.view.tsx';

const shownRequests = 20;

export async function showDashboard(context: Context, services: PortalServices): Promise<Response> {
  const user = await findSignedIn(context, services);
  if (user === undefined) return context.redirect('/?sign-in=needed', 303);
  if (user.status !== 'active') return closeDoor(context, user.status);
  const { storage, wallets, clock } = services;
  const [availableNanoUsd, keys, requests] = await Promise.all([
    wallets.available(user.id),
    listKeys(onlyOf(user.id), storage.db),
    readUsage(onlyOf(user.id), storage.db, { limit: shownRequests }),
  ]);
  return renderPage(context, {
    title: wordsFor(context, dashboardWords).title,
    layout: {
      kind: 'signed-in',
      viewer: {
        email: user.email,
        organisation: null,
        balance: user.billingExempt ? null : { nanoUsd: availableNanoUsd, daysLeft: null },
        administers: false,
      },
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

function closeDoor(context: Context, status: Exclude<User['status'], 'active'>): Promise<Response> {
  const words = wordsFor(context, noticesWords);
  return showNotice(context, 403, { ...words[status], action: { post: '/logout', label: words.signOut } });
}
