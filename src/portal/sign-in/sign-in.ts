/** `/sign-in/{secret}` and `/logout`: where a session begins and ends. */
import type { Context } from 'hono';
import { signOut as endSignIn, findTokenHolder, signInByLink } from '../../identity/index.ts';
import { publicAddress } from '../address.ts';
import type { PortalServices } from '../services.ts';
import { clearSessionCookie, readSessionToken, writeSessionCookie } from '../session-cookie.ts';
import { showNotice } from '../ui/notice.tsx';

/** Opening a link changes nothing: mail programs and chats open every link that they see, to look for harm. */
export async function showSignIn(
  context: Context,
  secret: string,
  services: PortalServices,
): Promise<Response> {
  const { storage, clock } = services;
  const holder = await findTokenHolder(storage.db, 'sign_in', { secret, nowMs: clock.nowMs() });
  if (holder === undefined) return refuseLink(context);
  return showNotice(context, 200, {
    title: 'Sign in to Sluice',
    paragraphs: [
      `You will be ${holder.user.email} in this browser.`,
      'The link works once. If it was not meant for you, close this page.',
    ],
    action: { post: context.req.path, label: 'Sign in' },
  });
}

export async function signIn(context: Context, secret: string, services: PortalServices): Promise<Response> {
  // Somebody else's page must not sign its visitor in as whom it likes.
  if (comesFromElsewhere(context, services)) return showSignIn(context, secret, services);
  const start = {
    method: 'link',
    userAgent: context.req.header('user-agent') ?? null,
    address: null,
    host: null,
    replacedToken: readSessionToken(context, services),
  };
  const admission = await signInByLink(services, { secret, start });
  // Nobody can have set up a second factor yet: there is no page that does.
  if (admission?.outcome !== 'session') return refuseLink(context);
  writeSessionCookie(context, services, admission.session);
  return context.redirect('/dashboard', 303);
}

/** Typed, kept as a bookmark or followed here it signs out; a link on another site's page only asks. */
export function openSignOut(context: Context, services: PortalServices): Response | Promise<Response> {
  return isOfAnotherSite(context) ? askSignOut(context) : endSession(context, services);
}

export function signOut(context: Context, services: PortalServices): Response | Promise<Response> {
  return comesFromElsewhere(context, services) ? askSignOut(context) : endSession(context, services);
}

async function endSession(context: Context, services: PortalServices): Promise<Response> {
  const token = readSessionToken(context, services);
  if (token !== undefined) await endSignIn(services, token);
  clearSessionCookie(context, services);
  return context.redirect('/', 303);
}

function askSignOut(context: Context): Response | Promise<Response> {
  return showNotice(context, 200, {
    title: 'Sign out?',
    paragraphs: [
      'You came from another site. Nothing has changed yet: sign out, or close this page to stay.',
    ],
    action: { post: '/logout', label: 'Sign out' },
  });
}

function refuseLink(context: Context): Response | Promise<Response> {
  return showNotice(context, 410, {
    title: 'This sign-in link does not work any more',
    paragraphs: [
      'A link signs in once, within an hour of being made. This one was used, is too old, or was not copied whole. If this browser used it, you are signed in.',
      'Whoever runs this server makes another with:',
    ],
    command: ['npx sluice users sign-in-link --owner <e-mail>'],
    action: { href: '/dashboard', label: 'Open the dashboard' },
  });
}

/** Followed from another site's page, or fetched ahead by a browser that guesses where its reader goes next. */
function isOfAnotherSite({ req }: Context): boolean {
  const site = req.header('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  return req.header('sec-purpose') !== undefined || req.header('purpose') === 'prefetch';
}

/**
 * For requests that change something. Browsers name the site on https and on this machine alone; elsewhere the origin
 * has to say it. It is `null` for our own pages, which give away no referrer; a cookie that such a request from
 * elsewhere would need is held back by the browser, since it is SameSite.
 */
function comesFromElsewhere(context: Context, services: PortalServices): boolean {
  const site = context.req.header('sec-fetch-site');
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const origin = context.req.header('origin');
  if (origin === undefined || origin === 'null') return false;
  const host = URL.parse(origin)?.host;
  return host !== URL.parse(publicAddress(context, services))?.host && host !== context.req.header('host');
}
