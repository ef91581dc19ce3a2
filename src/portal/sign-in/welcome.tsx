/** `/welcome`: where the first sign-in link leads. The owner gets a password, and their organisation a name. */
import { z } from 'zod';
import { AppError } from '../../base/errors.ts';
import { onlyOf } from '../../base/scope.ts';
import { changePassword, foundOrganisation, type User } from '../../identity/index.ts';
import { done } from '../done.ts';
import { takeForm } from '../kept-form.ts';
import { accountsWords } from '../languages/accounts/index.ts';
import { type Asked, type Route, route } from '../route.ts';
import { readSessionToken } from '../session-cookie.ts';
import { ProofField, proofAsked, requireFreshSignIn } from '../settings/proof.tsx';
import { LinkButton } from '../ui/button.tsx';
import { Command } from '../ui/commands.tsx';
import { wordsFor } from '../visit.ts';
import { fieldIssue, passwordField } from './fields.ts';
import { EntryForm, newPasswordField, showFormPage } from './form-page.tsx';

export const welcomePath = '/welcome';
const welcomeBody = z.object({
  organisation: z.string().trim().max(100).optional(),
  password: passwordField,
});

export const welcomeRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: welcomePath,
    summary: 'Where the first sign-in link leads',
    tag: 'Signing in',
    access: 'platform_owner',
    answers: 'page',
    handle: showWelcome,
  }),
  route({
    method: 'POST',
    path: welcomePath,
    summary: 'Give the owner, who has none yet, a password, and their organisation a name',
    tag: 'Signing in',
    access: 'platform_owner',
    answers: 'action',
    page: welcomePath,
    body: welcomeBody,
    refusals: { 403: 'A sign-in of just now is needed', 409: 'The owner has a password already' },
    handle: settle,
  }),
];

/** Whether somebody who came by a link is asked for a password first. */
export function isToBeWelcomed({ role, hasPassword }: User): boolean {
  return role === 'platform_owner' && !hasPassword;
}

function showWelcome({ context, services, session }: Asked<'platform_owner'>): Response | Promise<Response> {
  const { user } = session;
  if (!isToBeWelcomed(user)) return context.redirect('/dashboard', 303);
  const { welcome, field, help } = wordsFor(context, accountsWords);
  const form = takeForm(context);
  const proof = proofAsked(session, services);
  const later = (
    <LinkButton href="/dashboard" look="ghost" size="large">
      {welcome.later}
    </LinkButton>
  );
  const organisationField = {
    name: 'organisation',
    label: field.organisation,
    help: help.organisation,
    autocomplete: 'organization',
    maxLength: 100,
  };
  return showFormPage(context, {
    title: welcome.title,
    content: (
      <>
        <p>{welcome.text(user.email)}</p>
        {proof === 'nothing' ? (
          <EntryForm
            to={welcomePath}
            form={form}
            fields={[
              ...(user.organisationId === null ? [organisationField] : []),
              newPasswordField(field.password, help.password),
            ]}
            account={user.email}
            action={welcome.action}
            beside={later}
          />
        ) : (
          <div class="form">
            <ProofField asked={proof} form={form} page={welcomePath} />
            <p>{welcome.anotherLink}</p>
            <Command lines={[`npx sluice users sign-in-link --owner ${user.email}`]} />
            <p>{later}</p>
          </div>
        )}
      </>
    ),
  });
}

async function settle({
  context,
  services,
  session,
  body: { organisation = '', password },
}: Asked<'platform_owner', { body: typeof welcomeBody }>): Promise<Response> {
  const { user } = session;
  if (!isToBeWelcomed(user)) throw alreadySettled();
  await requireFreshSignIn({ services, session });
  const needsName = user.organisationId === null;
  if (needsName && organisation === '') throw fieldIssue('organisation', 'missing', 'is needed');
  const own = onlyOf(user.id);
  const sessionToken = readSessionToken(context, services) ?? '';
  await changePassword(
    own,
    services,
    { currentPassword: undefined, password, sessionToken },
    async (work) => {
      if (needsName) await foundOrganisation(own, work, { name: organisation });
    },
  );
  return done(context, { to: '/dashboard', message: wordsFor(context, accountsWords).welcome.done });
}

function alreadySettled(): AppError {
  return new AppError({
    code: 'conflict',
    reason: 'has_password',
    public: 'This account has a password already. Change it in its settings.',
  });
}
