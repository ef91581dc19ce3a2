/** Mounts the rows of the portal, and lets in who may: no handler runs before everything that its row says holds. */
import { type Context, Hono } from 'hono';
import { AppError, asAppError } from '../base/errors.ts';
import { isFromElsewhere } from '../base/own-site.ts';
import { isAtLeast, mustAccept, type Session } from '../identity/index.ts';
import { compressAnswers } from './compression.ts';
import { notStored, securityHeaders } from './page-headers.ts';
import { beginVisit } from './portals.ts';
import { refuse } from './refusal.ts';
import type { Route } from './route.ts';
import type { PortalServices } from './services.ts';
import { findSignedIn } from './session-cookie.ts';
import { speakLanguageOf, visitOf } from './visit.ts';

/** Literals before parameters, so that `/users/invite` is never taken for a user. */
export function mountRoutes(routes: readonly Route[], services: PortalServices): Hono {
  const app = new Hono();
  const byPath = Map.groupBy(
    routes.toSorted((one, other) => (orderOf(one.path) < orderOf(other.path) ? -1 : 1)),
    ({ path }) => path,
  );
  for (const [path, rows] of byPath) {
    const pattern = patternOf(path);
    const headers = rows.find((row) => row.headers !== undefined)?.headers ?? securityHeaders;
    app.use(pattern, compressAnswers, beginVisit(services), headers, notStored);
    for (const row of rows) app.on(row.method, pattern, (context) => serve(context, row, services));
    const allowed = allowedMethods(rows);
    app.all(pattern, (context) => refuseMethod(context, allowed, services));
  }
  return app;
}

async function serve(context: Context, row: Route, services: PortalServices): Promise<Response> {
  // The router answers HEAD like GET; whoever only looks at a link must not use it up or sign anybody out.
  if (context.req.method === 'HEAD' && row.changes === true) return context.body(null, 200);
  let session: Session | null = null;
  try {
    if (row.method !== 'GET' && row.fromElsewhere !== true) requireOwnSite(context);
    session = await findSignedIn(context, services);
    if (session !== null) speakLanguageOf(context, session.user);
    requireAccess(row, session);
    await requireTerms(row, session, services);
    return await row.answer(context, services, session);
  } catch (thrown) {
    return refuse(context, asAppError(thrown), { row, session, services });
  }
}

/** A page of another site must not act for its visitor. @throws AppError `cross_site`. */
function requireOwnSite(context: Context): void {
  if (!isFromElsewhere((name) => context.req.header(name), visitOf(context).address)) return;
  throw new AppError({
    code: 'cross_site',
    public: 'This came from a page of another site, so nothing was done. Do it on a page of this one.',
  });
}

/** @throws AppError `not_signed_in`, `email_unverified`, `account_suspended`, `account_archived` or `not_allowed`. */
function requireAccess({ access }: Route, session: Session | null): void {
  if (access === 'anyone') return;
  if (session === null) {
    throw new AppError({ code: 'not_signed_in', public: 'Sign in first.' });
  }
  if (access === 'session') return;
  const { status, role } = session.user;
  if (status !== 'active') throw statusRefusal(status);
  if (isAtLeast(role, access)) return;
  throw new AppError({ code: 'not_allowed', public: 'Your role does not allow this.' });
}

/**
 * Nothing of an account is shown to who has not accepted the current terms.
 * @throws AppError `terms_not_accepted`.
 */
async function requireTerms(
  { access }: Route,
  session: Session | null,
  { storage, legal }: PortalServices,
): Promise<void> {
  if (access === 'anyone' || access === 'session' || session === null) return;
  if (!(await mustAccept(storage.db, session.user, legal.version))) return;
  throw new AppError({
    code: 'terms_not_accepted',
    public: `The terms have changed. Read and accept their version of ${legal.version} first.`,
  });
}

function statusRefusal(status: 'unverified' | 'suspended' | 'archived'): AppError {
  switch (status) {
    case 'unverified':
      return new AppError({
        code: 'email_unverified',
        public: 'Your e-mail address is not confirmed yet. Follow the link in the mail first.',
      });
    case 'suspended':
      return new AppError({ code: 'account_suspended', public: 'Your account is suspended.' });
    case 'archived':
      return new AppError({ code: 'account_archived', public: 'Your account is closed.' });
  }
}

async function refuseMethod(
  context: Context,
  allowed: readonly string[],
  services: PortalServices,
): Promise<Response> {
  context.header('allow', allowed.join(', '));
  if (context.req.method === 'OPTIONS') return context.body(null, 204);
  const error = new AppError({
    code: 'method_not_allowed',
    public: `${context.req.method.slice(0, 20)} is not possible here; use ${allowed.join(' or ')}.`,
  });
  return refuse(context, error, { row: null, session: null, services });
}

function allowedMethods(rows: readonly Route[]): readonly string[] {
  const methods = rows.map(({ method }) => method);
  return ['OPTIONS', ...(methods.includes('GET') ? ['HEAD'] : []), ...methods].toSorted();
}

/** The router's way of writing `/users/{user_id}`, and `/models/{model…}`, whose name may have slashes in it. */
function patternOf(path: string): string {
  return path.replaceAll(/\{(\w+)…\}/g, ':$1{.+}').replaceAll(/\{(\w+)\}/g, ':$1');
}

/** Compares like the path, with parameters behind every literal. */
function orderOf(path: string): string {
  return path.replaceAll(/\{\w+…?\}/g, '\uffff');
}
