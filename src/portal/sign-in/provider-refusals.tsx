/** What is said when a sign-in by an identity provider ends otherwise than in an account. */
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { type ErrorCode, errorKinds } from '../../base/errors.ts';
import type { IdentityProvider } from '../../configuration/index.ts';
import type { ArrivalRefusal } from '../../identity/index.ts';
import { accountsWords } from '../languages/accounts/index.ts';
import { providersWords } from '../languages/providers/index.ts';
import { wantsPage } from '../refusal.ts';
import type { PortalServices } from '../services.ts';
import { Button } from '../ui/button.tsx';
import { Checkbox } from '../ui/control.tsx';
import { showNotice } from '../ui/notice.tsx';
import { useWords } from '../ui/speech.tsx';
import { wordsFor } from '../visit.ts';
import { showFormPage } from './form-page.tsx';
import { LegalLinks } from './legal-links.tsx';
import { ProviderError, type ProviderFailure, tellFailure } from './provider-http.ts';

type Reason = ArrivalRefusal | ProviderFailure;

const codes: Readonly<Record<Reason, ErrorCode>> = {
  denied: 'not_allowed',
  stale: 'link_over',
  away: 'identity_provider_unavailable',
  unverified_there: 'email_unverified',
  unverified_here: 'conflict',
  other_identity: 'conflict',
  other_provider: 'sign_in_elsewhere',
  invited_otherwise: 'conflict',
  invite_over: 'link_over',
};
const retryAfterSeconds = 10;

/** Where the sign-in was to lead, for another try. */
export interface Onward {
  readonly next: string;
  /** The address of the portal that it began at; empty on this host. */
  readonly at: string;
}

export function refuseArrival(
  context: Context,
  provider: IdentityProvider,
  reason: Reason,
  onward: Onward,
): Response | Promise<Response> {
  const { title, text } = wordsFor(context, providersWords).refused[reason](provider.label);
  const code = codes[reason];
  if (reason === 'away') context.header('retry-after', String(retryAfterSeconds));
  if (!wantsPage(context.req.raw)) return answerProgram(context, code, text);
  const action = wayOnFrom(context, provider, reason, onward);
  return showNotice(context, statusOf(code), { title, paragraphs: [text], action });
}

function wayOnFrom(
  context: Context,
  { name, label }: IdentityProvider,
  reason: Reason,
  { next, at }: Onward,
): { readonly href: string; readonly label: string } {
  const { again, signIn, invitation } = wordsFor(context, providersWords);
  const query = new URLSearchParams({ next });
  switch (reason) {
    case 'denied':
    case 'stale':
    case 'away':
      return { href: `${at}/auth/${name}?${query}`, label: again(label) };
    case 'invited_otherwise':
      return { href: `${at}${next}`, label: invitation };
    case 'invite_over':
      return { href: `${at}/login`, label: signIn };
    default:
      return { href: `${at}/login?${query}`, label: signIn };
  }
}

interface Failed extends Onward {
  readonly provider: IdentityProvider;
  readonly thrown: unknown;
}

/** @throws what is no failure of the provider. */
export function refuseFailure(
  context: Context,
  { log }: PortalServices,
  { provider, thrown, ...onward }: Failed,
): Response | Promise<Response> {
  if (!(thrown instanceof ProviderError)) throw thrown;
  if (thrown.failure === 'away') {
    const detail = tellFailure(thrown);
    log.error('an identity provider failed', { provider: provider.name, detail });
  }
  return refuseArrival(context, provider, thrown.failure, onward);
}

/** For the way back to a portal's host. */
export function refuseHandoff(context: Context): Response | Promise<Response> {
  const { handoff, signIn } = wordsFor(context, providersWords);
  if (!wantsPage(context.req.raw)) return answerProgram(context, 'link_over', handoff.text);
  return showNotice(context, 410, {
    title: handoff.title,
    paragraphs: [handoff.text],
    action: { href: '/login', label: signIn },
  });
}

export interface PortalNamed {
  readonly name: string;
  readonly host: string;
  /** That a new account belongs to. */
  readonly organisation: string;
}

/** Somebody new came back without having accepted the terms. */
export function showTerms(
  context: Context,
  {
    provider,
    email,
    from,
    portal,
  }: {
    readonly provider: IdentityProvider;
    readonly email: string;
    readonly from: string;
    /** That the account is made for, and that its person goes on to. */
    readonly portal: PortalNamed | null;
  },
): Response | Promise<Response> {
  const { terms } = wordsFor(context, providersWords);
  if (!wantsPage(context.req.raw)) return answerProgram(context, 'terms_not_accepted', terms.title);
  return showFormPage(context, {
    title: terms.title,
    status: 403,
    content: (
      <>
        <p>{terms.text(email, provider.label)}</p>
        {portal === null ? null : <p>{terms.portal(portal.name, portal.host, portal.organisation)}</p>}
        <form class="form" method="post" action="/auth/accept-tos">
          <input type="hidden" name="provider" value={provider.name} />
          <input type="hidden" name="from" value={from} />
          <Checkbox name="accept_terms" label={<Consent />} required />
          <p class="form-actions">
            <Button look="primary" size="large">
              {terms.action}
            </Button>
          </p>
        </form>
      </>
    ),
  });
}

function Consent() {
  return <LegalLinks say={useWords(accountsWords).signup.terms} />;
}

function answerProgram(context: Context, code: ErrorCode, error: string): Response {
  return context.json({ ok: false, error, code }, statusOf(code));
}

const statusOf = (code: ErrorCode) => errorKinds[code].status as ContentfulStatusCode;
