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
};
const retryAfterSeconds = 10;

/** @param next where the sign-in was to lead, for another try. */
export function refuseArrival(
  context: Context,
  { name, label }: IdentityProvider,
  reason: Reason,
  next: string,
): Response | Promise<Response> {
  const { refused, again, signIn } = wordsFor(context, providersWords);
  const { title, text } = refused[reason](label);
  const code = codes[reason];
  if (reason === 'away') context.header('retry-after', String(retryAfterSeconds));
  if (!wantsPage(context.req.raw)) return answerProgram(context, code, text);
  const canTryAgain = reason === 'denied' || reason === 'stale' || reason === 'away';
  return showNotice(context, statusOf(code), {
    title,
    paragraphs: [text],
    action: canTryAgain
      ? { href: `/auth/${name}?${new URLSearchParams({ next })}`, label: again(label) }
      : { href: `/login?${new URLSearchParams({ next })}`, label: signIn },
  });
}

interface Failed {
  readonly provider: IdentityProvider;
  readonly next: string;
  readonly thrown: unknown;
}

/** @throws what is no failure of the provider. */
export function refuseFailure(
  context: Context,
  { log }: PortalServices,
  { provider, next, thrown }: Failed,
): Response | Promise<Response> {
  if (!(thrown instanceof ProviderError)) throw thrown;
  if (thrown.failure === 'away') {
    const detail = tellFailure(thrown);
    log.error('an identity provider failed', { provider: provider.name, detail });
  }
  return refuseArrival(context, provider, thrown.failure, next);
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

/** Somebody new came back without having accepted the terms. */
export function showTerms(
  context: Context,
  {
    provider,
    email,
    from,
  }: { readonly provider: IdentityProvider; readonly email: string; readonly from: string },
): Response | Promise<Response> {
  const { terms } = wordsFor(context, providersWords);
  if (!wantsPage(context.req.raw)) return answerProgram(context, 'terms_not_accepted', terms.title);
  return showFormPage(context, {
    title: terms.title,
    status: 403,
    content: (
      <>
        <p>{terms.text(email, provider.label)}</p>
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
