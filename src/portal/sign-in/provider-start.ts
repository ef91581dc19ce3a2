/** `/auth/{idp}`: the way to an identity provider, to sign in by it or to link it. */
import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import { z } from 'zod';
import { AppError } from '../../base/errors.ts';
import type { IdentityProvider } from '../../configuration/index.ts';
import { publicAddress } from '../address.ts';
import { providersWords } from '../languages/providers/index.ts';
import { pathHere } from '../path-here.ts';
import { atPortal, isMainHost, lookLikePortal } from '../portals.ts';
import { type Asked, type Route, route } from '../route.ts';
import type { PortalServices } from '../services.ts';
import { showNotice } from '../ui/notice.tsx';
import { wordsFor } from '../visit.ts';
import { secretField } from './fields.ts';
import { authorizationAddress, newChecks } from './identity-provider.ts';
import {
  type Intent,
  newIntent,
  openIntent,
  sealIntent,
  writeFlow,
  writePortalProof,
} from './provider-flow.ts';
import { refuseArrival, refuseFailure } from './provider-refusals.tsx';

const tag = 'Signing in';
const overview = '/dashboard';
/** Longer ones would not fit into the cookie that carries them. */
const longestNext = 1000;
const params = z.object({ idp: z.string().max(40) });
const startQuery = z.object({
  next: z.string().max(4000).optional(),
  from: z.string().max(4000).optional().describe('What was begun elsewhere here, sealed'),
  invite: secretField.optional().describe('The secret of the invitation that a new account is made by'),
  pause: z.literal('1').optional().describe('A page in between, for browsers that come by a form'),
});
export const providerStartRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/auth/{idp}',
    summary: 'Start a sign-in with an identity provider',
    tag,
    access: 'anyone',
    answers: 'redirect',
    changes: true,
    params,
    query: startQuery,
    refusals: { 410: 'What was begun is over', 503: 'The provider cannot be reached' },
    handle: start,
  }),
];

const invitePath = (secret: string) => `/invite/${encodeURIComponent(secret)}`;

/** @throws AppError `validation_failed` for a name that the configuration does not know. */
export function requireProvider({ identityProviders }: PortalServices, name: string): IdentityProvider {
  const found = identityProviders.find((each) => each.name === name);
  if (found !== undefined) return found;
  throw new AppError({
    code: 'validation_failed',
    public: 'idp: is not an identity provider here',
    param: 'idp',
    fields: [{ loc: ['path', 'idp'], msg: 'is not an identity provider here', type: 'unknown' }],
  });
}

async function start({
  context,
  services,
  session,
  params: { idp },
  query,
}: Asked<'anyone', { params: typeof params; query: typeof startQuery }>): Promise<Response> {
  const provider = requireProvider(services, idp);
  if (query.pause !== undefined) return pause(context, provider);
  const { invite = null } = query;
  // Who has an account already joins by the invitation's own button: nobody is put anywhere by following a link.
  const begunAt = invite === null ? query.next?.slice(0, longestNext) : invitePath(invite);
  const next = pathHere(begunAt, overview);
  const intent =
    query.from === undefined
      ? newIntent(services, { provider: idp, next, invite })
      : await openIntent(services, idp, query.from);
  if (intent === undefined) return refuseArrival(context, provider, 'stale', { next, at: '' });
  if (!isMainHost(context, services)) return startOnMainHost(context, services, intent);
  // Whoever was meant to link it is not here any more.
  if (intent.linkTo !== null && intent.linkTo !== session?.user.id) {
    return refuseArrival(context, provider, 'stale', { next, at: '' });
  }
  const at = lookLikePortal(context, services, intent.portal?.host);
  const checks = newChecks();
  const redirectUri = returnAddress(context, services, provider);
  try {
    const address = await authorizationAddress(services, provider, { ...checks, redirectUri });
    await writeFlow(context, services, { kind: 'sign-in flow', intent, ...checks });
    return context.redirect(address, 303);
  } catch (thrown) {
    return refuseFailure(context, services, { provider, next: intent.next, at, thrown });
  }
}

/** Browsers hold a form to this site, wherever its answer leads; from a page that goes on by itself they may leave it. */
function pause(context: Context, provider: IdentityProvider): Promise<Response> {
  const here = new URL(context.req.url);
  here.searchParams.delete('pause');
  const href = `${here.pathname}${here.search}`;
  context.header('refresh', `0; url=${href}`);
  const { goingOn } = wordsFor(context, providersWords);
  return showNotice(context, 200, {
    title: goingOn.title(provider.label),
    paragraphs: [goingOn.text],
    action: { href, label: goingOn.action },
  });
}

/** Providers know one address of this service. A portal's browser keeps a proof, without which nobody comes back to it. */
async function startOnMainHost(
  context: Context,
  services: PortalServices,
  intent: Intent,
): Promise<Response> {
  const portal = atPortal(context, services);
  if (portal === undefined) throw new Error('only a portal leads to the main host');
  const address = `${publicAddress(context, services)}/auth/${intent.provider}`;
  const proof = Buffer.from(services.ids.randomBytes(32)).toString('base64url');
  writePortalProof(context, services, proof);
  const from = await sealIntent(services, {
    ...intent,
    portal: { host: portal.host, challenge: challengeOf(proof) },
  });
  return context.redirect(`${address}?${new URLSearchParams({ from })}`, 303);
}

export function challengeOf(proof: string): string {
  return createHash('sha256').update(proof).digest('base64url');
}

/** The one address that the provider knows, to the letter. */
export function returnAddress(
  context: Context,
  services: PortalServices,
  { name }: IdentityProvider,
): string {
  return `${publicAddress(context, services)}/oauth/${name}/login/callback/`;
}
