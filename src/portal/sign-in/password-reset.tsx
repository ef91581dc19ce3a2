/** `/forgot-password`, `/reset-password` and their actions: another password by a link from a mail. */
import type { Context } from 'hono';
import { z } from 'zod';
import { networkOf } from '../../base/client-address.ts';
import { findReset, requestReset, resetPassword, take, transact } from '../../identity/index.ts';
import { clientAddress, sessionStart } from '../client-facts.ts';
import { done } from '../done.ts';
import { takeForm } from '../kept-form.ts';
import { accountsWords } from '../languages/accounts/index.ts';
import { atPortal } from '../portals.ts';
import { type Asked, type Route, route } from '../route.ts';
import { LinkButton } from '../ui/button.tsx';
import { wordsFor } from '../visit.ts';
import { answerAdmission } from './admitted.ts';
import { orAtMain } from './at-main.ts';
import { inEvenTime } from './even-time.ts';
import { emailField, linkOver, passwordField, secretField } from './fields.ts';
import { EntryForm, newPasswordField, showFormPage, showSent } from './form-page.tsx';
import { mailAddress, queueMail } from './mails.ts';
import { giveToNewcomer } from './new-member.ts';
import { requireOwnWay } from './own-way.ts';
import { requireOfPortal } from './portal-people.ts';
import { tellOfPassword } from './way-mails.ts';

const hourMs = 3_600_000;
const forgotQuery = z.object({ sent: z.string().max(10).optional() });
const forgotBody = z.object({ email: emailField });
const resetQuery = z.object({ token: secretField.default('') });
const resetBody = z.object({ token: secretField, password: passwordField });

export const passwordResetRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/forgot-password',
    summary: 'Ask for a link that changes the password',
    tag: 'Public pages',
    access: 'anyone',
    answers: 'page',
    query: forgotQuery,
    handle: showForgot,
  }),
  route({
    method: 'POST',
    path: '/auth/forgot-password',
    summary:
      'Send a link that changes the password; the answer is the same whether or not there is an account',
    tag: 'Signing in',
    access: 'anyone',
    answers: 'action',
    page: '/forgot-password',
    body: forgotBody,
    refusals: { 429: 'Too many attempts' },
    handle: forgot,
  }),
  route({
    method: 'GET',
    path: '/reset-password',
    summary: 'Choose another password, by the link of a mail',
    tag: 'Public pages',
    access: 'anyone',
    answers: 'page',
    query: resetQuery,
    refusals: { 410: 'The link is unknown, used or over' },
    handle: showReset,
  }),
  route({
    method: 'POST',
    path: '/auth/reset-password',
    summary: 'Change the password by the link of a mail, sign in, and end all other sessions',
    tag: 'Signing in',
    access: 'anyone',
    answers: 'action',
    page: ({ token }) =>
      typeof token === 'string' ? `/reset-password?${new URLSearchParams({ token })}` : '/reset-password',
    body: resetBody,
    result: z.object({ next: z.string(), second_factor: z.literal(true).optional() }),
    refusals: {
      403: 'This portal is not of the account’s organisation',
      410: 'The link is unknown, used or over',
    },
    handle: reset,
  }),
];

function showForgot({ context, query }: Asked<'anyone', { query: typeof forgotQuery }>): Promise<Response> {
  if (query.sent !== undefined) return showSent(context, 'reset');
  const { forgot, field, sent } = wordsFor(context, accountsWords);
  return showFormPage(context, {
    title: forgot.title,
    content: (
      <>
        <p>{forgot.text}</p>
        <EntryForm
          to="/auth/forgot-password"
          form={takeForm(context)}
          fields={[{ name: 'email', type: 'email', label: field.email, autocomplete: 'username' }]}
          action={forgot.action}
        />
        <div class="ways">
          <p>
            <a class="link" href="/login">
              {sent.back}
            </a>
          </p>
        </div>
      </>
    ),
  });
}

async function forgot({
  context,
  services,
  body: { email },
}: Asked<'anyone', { body: typeof forgotBody }>): Promise<Response> {
  requireOwnWay(services, email);
  await take(services, 'mail from address', networkOf(clientAddress(context, services)));
  await take(services, 'reset mail to account', email);
  // Said before anybody is looked for, so that it is the same for all.
  mailAddress(context, services);
  await inEvenTime(services.clock, () =>
    transact(services, async (work) => {
      const asked = await requestReset(work, email);
      if (asked === undefined) return services.mail.queueDecoy(work);
      const { user, reset } = asked;
      const address = mailAddress(context, services, user);
      const facts = { link: `${address}/reset-password?token=${reset.secret}`, lifetimeMs: hourMs };
      const { expiresAt } = reset;
      return queueMail(context, services, work, {
        ...{ user, accountId: user.id, expiresAt },
        news: { kind: 'reset_password', facts },
      });
    }),
  );
  return done(context, { to: '/forgot-password?sent=1' });
}

async function showReset({
  context,
  services,
  query: { token },
}: Asked<'anyone', { query: typeof resetQuery }>): Promise<Response> {
  const user = await findReset(services, token);
  if (user === undefined) return showOver(context);
  const { reset, field, help } = wordsFor(context, accountsWords);
  return showFormPage(context, {
    title: reset.title,
    content: (
      <>
        <p>{reset.text(user.email)}</p>
        <EntryForm
          to="/auth/reset-password"
          form={takeForm(context)}
          fields={[newPasswordField(field.newPassword, help.password)]}
          carries={{ token }}
          account={user.email}
          action={reset.action}
        />
      </>
    ),
  });
}

type AskedToReset = Asked<'anyone', { body: typeof resetBody }>;

function reset(asked: AskedToReset): Promise<Response> {
  const { context, services, body } = asked;
  const path = `/reset-password?${new URLSearchParams({ token: body.token })}`;
  return orAtMain(context, services, path, () => choosePassword(asked));
}

async function choosePassword({
  context,
  services,
  body: { token, password },
}: AskedToReset): Promise<Response> {
  const holder = await findReset(services, token);
  if (holder !== undefined) requireOwnWay(services, holder.email);
  // The mail that tells of the new password tells of this sign-in too: one is enough.
  const start = sessionStart(context, services, 'password', { isTold: true });
  const organisationId = atPortal(context, services)?.organisationId ?? null;
  const wanted = { secret: token, password, start, organisationId };
  const admission = await resetPassword(services, wanted, async (work, user, isDisowned) => {
    // In the same work, so that the link is still good at the main address.
    requireOfPortal(context, services, user);
    if (isDisowned) await giveToNewcomer(work, user);
    return tellOfPassword(context, services, work, user);
  });
  if (admission === undefined) throw linkOver();
  const message = wordsFor(context, accountsWords).reset.done;
  return answerAdmission(context, services, admission, { to: '/dashboard', message });
}

function showOver(context: Context): Promise<Response> {
  const { reset } = wordsFor(context, accountsWords);
  return showFormPage(context, {
    title: reset.over,
    status: 410,
    content: (
      <>
        <p>{reset.overText}</p>
        <p>
          <LinkButton href="/forgot-password" look="primary" size="large">
            {reset.again}
          </LinkButton>
        </p>
      </>
    ),
  });
}
