/** The portal: pages for people, rendered here, and made livelier by small scripts. */
import { setImmediate } from 'node:timers/promises';
import { Hono } from 'hono';
import { AppError } from '../base/errors.ts';
import { compressAnswers } from './compression.ts';
import { mountRoutes } from './guard.ts';
import { notStored, securityHeaders } from './page-headers.ts';
import { beginVisit, servePortalLogo } from './portals.ts';
import { refuse } from './refusal.ts';
import { developmentRoutes, portalRoutes } from './routes.ts';
import type { PortalServices } from './services.ts';
import { assetPattern, loadAssets, serveAsset } from './ui/assets.tsx';
import { loadIcons } from './ui/icon.tsx';

export { type LegalTexts, openLegalTexts } from './legal/legal-texts.ts';
export { wantsPage } from './refusal.ts';
export type { PortalServices } from './services.ts';
export { dataExportKeeper } from './settings/data-export-keeper.ts';

/** By itself it answers every address, with 404 where nothing is; its routes can be mounted beside those of others. */
export function createPortal(services: PortalServices): Hono {
  const routes = services.isDevelopment ? [...portalRoutes, ...developmentRoutes] : portalRoutes;
  const app = mountRoutes(routes, services);
  app.get(assetPattern, (context) => servePortalLogo(context, services) ?? serveAsset(context));
  const nothing = createNothing(services);
  app.notFound((context) => nothing.fetch(context.req.raw, context.env));
  return app;
}

/**
 * Reads and makes what pages are made of, once in a process: else the first page waits for it, and does without where the
 * packages are gone by then because they are being installed anew.
 */
export async function preparePages(): Promise<void> {
  // Whoever started the server has its address first.
  await setImmediate();
  await loadAssets();
  await setImmediate();
  loadIcons();
}

/** What is said where nothing is, in the look of the host that was asked. */
function createNothing(services: PortalServices): Hono {
  const app = new Hono();
  app.use(compressAnswers, beginVisit(services), securityHeaders, notStored);
  app.all('*', (context) => {
    const error = new AppError({ code: 'not_found', public: 'There is nothing at this address.' });
    return refuse(context, error, { row: null, session: null, services });
  });
  return app;
}
