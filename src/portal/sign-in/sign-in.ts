/** `/sign-in/{secret}` and `/logout`: where a session begins and ends. */
import type { Context } from 'hono';
import { signOut as endSignIn, findTokenHolder, signInByLink } from '../../identity/index.ts';
import { publicAddress } from '../address.ts';
import { signInWords } from '../languages/sign-in/index.ts';
import type { PortalServices } from '../services.ts';
import { clearSessionCookie, readSessionToken, writeSessionCookie } from '../session-cookie.ts';
import { showNotice } from '../ui/notice.tsx';
import { visitOf, wordsFor } from '../visit.ts';

/** Opening a link changes nothing: mail programs and chats open every link that they see, to look for harm. */
export async function showSignIn(
  context: Context,
  secret: string,
  services: PortalServices,
): Promise<Response> {
  const { storage, clock } = services;
  const holder = await findTokenHolder(storage.db, 'sign_in', { secret, nowMs: clock.nowMs() });
  if (holder === undefined) return refuseLink(context);
  const words = wordsFor(context, signInWords).link;
  return showNotice(context, 200, {
    title: words.title(visitOf(context).brand.name),
    paragraphs: words.paragraphs(holder.user.email),
    action: { post: context.req.path, label: words.action },
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
  const { title, paragraphs, action } = wordsFor(context, signInWords).out;
  return showNotice(context, 200, { title, paragraphs, action: { post: '/logout', label: action } });
}

function refuseLink(context: Context): Response | Promise<Response> {
  const { title, paragraphs, action } = wordsFor(context, signInWords).refused;
  return showNotice(context, 410, {
    title,
    paragraphs,
    command: ['npx sluice users sign-in-link --owner <e-mail>'],
    action: { href: '/dashboard', label: action },
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
