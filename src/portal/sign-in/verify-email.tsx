/** `/verify-email` and `/auth/resend-verification`: showing that an address is one's own. */
import type { Context } from 'hono';
import { z } from 'zod';
import { networkOf } from '../../base/client-address.ts';
import { AppError } from '../../base/errors.ts';
import {
  findVerification,
  ownerOfAddress,
  requestVerification,
  type Session,
  signInByPassword,
  take,
  transact,
  verifyEmail,
} from '../../identity/index.ts';
import { clientAddress, sessionStart } from '../client-facts.ts';
import { done } from '../done.ts';
import { type KeptForm, takeForm } from '../kept-form.ts';
import { accountsWords } from '../languages/accounts/index.ts';
import { noticesWords } from '../languages/notices/index.ts';
import { type Asked, type Route, route } from '../route.ts';
import { LinkButton, PostButton } from '../ui/button.tsx';
import { Callout } from '../ui/callout.tsx';
import { useWords } from '../ui/speech.tsx';
import { wordsFor } from '../visit.ts';
import { answerAdmission } from './admitted.ts';
import { orAtMain } from './at-main.ts';
import { inEvenTime } from './even-time.ts';
import { emailField, fieldIssue, linkOver, passwordField, secretField } from './fields.ts';
import { EntryForm, showFormPage, showSent } from './form-page.tsx';
import { mailAddress, queueMail } from './mails.ts';
import { providersFor, requireOwnWay } from './own-way.ts';
import { ProviderLinks } from './provider-buttons.tsx';

const dayMs = 24 * 3_600_000;
const path = '/verify-email';
const verifyQuery = z.object({ token: secretField.optional(), sent: z.string().max(10).optional() });
const verifyBody = z.object({ token: secretField, password: passwordField.describe('Of the account') });
const resendBody = z.object({ email: emailField });

export const verifyEmailRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path,
    summary:
      'What the link of a verification mail opens, and where somebody lands whose address is not verified',
    tag: 'Public pages',
    access: 'anyone',
    answers: 'page',
    query: verifyQuery,
    refusals: { 410: 'The link is unknown or over' },
    handle: showVerify,
  }),
  route({
    method: 'POST',
    path,
    summary: 'Verify an e-mail address by the link of a mail and the password of the account, and sign in',
    tag: 'Signing in',
    access: 'anyone',
    answers: 'action',
    page: ({ token }) => (typeof token === 'string' ? `${path}?${new URLSearchParams({ token })}` : path),
    body: verifyBody,
    result: z.object({ next: z.string(), second_factor: z.literal(true).optional() }),
    refusals: {
      403: 'The e-mail domain belongs to an identity provider, or this portal is not of the account’s organisation',
      409: 'Somebody else is signed in',
      410: 'The link is unknown or over',
      429: 'Too many attempts',
    },
    handle: verify,
  }),
  route({
    method: 'POST',
    path: '/auth/resend-verification',
    summary: 'Send the verification mail again; the answer is the same whether or not there is an account',
    tag: 'Signing in',
    access: 'anyone',
    answers: 'action',
    page: path,
    body: resendBody,
    refusals: { 429: 'Too many attempts' },
    handle: resend,
  }),
];

type AskedWithQuery = Asked<'anyone', { query: typeof verifyQuery }>;

/** Opening a link changes nothing: mail programs open every link that they see, to look for harm. */
async function showVerify({ context, services, session, query }: AskedWithQuery): Promise<Response> {
  const { token, sent } = query;
  if (token !== undefined) return showLink(context, { services, session, token });
  if (session !== null) return showStanding(context, session);
  return sent === undefined ? showResend(context) : showSent(context, 'verification');
}

async function showLink(
  context: Context,
  { services, session, token }: Pick<AskedWithQuery, 'services' | 'session'> & { token: string },
): Promise<Response> {
  const sent = { secret: token, nowMs: services.clock.nowMs() };
  const verification = await findVerification(services.storage.db, sent);
  if (verification === undefined) return showOver(context);
  const { verify } = wordsFor(context, accountsWords);
  const { user, isDone } = verification;
  if (session !== null && session.user.id !== user.id) {
    return showFormPage(context, {
      title: verify.title,
      content: (
        <>
          <Callout tone="warn">{verify.otherSession(session.user.email)}</Callout>
          <PostButton to="/logout">{wordsFor(context, noticesWords).signOut}</PostButton>
        </>
      ),
    });
  }
  if (isDone) return showDone(context, user.email, session !== null);
  const providers = providersFor(services, user.email);
  const isOwned = ownerOfAddress(services.identityProviders, user.email) !== undefined;
  return showFormPage(context, {
    title: verify.title,
    content: isOwned ? (
      <ProviderLinks providers={providers} query={{ next: '/dashboard' }} isOnly />
    ) : (
      <PasswordForm form={takeForm(context)} email={user.email} token={token} />
    ),
  });
}

interface PasswordFormProps {
  readonly form: KeptForm;
  readonly email: string;
  readonly token: string;
}

function PasswordForm({ form, email, token }: PasswordFormProps) {
  const { verify, field, login } = useWords(accountsWords);
  return (
    <>
      <p>{verify.ask(email)}</p>
      <EntryForm
        to={path}
        form={form}
        fields={[
          { name: 'password', type: 'password', label: field.password, autocomplete: 'current-password' },
        ]}
        carries={{ token }}
        account={email}
        action={verify.action}
      />
      <div class="ways">
        <p>
          <a class="link" href="/forgot-password">
            {login.forgot}
          </a>
        </p>
        <p>{verify.notYours}</p>
      </div>
    </>
  );
}

/** For who is signed in: whether there is anything to do, and the mail again. */
function showStanding(context: Context, { user }: Session): Promise<Response> {
  if (user.emailVerifiedAt !== null) return showDone(context, user.email, true);
  const { verify } = wordsFor(context, accountsWords);
  return showFormPage(context, {
    title: verify.waiting,
    content: (
      <>
        <p>{verify.waitingText(user.email)}</p>
        <div class="row">
          <PostButton to="/auth/resend-verification" fields={{ email: user.email }} look="primary">
            {verify.again}
          </PostButton>
          <PostButton to="/logout" look="ghost">
            {wordsFor(context, noticesWords).signOut}
          </PostButton>
        </div>
      </>
    ),
  });
}

function showDone(context: Context, email: string, isSignedIn: boolean): Promise<Response> {
  const { verify } = wordsFor(context, accountsWords);
  return showFormPage(context, {
    title: verify.done,
    content: (
      <>
        <p>{verify.doneText(email)}</p>
        <p>
          <LinkButton href={isSignedIn ? '/dashboard' : '/login'} look="primary" size="large">
            {isSignedIn ? verify.continue : verify.signIn}
          </LinkButton>
        </p>
      </>
    ),
  });
}

function showOver(context: Context): Promise<Response> {
  const { verify } = wordsFor(context, accountsWords);
  return showFormPage(context, {
    title: verify.over,
    status: 410,
    content: (
      <>
        <p>{verify.overText}</p>
        <ResendForm form={takeForm(context)} />
      </>
    ),
  });
}

function showResend(context: Context): Promise<Response> {
  const { verify } = wordsFor(context, accountsWords);
  return showFormPage(context, { title: verify.title, content: <ResendForm form={takeForm(context)} /> });
}

function ResendForm({ form }: { readonly form: KeptForm }) {
  const { field, verify } = useWords(accountsWords);
  return (
    <EntryForm
      to="/auth/resend-verification"
      form={form}
      fields={[{ name: 'email', type: 'email', label: field.email, autocomplete: 'username' }]}
      action={verify.again}
    />
  );
}

/**
 * Whoever opens the mail need not be who made the account: somebody may have made one with another's address and a
 * password of their own, and wait until it is confirmed. So it is confirmed by who knows the password alone. Who owns
 * the address and does not know it chooses another by a mail, and what was there before is worth nothing then.
 */
async function verify(asked: Asked<'anyone', { body: typeof verifyBody }>): Promise<Response> {
  const { context, services, session } = asked;
  const { token, password } = asked.body;
  const sent = { secret: token, nowMs: services.clock.nowMs() };
  const verification = await findVerification(services.storage.db, sent);
  if (verification === undefined) throw linkOver();
  const { user, isDone } = verification;
  if (session !== null && session.user.id !== user.id) {
    throw new AppError({
      code: 'conflict',
      reason: 'other_signed_in',
      public: 'Somebody else is signed in. Sign out first.',
    });
  }
  const message = wordsFor(context, accountsWords).verify.doneMessage;
  if (isDone) {
    const to = session === null ? '/login' : '/dashboard';
    return done(context, { to, message, result: { next: to } });
  }
  requireOwnWay(services, user.email);
  return orAtMain(context, services, `${path}?${new URLSearchParams({ token })}`, async () => {
    const admission = await signInByPassword(services, {
      email: user.email,
      password,
      behindLinkOf: user.id,
      from: networkOf(clientAddress(context, services)),
      start: sessionStart(context, services, 'password'),
      async before(work) {
        const verified = await verifyEmail(work, token);
        if (verified === undefined) throw linkOver();
        return verified.user;
      },
    });
    if (admission === undefined) throw fieldIssue('password', 'wrong', 'is not that of the account');
    return answerAdmission(context, services, admission, { to: '/dashboard', message });
  });
}

async function resend({
  context,
  services,
  session,
  body: { email },
}: Asked<'anyone', { body: typeof resendBody }>): Promise<Response> {
  await take(services, 'mail from address', networkOf(clientAddress(context, services)));
  await take(services, 'mail to account', email);
  // Said before anybody is looked for, so that it is the same for all.
  mailAddress(context, services);
  await inEvenTime(services.clock, () =>
    transact(services, async (work) => {
      const asked = await requestVerification(work, email);
      if (asked === undefined) return services.mail.queueDecoy(work);
      const { user, verification } = asked;
      const address = mailAddress(context, services, user);
      const facts = { link: `${address}/verify-email?token=${verification.secret}`, lifetimeMs: dayMs };
      return queueMail(context, services, work, {
        ...{ user, accountId: user.id, expiresAt: verification.expiresAt },
        news: { kind: 'verify_address', facts },
      });
    }),
  );
  const message = wordsFor(context, accountsWords).verify.sentMessage;
  return done(context, { to: session === null ? `${path}?sent=1` : path, message });
}
