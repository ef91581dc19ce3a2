/** The pages of those who are signed in, and those of development. */
import { pageCases } from './pages.cases.ts';
import { pages } from './pages.ts';

pageCases(
  'every page for those signed in, and of development',
  pages.filter(({ as = 'nobody', path }) => as !== 'nobody' || String(path).startsWith('/dev/')),
);
