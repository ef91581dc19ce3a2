/**
 * What a sign-in by an identity provider carries along, sealed: the intent, which travels in addresses between our own
 * pages and hosts, and the flow, which the browser that goes to the provider keeps until it is back.
 */
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { z } from 'zod';
import type { Envelope } from '../../base/envelope.ts';
import { isHttps } from '../address.ts';
import type { PortalServices } from '../services.ts';
import { cookieOptions } from '../session-cookie.ts';

const flowLifetimeMs = 600_000;

const intentShape = z.object({
  kind: z.literal('sign-in intent'),
  provider: z.string(),
  /** A path of the host that it began on. */
  next: z.string(),
  /** Where it began, when that is not the main host, and what the browser there has to show in the end. */
  portal: z.object({ host: z.string(), challenge: z.string() }).nullable(),
  /** Whose account the identity is to be linked to; null to sign in. */
  linkTo: z.number().nullable(),
  /** Of the terms that were accepted there. */
  terms: z.string().nullable(),
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

/** What somebody is about to do. */
export type Intent = z.output<typeof intentShape>;
/** The same, on its way at the provider. */
export type Flow = z.output<typeof flowShape>;

type SealParts = Pick<PortalServices, 'clock' | 'envelope'>;

export function newIntent(
  { clock }: SealParts,
  intent: Pick<Intent, 'provider' | 'next'> & Partial<Intent>,
): Intent {
  return {
    portal: null,
    linkTo: null,
    terms: null,
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
  setCookie(context, cookieName(context, services), await services.envelope.seal(JSON.stringify(flow)), {
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
  const sealed = getCookie(context, cookieName(context, services));
  if (sealed === undefined) return undefined;
  deleteCookie(context, cookieName(context, services), cookieOptions(context, services));
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

const termsCookie = 'sluice-terms';
const portalCookie = 'sluice-portal';

/** The version of the terms that this browser accepted just now, for an account that is still to be made. */
export function writeTerms(context: Context, services: PortalServices, version: string): void {
  setCookie(context, termsCookie, version, {
    ...cookieOptions(context, services),
    maxAge: flowLifetimeMs / 1000,
  });
}

/** Null unless it is the current version. */
export function readTerms(context: Context, { legal }: PortalServices): string | null {
  return getCookie(context, termsCookie) === legal.version ? legal.version : null;
}

export function dropTerms(context: Context, services: PortalServices): void {
  if (getCookie(context, termsCookie) === undefined) return;
  deleteCookie(context, termsCookie, cookieOptions(context, services));
}

/** What the browser at a portal's host shows in the end, so that nobody else's way back works there. */
export function writePortalProof(context: Context, services: PortalServices, proof: string): void {
  setCookie(context, portalCookie, proof, {
    ...cookieOptions(context, services),
    maxAge: flowLifetimeMs / 1000,
  });
}

export function takePortalProof(context: Context, services: PortalServices): string | undefined {
  const proof = getCookie(context, portalCookie);
  if (proof !== undefined) deleteCookie(context, portalCookie, cookieOptions(context, services));
  return proof;
}

/** Browsers hold `__Host-` to Secure, this host and the whole path; they refuse it on plain http. */
function cookieName(context: Context, services: PortalServices): string {
  return `${isHttps(context, services) ? '__Host-' : ''}sluice-provider`;
}
