/** The public site: every page that explains and sells, and what robots read of it. */
import { legalRoutes } from '../legal/legal.tsx';
import type { Route } from '../route.ts';
import { articleRoutes } from './article.tsx';
import { developerRoutes } from './developers.tsx';
import { robotRoutes } from './for-robots.ts';
import { homeRoutes } from './home.tsx';
import { liveRequestRoutes } from './live-request.tsx';
import { modelPageRoutes } from './model-page.tsx';
import { modelListRoutes } from './models.tsx';

const pages: readonly Route[] = [
  ...homeRoutes,
  ...modelListRoutes,
  ...articleRoutes,
  ...developerRoutes,
  ...legalRoutes,
];

export const publicRoutes: readonly Route[] = [
  ...pages,
  ...modelPageRoutes,
  ...liveRequestRoutes,
  ...robotRoutes([...pages.map(({ path }) => path), '/api-docs']),
];
