/** `/sign-in/{secret}` and `/logout`: where a session begins by a link, and where any ends. */
import type { Context } from 'hono';
import { z } from 'zod';
import { signOut as endSignIn, findTokenHolder, signInByLink } from '../../identity/index.ts';
import { sessionStart } from '../client-facts.ts';
import { signInWords } from '../languages/sign-in/index.ts';
import { type Asked, type Route, route } from '../route.ts';
import { clearSessionCookie, readSessionToken } from '../session-cookie.ts';
import { showNotice } from '../ui/notice.tsx';
import { visitOf, wordsFor } from '../visit.ts';
import { answerAdmission } from './admitted.ts';
import { orAtMain } from './at-main.ts';
import { requireOfPortal } from './portal-people.ts';
import { isToBeWelcomed, welcomePath } from './welcome.tsx';

const tag = 'Signing in';
const linkParams = z.object({ secret: z.string().max(100) });

export const signInRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/sign-in/{secret}',
    summary: 'What a sign-in link opens: whose it is, and a button',
    tag,
    access: 'anyone',
    answers: 'page',
    params: linkParams,
    refusals: { 410: 'The link is unknown, used or over' },
    handle: showSignIn,
  }),
  route({
    method: 'POST',
    path: '/sign-in/{secret}',
    summary: 'Use a sign-in link up',
    tag,
    access: 'anyone',
    answers: 'action',
    params: linkParams,
    refusals: {
      403: 'This portal is not of the account’s organisation',
      410: 'The link is unknown, used or over',
    },
    handle: signIn,
  }),
  route({
    method: 'GET',
    path: '/logout',
    summary: 'Sign out',
    tag,
    access: 'anyone',
    answers: 'redirect',
    changes: true,
    handle: openSignOut,
  }),
  route({
    method: 'POST',
    path: '/logout',
    summary: 'Sign out, from a page',
    tag,
    access: 'anyone',
    answers: 'redirect',
    handle: signOut,
  }),
];

type AskedWithLink = Asked<'anyone', { params: typeof linkParams }>;

/** Opening a link changes nothing: mail programs and chats open every link that they see, to look for harm. */
async function showSignIn({ context, services, params: { secret } }: AskedWithLink): Promise<Response> {
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

function signIn({ context, services, params: { secret } }: AskedWithLink): Promise<Response> {
  return orAtMain(context, services, `/sign-in/${encodeURIComponent(secret)}`, async () => {
    const { storage, clock } = services;
    const holder = await findTokenHolder(storage.db, 'sign_in', { secret, nowMs: clock.nowMs() });
    // Before the link is used up, so that it is still good at the main address.
    if (holder !== undefined) requireOfPortal(context, services, holder.user);
    const start = sessionStart(context, services, 'link');
    const admission = await signInByLink(services, { secret, start });
    if (admission === undefined) return refuseLink(context);
    const to = isToBeWelcomed(admission.user) ? welcomePath : '/dashboard';
    return answerAdmission(context, services, admission, { to });
  });
}

/** Typed, kept as a bookmark or followed here it signs out; a link on another site's page only asks. */
async function openSignOut(asked: Asked): Promise<Response> {
  const { context } = asked;
  if (!isOfAnotherSite(context)) return signOut(asked);
  const { title, paragraphs, action } = wordsFor(context, signInWords).out;
  return showNotice(context, 200, { title, paragraphs, action: { post: '/logout', label: action } });
}

async function signOut({ context, services }: Asked): Promise<Response> {
  const token = readSessionToken(context, services);
  if (token !== undefined) await endSignIn(services, token);
  clearSessionCookie(context, services);
  return context.redirect('/', 303);
}

function refuseLink(context: Context): Promise<Response> {
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
