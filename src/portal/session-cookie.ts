/** The cookie that carries a session, and who is signed in by it. */
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import {
  findSession,
  type OneTimeToken,
  type Session,
  type StartedSession,
  sessionCookieName,
} from '../identity/index.ts';
import { isHttps } from './address.ts';
import type { PortalServices } from './services.ts';

declare module 'hono' {
  interface ContextVariableMap {
    /** What the browser is to keep of who signed in with it, sealed; set where a session starts. */
    knownBrowser?: string;
  }
}

export const secondFactorCookie = 'sluice-second-factor';
export const knownBrowserCookie = 'sluice-known';
const knownForSeconds = 365 * 24 * 3600;

export function readSessionToken(context: Context, services: PortalServices): string | undefined {
  return getCookie(context, cookieName(context, services));
}

export function writeSessionCookie(
  context: Context,
  services: PortalServices,
  session: StartedSession,
): void {
  const remainingMs = session.expiresAt.getTime() - services.clock.nowMs();
  setCookie(context, cookieName(context, services), session.token, {
    ...cookieOptions(context, services),
    maxAge: Math.floor(remainingMs / 1000),
  });
  const known = context.get('knownBrowser');
  if (known === undefined) return;
  setCookie(context, knownBrowserCookie, known, {
    ...cookieOptions(context, services),
    maxAge: knownForSeconds,
  });
}

export function clearSessionCookie(context: Context, services: PortalServices): void {
  deleteCookie(context, cookieName(context, services), cookieOptions(context, services));
}

/** Stands for a person between their first factor and their second; their browser alone sends it, and only to where it is asked for. */
export function writeSecondFactorCookie(
  context: Context,
  services: PortalServices,
  { secret, expiresAt }: OneTimeToken,
): void {
  setCookie(context, secondFactorCookie, secret, {
    ...cookieOptions(context, services),
    path: '/login',
    maxAge: Math.floor((expiresAt.getTime() - services.clock.nowMs()) / 1000),
  });
}

/** The session of whoever is signed in, whatever their status. The cookie moves on with it. */
export async function findSignedIn(context: Context, services: PortalServices): Promise<Session | null> {
  const token = readSessionToken(context, services);
  if (token === undefined) return null;
  const session = await findSession(services, token);
  if (session === undefined) {
    clearSessionCookie(context, services);
    return null;
  }
  if (session.isExtended) writeSessionCookie(context, services, { token, expiresAt: session.expiresAt });
  return session;
}

function cookieName(context: Context, services: PortalServices): string {
  return sessionCookieName(isHttps(context, services));
}

/** Lax: an identity provider's page leads back here, which counts as another site's link. */
export function cookieOptions(context: Context, services: PortalServices) {
  return { httpOnly: true, sameSite: 'Lax', path: '/', secure: isHttps(context, services) } as const;
}
