/** `/verify-email` and `/auth/resend-verification`: showing that an address is one's own. */
import type { Context } from 'hono';
import { z } from 'zod';
import { networkOf } from '../../base/client-address.ts';
import {
  findVerification,
  requestVerification,
  type Session,
  take,
  transact,
  verifyEmail,
} from '../../identity/index.ts';
import { clientAddress } from '../client-facts.ts';
import { done } from '../done.ts';
import { takeForm } from '../kept-form.ts';
import { accountsWords } from '../languages/accounts/index.ts';
import { noticesWords } from '../languages/notices/index.ts';
import { type Asked, type Route, route } from '../route.ts';
import { LinkButton, PostButton } from '../ui/button.tsx';
import { useWords } from '../ui/speech.tsx';
import { wordsFor } from '../visit.ts';
import { inEvenTime } from './even-time.ts';
import { emailField, linkOver, secretField } from './fields.ts';
import { EntryForm, showFormPage } from './form-page.tsx';
import { mailAddress, queueMail } from './mails.ts';

const dayMs = 24 * 3_600_000;
const path = '/verify-email';
const verifyQuery = z.object({ token: secretField.optional(), sent: z.string().max(10).optional() });
const verifyBody = z.object({ token: secretField });
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
    summary: 'Verify an e-mail address by the link of a mail',
    tag: 'Signing in',
    access: 'anyone',
    answers: 'action',
    page: ({ token }) => (typeof token === 'string' ? `${path}?${new URLSearchParams({ token })}` : path),
    body: verifyBody,
    refusals: { 410: 'The link is unknown or over' },
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
  const { storage, clock } = services;
  const verification = await findVerification(storage.db, { secret: token, nowMs: clock.nowMs() });
  if (verification === undefined) return showOver(context);
  const { verify } = wordsFor(context, accountsWords);
  const { user, isDone } = verification;
  if (isDone) return showDone(context, user.email, session !== null);
  return showFormPage(context, {
    title: verify.title,
    content: (
      <>
        <p>{verify.ask(user.email)}</p>
        <PostButton to={path} fields={{ token }} look="primary" size="large">
          {verify.action}
        </PostButton>
      </>
    ),
  });
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
        <ResendForm context={context} />
      </>
    ),
  });
}

function showResend(context: Context): Promise<Response> {
  const { verify } = wordsFor(context, accountsWords);
  return showFormPage(context, { title: verify.title, content: <ResendForm context={context} /> });
}

function ResendForm({ context }: { readonly context: Context }) {
  const { field, verify } = useWords(accountsWords);
  return (
    <EntryForm
      to="/auth/resend-verification"
      form={takeForm(context)}
      fields={[{ name: 'email', type: 'email', label: field.email, autocomplete: 'username' }]}
      action={verify.again}
    />
  );
}

/** The same whether or not a mail was sent. */
export function showSent(context: Context, what: 'verification' | 'reset'): Promise<Response> {
  const { sent } = wordsFor(context, accountsWords);
  return showFormPage(context, {
    title: sent.title,
    content: (
      <>
        <p>{sent[what]}</p>
        <p>{sent.late}</p>
        <p>
          <LinkButton href="/login">{sent.back}</LinkButton>
        </p>
      </>
    ),
  });
}

async function verify({
  context,
  services,
  session,
  body,
}: Asked<'anyone', { body: typeof verifyBody }>): Promise<Response> {
  const verification = await transact(services, (work) => verifyEmail(work, body.token));
  if (verification === undefined) throw linkOver();
  const { doneMessage } = wordsFor(context, accountsWords).verify;
  const isOwn = session?.user.id === verification.user.id;
  return done(context, { to: isOwn ? '/dashboard' : '/login', message: doneMessage });
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
      const { expiresAt } = verification;
      return queueMail(context, services, work, {
        ...{ user, accountId: user.id, expiresAt },
        news: { kind: 'verify_address', facts },
      });
    }),
  );
  const message = wordsFor(context, accountsWords).verify.sentMessage;
  return done(context, { to: session === null ? `${path}?sent=1` : path, message });
}
