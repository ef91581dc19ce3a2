/** The pages that nobody has to sign in for, but those of development. */
import { expect, test } from 'bun:test';
import { pageCases } from './pages.cases.ts';
import { pages, routesWithoutRow } from './pages.ts';

pageCases(
  'every page for anyone',
  pages.filter(({ as = 'nobody', path }) => as === 'nobody' && !String(path).startsWith('/dev/')),
);

test('every route that answers with a page is looked at', () => {
  expect(routesWithoutRow).toEqual([]);
});
