/** The account API 2.0, under /api/2.0/: its resources, and its description. */
import { Hono } from 'hono';
import { PasswordDirectory } from '../identity/index.ts';
import { contactsResource } from './contacts-resource.ts';
import { describeResources } from './describe.ts';
import { preferencesResource } from './preferences-resource.ts';
import { serve } from './serve.ts';
import { serversResource } from './servers-resource.ts';
import type { AccountApiServices } from './services.ts';

const resources = [contactsResource, preferencesResource, serversResource];

export const accountDescription = describeResources(resources);
const described = { 'cache-control': 'public, max-age=300', 'x-content-type-options': 'nosniff' };

export function createAccountApi(services: AccountApiServices): Hono {
  const api = new Hono();
  const passwords = new PasswordDirectory(services);
  const serving = { resources, services, passwords };
  api.get('/openapi/account.json', (context) => context.json(accountDescription, 200, described));
  api.all('/api/2.0', (context) => serve(context, serving));
  api.all('/api/2.0/*', (context) => serve(context, serving));
  return api;
}
