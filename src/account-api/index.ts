/** The account API 2.0, under /api/2.0/: its resources, and its description. */
import { Hono } from 'hono';
import type { AppError } from '../base/errors.ts';
import { PasswordDirectory } from '../identity/index.ts';
import { contactsResource } from './contacts-resource.ts';
import { describeResources } from './describe.ts';
import { ListPlaces } from './list-places.ts';
import { preferencesResource } from './preferences-resource.ts';
import { refuse } from './refuse.ts';
import { serve } from './serve.ts';
import { serversResource } from './servers-resource.ts';
import type { AccountApiServices } from './services.ts';

const resources = [contactsResource, preferencesResource, serversResource];

export const accountDescription = describeResources(resources);
const described = { 'cache-control': 'public, max-age=300', 'x-content-type-options': 'nosniff' };

/**
 * The answer to a request under this API that does not reach it: its form is the same there.
 * @returns null for one to another address.
 */
export function refuseUnreached(
  error: AppError,
  http: Request,
  { ids }: Pick<AccountApiServices, 'ids'>,
): Response | null {
  const pathname = URL.parse(http.url)?.pathname ?? '';
  return /^\/api\/2\.0(?:\/|$)/.test(pathname) ? refuse(error, ids.requestId()) : null;
}

export function createAccountApi(services: AccountApiServices): Hono {
  const api = new Hono();
  const passwords = new PasswordDirectory(services);
  const serving = { resources, services, passwords, places: new ListPlaces() };
  api.get('/openapi/account.json', (context) => context.json(accountDescription, 200, described));
  api.all('/api/2.0', (context) => serve(context, serving));
  api.all('/api/2.0/*', (context) => serve(context, serving));
  return api;
}
