/** GET /sign-in/{secret} and GET /logout: where a session begins and ends. */
import type { Context } from 'hono';
import { signOut as endSignIn, signInByLink } from '../../identity/index.ts';
import type { PortalServices } from '../services.ts';
import { clearSessionCookie, readSessionToken, writeSessionCookie } from '../session-cookie.ts';
import { showNotice } from '../ui/notice.tsx';

export async function signIn(context: Context, secret: string, services: PortalServices): Promise<Response> {
  const replacedToken = readSessionToken(context, services);
  const session = await signInByLink(services, { secret, replacedToken });
  if (session === undefined) return refuseLink(context);
  writeSessionCookie(context, services, session);
  return context.redirect('/dashboard', 303);
}

export async function signOut(context: Context, services: PortalServices): Promise<Response> {
  const token = readSessionToken(context, services);
  if (token !== undefined) await endSignIn(services, token);
  clearSessionCookie(context, services);
  return context.redirect('/', 303);
}

function refuseLink(context: Context): Response | Promise<Response> {
  return showNotice(context, 410, {
    title: 'This sign-in link does not work any more',
    paragraphs: [
      'A link signs in once, within an hour of being made. This one was used, is too old, or was not copied whole. If this browser used it, you are signed in.',
      'To get another, run npx sluice users sign-in-link --owner followed by your e-mail address, where the server runs.',
    ],
    action: { href: '/dashboard', label: 'Open the dashboard' },
  });
}
