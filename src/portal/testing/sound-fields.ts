/** A body and a query that a route takes, made of the portal's own description: for tests that go through all rows. */
import { describePortal } from '../openapi.ts';
import { readDescription } from '../reference/description.ts';
import { exampleBody } from '../reference/examples.ts';
import type { Route } from '../route.ts';
import { portalRoutes } from '../routes.ts';
import { origin } from './test-portal.ts';

const description = readDescription(describePortal(portalRoutes, origin));

/** What a description does not say of a field: of its form, or of what has to be there. */
const known: Readonly<Record<string, unknown>> = {
  url: 'https://example.com/hook',
  name: 'Ada',
  password: 'four plain words here',
  terms: 'on',
  language: 'de',
  theme: 'dark',
  revision: 1,
  email: 'ada@example.test',
  phone: '',
};

/** An empty object for a row that takes no body. */
export function soundBody(row: Route): Readonly<Record<string, unknown>> {
  if (row.body === null) return {};
  const path = row.path.replace('…}', '}');
  const operation = description.operations.find((one) => one.method === row.method && one.path === path);
  const made = operation === undefined ? {} : exampleBody(operation, description);
  const fields = typeof made === 'object' && made !== null ? { ...made } : {};
  const better = Object.entries(known).filter(([name]) => name in fields);
  return { ...fields, ...Object.fromEntries(better) };
}
