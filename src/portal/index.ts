/** The portal: pages for people, rendered here, and made livelier by small scripts. */
import { type Context, Hono } from 'hono';
import { asAppError } from '../base/errors.ts';
import { showDashboard } from './dashboard/dashboard.tsx';
import { leaveExample, showComponents } from './dev/showcase.tsx';
import { noticesWords } from './languages/notices/index.ts';
import { headChangesNothing, notStored, securityHeaders } from './page-headers.ts';
import { setPreferences } from './preferences.ts';
import { showLanding } from './public/landing.view.tsx';
import type { PortalServices } from './services.ts';
import { openSignOut, showSignIn, signIn, signOut } from './sign-in/sign-in.ts';
import { assetPattern, serveAsset } from './ui/assets.tsx';
import { showNotice } from './ui/notice.tsx';
import { beginVisit, wordsFor } from './visit.ts';

export type { PortalServices } from './services.ts';

export function createPortal(services: PortalServices): Hono {
  const app = new Hono();
  app.get(assetPattern, serveAsset);
  // Path by path, so that no other face's answers pass through here.
  for (const path of ['/', '/sign-in/:secret', '/dashboard', '/logout', '/preferences']) {
    app.use(path, beginVisit(services.publicUrl), securityHeaders, notStored);
  }
  app.get('/', (context) => showLanding(context));
  app.get('/sign-in/:secret', headChangesNothing, (context) =>
    showSignIn(context, context.req.param('secret'), services),
  );
  app.post('/sign-in/:secret', (context) => signIn(context, context.req.param('secret'), services));
  app.get('/dashboard', (context) => showDashboard(context, services));
  app.get('/logout', headChangesNothing, (context) => openSignOut(context, services));
  app.post('/logout', (context) => signOut(context, services));
  app.post('/preferences', setPreferences);
  if (services.isDevelopment) {
    app.use('/dev/*', beginVisit(services.publicUrl), securityHeaders, notStored);
    app.get('/dev/ui', showComponents);
    app.post('/dev/ui', leaveExample);
  }
  app.onError((thrown, context) => showFailure(thrown, context, services));
  return app;
}

/** Whether who asks is a browser that shows what comes, and not a program that reads it. */
export function wantsPage(http: Request): boolean {
  return http.headers.get('accept')?.includes('text/html') === true;
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

/** The path stays out of the log: it can be a sign-in link. */
function showFailure(thrown: Error, context: Context, { log }: PortalServices) {
  const { code, internal } = asAppError(thrown);
  const isAway = code === 'database_unavailable';
  const status = isAway ? 503 : 500;
  log.error('a page failed', {
    method: context.req.method,
    status,
    errorCode: code,
    ...(internal === undefined ? {} : { detail: internal }),
  });
  if (isAway) context.header('retry-after', '5');
  const { databaseIsAway, somethingFailed, start } = wordsFor(context, noticesWords);
  return showNotice(context, status, {
    ...(isAway ? { ...databaseIsAway, command: ['npx sluice doctor'] } : somethingFailed),
    action: { href: '/', label: start },
  });
}
