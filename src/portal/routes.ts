/** Every route of the portal. What has no row here is not mounted. */
import { dashboardRoutes } from './dashboard/dashboard.tsx';
import { mailRoutes } from './dev/mails.tsx';
import { showcaseRoutes } from './dev/showcase.tsx';
import { legalRoutes } from './legal/legal.tsx';
import { descriptionRoutes } from './openapi.ts';
import { preferencesRoutes } from './preferences.ts';
import { landingRoutes } from './public/landing.view.tsx';
import type { Route } from './route.ts';
import { signInRoutes } from './sign-in/sign-in.ts';
import { standingRoutes } from './sign-in/standing.ts';

export const portalRoutes: readonly Route[] = [
  ...landingRoutes,
  ...legalRoutes,
  ...standingRoutes,
  ...signInRoutes,
  ...preferencesRoutes,
  ...dashboardRoutes,
  ...descriptionRoutes(() => portalRoutes),
];

/** What only developers of this program need, on top. */
export const developmentRoutes: readonly Route[] = [...showcaseRoutes, ...mailRoutes];
