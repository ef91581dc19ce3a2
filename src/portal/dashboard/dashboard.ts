/** GET /dashboard: a person's balance, keys, requests and models. Everything is read by who is signed in. */
import type { Context } from 'hono';
import { onlyOf } from '../../base/scope.ts';
import type { Model } from '../../catalogue/index.ts';
import { listKeys, type User } from '../../identity/index.ts';
import { readUsage } from '../../usage/index.ts';
import { publicAddress } from '../address.ts';
import type { PortalServices } from '../services.ts';
import { findSignedIn } from '../session-cookie.ts';
import { renderPage } from '../ui/document.tsx';
import { type Notice, showNotice } from '../ui/notice.tsx';
import { dashboardView } from './dashboard.view.tsx';

const shownRequests = 20;

export async function showDashboard(context: Context, services: PortalServices): Promise<Response> {
  const user = await findSignedIn(context, services);
  if (user === undefined) return context.redirect('/?sign-in=needed', 303);
  if (user.status !== 'active') return showNotice(context, 403, closedDoor[user.status]);
  const { storage, wallets, clock } = services;
  const [availableNanoUsd, keys, requests] = await Promise.all([
    wallets.available(user.id),
    listKeys(onlyOf(user.id), storage.db),
    readUsage(onlyOf(user.id), storage.db, { limit: shownRequests }),
  ]);
  return renderPage(context, {
    title: 'Overview',
    signedInAs: user.email,
    content: dashboardView({
      user,
      availableNanoUsd,
      keys,
      requests,
      models: usableModels(user, services),
      address: publicAddress(context, services),
      nowMs: clock.nowMs(),
    }),
  });
}

/** What has no price is refused to those who pay. */
function usableModels(user: User, { catalogue }: PortalServices): readonly Model[] {
  return catalogue.current().models.filter(({ prices }) => prices !== null || user.billingExempt);
}

const signOut = { post: '/logout', label: 'Sign out' };

const closedDoor: Readonly<Record<Exclude<User['status'], 'active'>, Notice>> = {
  unverified: {
    title: 'Your e-mail address is not verified yet',
    paragraphs: ['Your API keys work once it is. Follow the link in the mail, or ask your administrator.'],
    action: signOut,
  },
  suspended: {
    title: 'Your account is suspended',
    paragraphs: ['Your API keys are refused meanwhile, and nothing is deleted. Ask your administrator why.'],
    action: signOut,
  },
  archived: {
    title: 'Your account is closed',
    paragraphs: ['Your API keys are revoked. Ask your administrator if you need the account again.'],
    action: signOut,
  },
};
