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
import { LinkButton } from '../ui/button.tsx';
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
    refusals: { 409: 'The owner has a password already' },
    handle: settle,
  }),
];

/** Whether somebody who came by a link is asked for a password first. */
export function isToBeWelcomed({ role, hasPassword }: User): boolean {
  return role === 'platform_owner' && !hasPassword;
}

function showWelcome({ context, session: { user } }: Asked<'platform_owner'>): Response | Promise<Response> {
  if (!isToBeWelcomed(user)) return context.redirect('/dashboard', 303);
  const { welcome, field, help } = wordsFor(context, accountsWords);
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
        <EntryForm
          to={welcomePath}
          form={takeForm(context)}
          fields={[
            ...(user.organisationId === null ? [organisationField] : []),
            newPasswordField(field.password, help.password),
          ]}
          account={user.email}
          action={welcome.action}
          beside={
            <LinkButton href="/dashboard" look="ghost" size="large">
              {welcome.later}
            </LinkButton>
          }
        />
      </>
    ),
  });
}

async function settle({
  context,
  services,
  session: { user },
  body: { organisation = '', password },
}: Asked<'platform_owner', { body: typeof welcomeBody }>): Promise<Response> {
  if (!isToBeWelcomed(user)) throw alreadySettled();
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
    public: 'This account has a password already. Change it in its settings.',
  });
}
