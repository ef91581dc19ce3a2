/** How people reach this service, as far as a page has to know. */
import type { Context } from 'hono';
import type { PortalServices } from './services.ts';

/** Without a slash at the end. The configured address wins: behind a proxy the request does not show it. */
export function publicAddress(context: Context, { publicUrl }: PortalServices): string {
  return publicUrl ?? new URL(context.req.url).origin;
}

export function isHttps(context: Context, services: PortalServices): boolean {
  return publicAddress(context, services).startsWith('https:');
}
