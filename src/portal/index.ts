/** The portal: pages for people, rendered here, and made livelier by small scripts. */
import type { Context, Hono } from 'hono';
import { mountRoutes } from './guard.ts';
import { noticesWords } from './languages/notices/index.ts';
import { securityHeaders } from './page-headers.ts';
import { servePortalLogo } from './portals.ts';
import { developmentRoutes, portalRoutes } from './routes.ts';
import type { PortalServices } from './services.ts';
import { assetPattern, serveAsset } from './ui/assets.tsx';
import { showNotice } from './ui/notice.tsx';
import { wordsFor } from './visit.ts';

export { proxyList } from './client-facts.ts';
export { type LegalTexts, openLegalTexts } from './legal/legal-texts.ts';
export { wantsPage } from './refusal.ts';
export type { PortalServices } from './services.ts';

export function createPortal(services: PortalServices): Hono {
  const routes = services.isDevelopment ? [...portalRoutes, ...developmentRoutes] : portalRoutes;
  const app = mountRoutes(routes, services);
  app.get(assetPattern, (context) => servePortalLogo(context, services) ?? serveAsset(context));
  return app;
}

/** The answer to a browser where nothing is. */
export async function showNotFound(context: Context): Promise<Response> {
  return (
    (await securityHeaders(context, async () => {
      const { notFound, start } = wordsFor(context, noticesWords);
      context.res = await showNotice(context, 404, { ...notFound, action: { href: '/', label: start } });
    })) ?? context.res
  );
}
