/** The way back from an identity provider: whoever returns is signed in, gets an account, or has theirs linked. */
import type { Context } from 'hono';
import { z } from 'zod';
import { networkOf } from '../../base/client-address.ts';
import { AppError } from '../../base/errors.ts';
import { onlyOf } from '../../base/scope.ts';
import type { IdentityProvider } from '../../configuration/index.ts';
import {
  type Admission,
  type Arrived,
  admit,
  arriveByProvider,
  findOrganisationIdBySlug,
  issueToken,
  linkIdentity,
  type OneTimeToken,
  type ProviderIdentity,
  type Session,
  take,
  transact,
} from '../../identity/index.ts';
import { publicAddress } from '../address.ts';
import { clientAddress, sessionStart } from '../client-facts.ts';
import { providersWords } from '../languages/providers/index.ts';
import { lookLikePortal } from '../portals.ts';
import { type Asked, type Route, route } from '../route.ts';
import type { PortalServices } from '../services.ts';
import { leaveMessage } from '../ui/toast.tsx';
import { visitOf, wordsFor } from '../visit.ts';
import { redirectAdmitted } from './admitted.ts';
import { identityFrom } from './identity-provider.ts';
import { giveToMember } from './new-member.ts';
import {
  dropTerms,
  type Flow,
  type Intent,
  newIntent,
  readTerms,
  sealIntent,
  takeFlow,
} from './provider-flow.ts';
import { ProviderError } from './provider-http.ts';
import { refuseArrival, refuseFailure, showTerms } from './provider-refusals.tsx';
import { requireProvider, returnAddress } from './provider-start.ts';

const overview = '/dashboard';
const params = z.object({ idp: z.string().max(40) });
const text = z.string().max(4000);
const callbackQuery = z.object({
  code: text.default(''),
  state: text.optional(),
  error: text.optional(),
  error_description: text.optional(),
  iss: text.optional(),
});

export const providerReturnRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/oauth/{idp}/login/callback/',
    summary: 'The way back from an identity provider',
    tag: 'Signing in',
    access: 'anyone',
    answers: 'redirect',
    changes: true,
    params,
    query: callbackQuery,
    refusals: {
      403: 'Denied at the provider, or an address that is not verified or is another provider’s',
      409: 'An account with the address cannot be linked by itself',
      410: 'The answer belongs to no sign-in of this browser, or is used or over',
      503: 'The provider cannot be reached',
    },
    handle: comeBack,
  }),
];

async function comeBack({
  context,
  services,
  session,
  params: { idp },
  query,
}: Asked<'anyone', { params: typeof params; query: typeof callbackQuery }>): Promise<Response> {
  const provider = requireProvider(services, idp);
  const flow = await takeFlow(context, services, idp);
  if (flow === undefined || query.state !== flow.state) {
    return refuseArrival(context, provider, 'stale', {
      next: flow?.intent.next ?? overview,
      at: lookLikePortal(context, services, flow?.intent.portal?.host),
    });
  }
  const { intent } = flow;
  const at = lookLikePortal(context, services, intent.portal?.host);
  try {
    await take(services, 'sign-in from address', networkOf(clientAddress(context, services)));
    // The cookie is gone from this browser; whoever kept a copy of it comes too late as well.
    await takeOnce(services, flow);
    const identity = await identityFrom(services, provider, {
      ...flow,
      redirectUri: returnAddress(context, services, provider),
      answer: new URL(context.req.url).searchParams,
    });
    if (intent.linkTo !== null) return await link({ context, services, session, intent, identity });
    return await arrive({ context, services, provider, intent, at, identity });
  } catch (thrown) {
    return refuseFailure(context, services, { provider, next: intent.next, at, thrown });
  }
}

/** @throws ProviderError `stale` the second time. */
async function takeOnce(services: PortalServices, { state }: Flow): Promise<void> {
  try {
    await take(services, 'answer of provider', state);
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === 'rate_limited')
      throw new ProviderError('stale', thrown);
    throw thrown;
  }
}

interface Linking {
  readonly context: Context;
  readonly services: PortalServices;
  readonly session: Session | null;
  readonly intent: Intent;
  readonly identity: ProviderIdentity;
}

async function link({ context, services, session, intent, identity }: Linking): Promise<Response> {
  if (session === null || session.user.id !== intent.linkTo) throw new ProviderError('stale', 'signed out');
  const { linked, taken } = wordsFor(context, providersWords).settings;
  try {
    await transact(services, (work) => linkIdentity(onlyOf(session.user.id), work, identity));
    leaveMessage(context, { tone: 'good', text: linked });
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.code !== 'conflict') throw thrown;
    leaveMessage(context, { tone: 'bad', text: taken });
  }
  return context.redirect(intent.next, 303);
}

interface Arriving {
  readonly context: Context;
  readonly services: PortalServices;
  readonly provider: IdentityProvider;
  readonly intent: Intent;
  /** The address of the portal that it began at; empty on the main host. */
  readonly at: string;
  readonly identity: ProviderIdentity;
}

type Entrance =
  | { readonly admission: Admission; readonly next: string }
  | { readonly handoff: OneTimeToken; readonly host: string }
  | { readonly arrived: Extract<Arrived, { outcome: 'terms_needed' | 'refused' }> };

async function arrive(arriving: Arriving): Promise<Response> {
  const { context, services, provider, intent, identity } = arriving;
  const entrance = await transact(services, async (work): Promise<Entrance> => {
    const portal = intent.portal === null ? undefined : services.resellerHosts.find(intent.portal.host);
    const { organisation } = provider;
    const arrived = await arriveByProvider(work, {
      identity,
      acceptedVersion: intent.terms === services.legal.version ? intent.terms : readTerms(context, services),
      organisationId:
        (organisation === null ? undefined : await findOrganisationIdBySlug(work.executor, organisation)) ??
        portal?.organisationId ??
        null,
      invite: intent.invite,
      language: visitOf(context).language,
      owners: services.identityProviders,
    });
    if (!('user' in arrived)) return { arrived };
    if (arrived.outcome === 'registered' || arrived.outcome === 'joined') {
      await giveToMember(work, arrived.user);
    }
    // The page of the invitation asks those who have an account; who came by it is where it leads already.
    const next = arrived.outcome === 'joined' ? overview : intent.next;
    if (intent.portal === null) {
      const begun = sessionStart(context, services, provider.name);
      return { admission: await admit(work, arrived.user, begun), next };
    }
    // A portal that ended meanwhile has nowhere to go back to.
    if (portal === undefined) throw new ProviderError('stale', 'the portal ended');
    const detail = { ...intent.portal, method: provider.name, next };
    return { handoff: await issueToken(work, 'handoff', arrived.user.id, detail), host: portal.host };
  });
  if ('arrived' in entrance) return refuseEntrance(arriving, entrance.arrived);
  dropTerms(context, services);
  if ('admission' in entrance) {
    return redirectAdmitted(context, services, entrance.admission, entrance.next);
  }
  const { protocol } = new URL(publicAddress(context, services));
  const token = new URLSearchParams({ token: entrance.handoff.secret });
  return context.redirect(`${protocol}//${entrance.host}/auth/sso/complete?${token}`, 303);
}

async function refuseEntrance(
  { context, services, provider, intent, at, identity }: Arriving,
  arrived: Extract<Arrived, { outcome: 'terms_needed' | 'refused' }>,
): Promise<Response> {
  if (arrived.outcome === 'refused') {
    return refuseArrival(context, provider, arrived.because, { next: intent.next, at });
  }
  const from = await sealIntent(services, newIntent(services, intent));
  return showTerms(context, { provider, email: identity.email, from });
}
