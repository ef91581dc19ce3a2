/** The way back from an identity provider: whoever returns is signed in, gets an account, or has theirs linked. */
import type { Context } from 'hono';
import { z } from 'zod';
import { networkOf } from '../../base/client-address.ts';
import { AppError } from '../../base/errors.ts';
import { everybody, onlyOf } from '../../base/scope.ts';
import type { IdentityProvider } from '../../configuration/index.ts';
import {
  type Admission,
  type Arrived,
  admit,
  arriveByProvider,
  findOrganisation,
  findOrganisationIdBySlug,
  giveOneBack,
  linkIdentity,
  listIdentities,
  type OneTimeToken,
  type ProviderIdentity,
  type ResellerHost,
  type Session,
  take,
  transact,
} from '../../identity/index.ts';
import { clientAddress, sessionStart } from '../client-facts.ts';
import { providersWords } from '../languages/providers/index.ts';
import { lookLikePortal, mayBeHandedOff } from '../portals.ts';
import { type Asked, type Route, route } from '../route.ts';
import type { PortalServices } from '../services.ts';
import { leaveMessage } from '../ui/toast.tsx';
import { visitOf, wordsFor } from '../visit.ts';
import { redirectAdmitted } from './admitted.ts';
import { addressOfHandoff, askToGoOn, issueHandoff } from './handoff.tsx';
import { identityFrom } from './identity-provider.ts';
import { giveToNewcomer } from './new-member.ts';
import {
  type Crossing,
  dropTerms,
  type Flow,
  type Intent,
  newIntent,
  readTerms,
  sealIntent,
  takeFlow,
} from './provider-flow.ts';
import { ProviderError } from './provider-http.ts';
import { type PortalNamed, refuseArrival, refuseFailure, showTerms } from './provider-refusals.tsx';
import { requireProvider, returnAddress } from './provider-start.ts';
import { tellOfWay } from './way-mails.ts';

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
    const from = networkOf(clientAddress(context, services));
    await take(services, 'sign-in from address', from);
    // The cookie is gone from this browser; whoever kept a copy of it comes too late as well.
    await takeOnce(services, flow);
    const identity = await identityFrom(services, provider, {
      ...flow,
      redirectUri: returnAddress(context, services, provider),
      answer: new URL(context.req.url).searchParams,
    });
    // As after a right password: an office behind one address comes back from its provider all at once in the morning.
    await giveOneBack(services, 'sign-in from address', from);
    if (intent.linkTo !== null) return await link({ context, services, session, provider, intent, identity });
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
  readonly provider: IdentityProvider;
  readonly intent: Intent;
  readonly identity: ProviderIdentity;
}

async function link({ context, services, session, provider, intent, identity }: Linking): Promise<Response> {
  if (session === null || session.user.id !== intent.linkTo) throw new ProviderError('stale', 'signed out');
  const { user } = session;
  const own = onlyOf(user.id);
  const { linked, taken } = wordsFor(context, providersWords).settings;
  try {
    await transact(services, async (work) => {
      const known = await listIdentities(own, work.executor);
      await linkIdentity(own, work, identity);
      // One that was theirs already is no news.
      if (known.some((each) => each.provider === provider.name)) return;
      await tellOfWay(context, services, work, { user, change: 'provider_linked', what: provider.label });
    });
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
  /** `notAt` is the host of the portal that they came from, where they are not signed in. */
  | { readonly admission: Admission; readonly next: string; readonly notAt?: string }
  | { readonly asked: Crossing; readonly email: string }
  | { readonly token: OneTimeToken; readonly host: string }
  | { readonly arrived: Extract<Arrived, { outcome: 'terms_needed' | 'refused' }> };

async function arrive(arriving: Arriving): Promise<Response> {
  const { context, services, provider, intent, identity } = arriving;
  const portal = services.resellerHosts.find(intent.portal?.host);
  // A portal that ended meanwhile has nowhere to go back to.
  if (intent.portal !== null && portal === undefined) throw new ProviderError('stale', 'the portal ended');
  const entrance = await transact(services, async (work): Promise<Entrance> => {
    const arrived = await arriveByProvider(work, {
      identity,
      acceptedVersion: readTerms(context, services, portal?.host),
      organisationId: await organisationOf(work.executor, provider, portal),
      invite: intent.invite,
      language: visitOf(context).language,
      owners: services.identityProviders,
    });
    if (!('user' in arrived)) return { arrived };
    const { outcome, user } = arrived;
    if (outcome === 'registered' || outcome === 'joined') await giveToNewcomer(work, user);
    if (outcome === 'linked') {
      await tellOfWay(context, services, work, { user, change: 'provider_linked', what: provider.label });
    }
    // The page of the invitation asks those who have an account; who came by it is where it leads already.
    const next = outcome === 'joined' ? overview : intent.next;
    if (intent.portal === null || portal === undefined || !mayBeHandedOff(user, portal)) {
      const begun = sessionStart(context, services, provider.name);
      return {
        admission: await admit(work, user, begun),
        next,
        ...(portal !== undefined && { notAt: portal.host }),
      };
    }
    const crossing = { ...intent.portal, userId: user.id, method: provider.name, next };
    // Whoever is new read just now, with the terms, that they go on to the portal.
    return outcome === 'registered'
      ? { token: await issueHandoff(work, crossing), host: portal.host }
      : { asked: crossing, email: user.email };
  });
  if ('arrived' in entrance) return refuseEntrance(arriving, entrance.arrived);
  dropTerms(context, services);
  if ('asked' in entrance) {
    return askToGoOn(context, services, { crossing: entrance.asked, email: entrance.email });
  }
  if ('token' in entrance) return context.redirect(addressOfHandoff(context, services, entrance), 303);
  if (entrance.notAt !== undefined) {
    const { handoff } = wordsFor(context, providersWords);
    leaveMessage(context, { tone: 'bad', text: handoff.notThere(entrance.notAt) });
  }
  return redirectAdmitted(context, services, entrance.admission, entrance.next);
}

/** Where an account that is new here belongs. */
async function organisationOf(
  executor: Parameters<typeof findOrganisationIdBySlug>[0],
  { organisation }: IdentityProvider,
  portal: ResellerHost | undefined,
): Promise<number | null> {
  const own = organisation === null ? undefined : await findOrganisationIdBySlug(executor, organisation);
  return own ?? portal?.organisationId ?? null;
}

async function refuseEntrance(
  { context, services, provider, intent, at, identity }: Arriving,
  arrived: Extract<Arrived, { outcome: 'terms_needed' | 'refused' }>,
): Promise<Response> {
  if (arrived.outcome === 'refused') {
    return refuseArrival(context, provider, arrived.because, { next: intent.next, at });
  }
  const from = await sealIntent(services, newIntent(services, intent));
  const portal = await portalToName(services, provider, intent);
  return showTerms(context, { provider, email: identity.email, from, portal });
}

/** What a new account's person has to know of the portal that they came from; null where the account has nothing of it. */
async function portalToName(
  { storage, resellerHosts }: PortalServices,
  provider: IdentityProvider,
  { portal: begunAt, invite }: Intent,
): Promise<PortalNamed | null> {
  const portal = resellerHosts.find(begunAt?.host);
  if (portal === undefined || invite !== null) return null;
  const { organisationId, name, host } = portal;
  if ((await organisationOf(storage.db, provider, portal)) !== organisationId) return null;
  const organisation = await findOrganisation(everybody, storage.db, organisationId);
  return { name, host, organisation: organisation?.name ?? name };
}
