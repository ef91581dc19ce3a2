/** The portal: pages for people, rendered here, without scripts. */
import { type Context, Hono } from 'hono';
import { asAppError } from '../base/errors.ts';
import { showDashboard } from './dashboard/dashboard.ts';
import { headChangesNothing, notStored, securityHeaders } from './page-headers.ts';
import { showLanding } from './public/landing.view.tsx';
import type { PortalServices } from './services.ts';
import { openSignOut, showSignIn, signIn, signOut } from './sign-in/sign-in.ts';
import { assetPaths, serveAsset } from './ui/assets.tsx';
import { type Notice, showNotice } from './ui/notice.tsx';

export type { PortalServices } from './services.ts';

export function createPortal(services: PortalServices): Hono {
  const app = new Hono();
  for (const path of assetPaths) app.get(path, serveAsset);
  // Path by path, so that no other face's answers pass through here.
  for (const path of ['/', '/sign-in/:secret', '/dashboard', '/logout']) {
    app.use(path, securityHeaders, notStored);
  }
  app.get('/', (context) => showLanding(context, services));
  app.get('/sign-in/:secret', headChangesNothing, (context) =>
    showSignIn(context, context.req.param('secret'), services),
  );
  app.post('/sign-in/:secret', (context) => signIn(context, context.req.param('secret'), services));
  app.get('/dashboard', (context) => showDashboard(context, services));
  app.get('/logout', headChangesNothing, (context) => openSignOut(context, services));
  app.post('/logout', (context) => signOut(context, services));
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
      context.res = await showNotice(context, 404, {
        title: 'There is no page here',
        paragraphs: ['The address may be mistyped, or the page has moved or was never there.'],
        action: { href: '/', label: 'Go to the start' },
      });
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
  return showNotice(context, status, isAway ? databaseIsAway : somethingFailed);
}

const start = { href: '/', label: 'Go to the start' };

const databaseIsAway: Notice = {
  title: 'The database cannot be reached',
  paragraphs: [
    'Nothing is lost: what you see and own is kept there. Load this page again in a few seconds.',
    'If you run this server, its log says why, and this tries the connection:',
  ],
  command: ['npx sluice doctor'],
  action: start,
};

const somethingFailed: Notice = {
  title: 'This page could not be made',
  paragraphs: [
    'Something went wrong on our side, and the log of the server says what. Try again in a moment.',
  ],
  action: start,
};
