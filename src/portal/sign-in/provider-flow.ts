/**
 * What a sign-in by an identity provider carries along, sealed: the intent, which travels in addresses between our own
 * pages and hosts, and the flow, which the browser that goes to the provider keeps until it is back.
 */
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { z } from 'zod';
import type { Envelope } from '../../base/envelope.ts';
import { cookieOfHost } from '../kept-form.ts';
import type { PortalServices } from '../services.ts';
import { cookieOptions } from '../session-cookie.ts';

const flowLifetimeMs = 600_000;
const flowCookie = 'sluice-provider';
const termsCookie = 'sluice-terms';
const portalCookie = 'sluice-portal';
const questionCookie = 'sluice-handoff';

const intentShape = z.object({
  kind: z.literal('sign-in intent'),
  provider: z.string(),
  /** A path of the host that it began on. */
  next: z.string(),
  /** Where it began, when that is not the main host, and what the browser there has to show in the end. */
  portal: z.object({ host: z.string(), challenge: z.string() }).nullable(),
  /** Whose account the identity is to be linked to; null to sign in. */
  linkTo: z.number().nullable(),
  /** The secret of the invitation that a new account is made by. */
  invite: z.string().nullable(),
  expiresAtMs: z.number(),
});
const flowShape = z.object({
  kind: z.literal('sign-in flow'),
  intent: intentShape,
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
});

/** Somebody who came from a provider and can be handed off to a portal's host. */
const crossingShape = z.object({
  userId: z.number(),
  host: z.string(),
  challenge: z.string(),
  /** How they signed in. */
  method: z.string(),
  /** A path of the portal's host. */
  next: z.string(),
});
const questionShape = crossingShape.extend({
  kind: z.literal('handoff question'),
  id: z.string(),
  expiresAtMs: z.number(),
});

/** What somebody is about to do. */
export type Intent = z.output<typeof intentShape>;
/** The same, on its way at the provider. */
export type Flow = z.output<typeof flowShape>;

export type Crossing = z.output<typeof crossingShape>;
/** Whether they want to be, which is asked in the browser that came back. */
type Question = z.output<typeof questionShape>;

type SealParts = Pick<PortalServices, 'clock' | 'envelope'>;

export function newIntent(
  { clock }: SealParts,
  intent: Pick<Intent, 'provider' | 'next'> & Partial<Intent>,
): Intent {
  return {
    portal: null,
    linkTo: null,
    invite: null,
    ...intent,
    kind: 'sign-in intent',
    expiresAtMs: clock.nowMs() + flowLifetimeMs,
  };
}

export const sealIntent = ({ envelope }: SealParts, intent: Intent): Promise<string> =>
  envelope.seal(JSON.stringify(intent));

/** Undefined for what was not sealed here, is for another provider, or is over. */
export async function openIntent(
  { envelope, clock }: SealParts,
  provider: string,
  sealed: string,
): Promise<Intent | undefined> {
  const intent = intentShape.safeParse(await openSealed(envelope, sealed)).data;
  if (intent === undefined || intent.provider !== provider || intent.expiresAtMs <= clock.nowMs()) {
    return undefined;
  }
  return intent;
}

export async function writeFlow(context: Context, services: PortalServices, flow: Flow): Promise<void> {
  setCookie(context, cookieName(context, flowCookie), await services.envelope.seal(JSON.stringify(flow)), {
    ...cookieOptions(context, services),
    maxAge: flowLifetimeMs / 1000,
  });
}

/** The flow that this browser began with this provider, which it then has no more; undefined where there is none. */
export async function takeFlow(
  context: Context,
  services: PortalServices,
  provider: string,
): Promise<Flow | undefined> {
  const sealed = getCookie(context, cookieName(context, flowCookie));
  if (sealed === undefined) return undefined;
  deleteCookie(context, cookieName(context, flowCookie), cookieOptions(context, services));
  const flow = flowShape.safeParse(await openSealed(services.envelope, sealed)).data;
  if (flow === undefined || flow.intent.provider !== provider) return undefined;
  return flow.intent.expiresAtMs > services.clock.nowMs() ? flow : undefined;
}

async function openSealed(envelope: Envelope, sealed: string): Promise<unknown> {
  try {
    return JSON.parse(await envelope.open(sealed));
  } catch {
    // Whoever asks sends what they like.
    return undefined;
  }
}

/**
 * Remembers that this browser accepted the current terms just now, for an account that is still to be made. Nothing but
 * a browser's own cookie shows that its person read them, so that no intent carries it: anybody can make an intent.
 * @param portalHost of the portal that the page with the terms named; undefined where it named none.
 */
export function writeTerms(context: Context, services: PortalServices, portalHost: string | undefined): void {
  setCookie(context, cookieName(context, termsCookie), acceptedAs(services, portalHost), {
    ...cookieOptions(context, services),
    maxAge: flowLifetimeMs / 1000,
  });
}

/** Null unless the current version was accepted, for an account that comes from this portal or from none. */
export function readTerms(
  context: Context,
  services: PortalServices,
  portalHost: string | undefined,
): string | null {
  const isAccepted =
    getCookie(context, cookieName(context, termsCookie)) === acceptedAs(services, portalHost);
  return isAccepted ? services.legal.version : null;
}

const acceptedAs = ({ legal }: PortalServices, portalHost = ''): string => `${legal.version} ${portalHost}`;

export function dropTerms(context: Context, services: PortalServices): void {
  const name = cookieName(context, termsCookie);
  if (getCookie(context, name) === undefined) return;
  deleteCookie(context, name, cookieOptions(context, services));
}

/** What the browser at a portal's host shows in the end, so that nobody else's way back works there. */
export function writePortalProof(context: Context, services: PortalServices, proof: string): void {
  setCookie(context, cookieName(context, portalCookie), proof, {
    ...cookieOptions(context, services),
    maxAge: flowLifetimeMs / 1000,
  });
}

export function takePortalProof(context: Context, services: PortalServices): string | undefined {
  const name = cookieName(context, portalCookie);
  const proof = getCookie(context, name);
  if (proof !== undefined) deleteCookie(context, name, cookieOptions(context, services));
  return proof;
}

export function newQuestion({ clock, ids }: PortalServices, crossing: Crossing): Question {
  const id = Buffer.from(ids.randomBytes(16)).toString('base64url');
  return { ...crossing, kind: 'handoff question', id, expiresAtMs: clock.nowMs() + flowLifetimeMs };
}

export async function writeQuestion(
  context: Context,
  services: PortalServices,
  question: Question,
): Promise<void> {
  const sealed = await services.envelope.seal(JSON.stringify(question));
  setCookie(context, cookieName(context, questionCookie), sealed, {
    ...cookieOptions(context, services),
    maxAge: flowLifetimeMs / 1000,
  });
}

/**
 * What this browser was asked last, which it then has no more. Undefined where that is nothing, or over, or another
 * question than the one that is answered: that stays, in the tab that asks it.
 */
export async function takeQuestion(
  context: Context,
  services: PortalServices,
  answered: string,
): Promise<Question | undefined> {
  const name = cookieName(context, questionCookie);
  const sealed = getCookie(context, name);
  if (sealed === undefined) return undefined;
  const question = questionShape.safeParse(await openSealed(services.envelope, sealed)).data;
  if (question !== undefined && question.id !== answered) return undefined;
  deleteCookie(context, name, cookieOptions(context, services));
  return question !== undefined && question.expiresAtMs > services.clock.nowMs() ? question : undefined;
}

const cookieName = (context: Context, name: string): string => cookieOfHost(context, name).name;
