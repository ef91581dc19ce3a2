/** `/login` and `/auth/login`: signing in with e-mail address and password. */
import { z } from 'zod';
import { networkOf } from '../../base/client-address.ts';
import { AppError } from '../../base/errors.ts';
import { signInByPassword } from '../../identity/index.ts';
import { clientAddress, sessionStart } from '../client-facts.ts';
import { takeForm } from '../kept-form.ts';
import { accountsWords } from '../languages/accounts/index.ts';
import { pathHere } from '../path-here.ts';
import { type Asked, type Route, route } from '../route.ts';
import { visitOf, wordsFor } from '../visit.ts';
import { answerAdmission } from './admitted.ts';
import { loginAtMain, orAtMain } from './at-main.ts';
import { emailField, nextField, passwordField } from './fields.ts';
import { EntryForm, showFormPage } from './form-page.tsx';
import { readPeople } from './known-browser.ts';
import { requireOwnWay } from './own-way.ts';
import { PasskeyButton } from './passkey.tsx';
import { ProviderLinks } from './provider-buttons.tsx';

const overview = '/dashboard';
const againField = z
  .string()
  .max(10)
  .optional()
  .describe('Also for who is signed in, to show who they are once more');
const loginQuery = z.object({ next: nextField, again: againField });
const credentials = z.object({
  email: emailField,
  password: passwordField,
  next: nextField,
  again: againField,
});

export const loginRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/login',
    summary: 'Sign in',
    tag: 'Public pages',
    access: 'anyone',
    answers: 'page',
    query: loginQuery,
    handle: showLogin,
  }),
  route({
    method: 'POST',
    path: '/auth/login',
    summary: 'Sign in with e-mail address and password',
    tag: 'Signing in',
    access: 'anyone',
    answers: 'action',
    page: '/login',
    body: credentials,
    result: z.object({
      next: z.string().describe('The page to go on to'),
      second_factor: z.literal(true).optional().describe('A code is asked for there'),
    }),
    refusals: {
      401: 'The address or the password is wrong, or there is no such account',
      403: 'The e-mail domain belongs to an identity provider, or this portal is not of the account’s organisation',
      429: 'Too many attempts',
    },
    handle: logIn,
  }),
];

function showLogin({
  context,
  services,
  session,
  query,
}: Asked<'anyone', { query: typeof loginQuery }>): Response | Promise<Response> {
  const form = takeForm(context);
  const next = pathHere(form.values['next'] ?? query.next, overview);
  // A mistake leads back here with what was sent, and the form is shown once more.
  const again = form.values['again'] ?? query.again;
  if (session !== null && again === undefined) return context.redirect(next, 303);
  const words = wordsFor(context, accountsWords);
  const { login, field } = words;
  return showFormPage(context, {
    title: login.title(visitOf(context).brand.name),
    islands: ['passkey'],
    content: (
      <>
        <EntryForm
          to="/auth/login"
          form={form}
          fields={[
            { name: 'email', type: 'email', label: field.email, autocomplete: 'username' },
            {
              name: 'password',
              type: 'password',
              label: field.password,
              autocomplete: 'current-password',
            },
          ]}
          carries={{ next: next === overview ? undefined : next, again }}
          action={login.action}
        />
        <PasskeyButton next={next} />
        <ProviderLinks providers={services.identityProviders} query={{ next }} />
        <div class="ways">
          <p>
            <a class="link" href="/forgot-password">
              {login.forgot}
            </a>
          </p>
          <p>
            {login.noAccount}{' '}
            <a class="link" href="/signup">
              {login.create}
            </a>
          </p>
        </div>
      </>
    ),
  });
}

async function logIn({
  context,
  services,
  body,
}: Asked<'anyone', { body: typeof credentials }>): Promise<Response> {
  const { email, password } = body;
  const to = pathHere(body.next, overview);
  requireOwnWay(services, email);
  return orAtMain(context, services, loginAtMain(to), async () => {
    const admission = await signInByPassword(services, {
      email,
      password,
      from: networkOf(clientAddress(context, services)),
      knownHere: await readPeople(context, services),
      start: sessionStart(context, services, 'password'),
    });
    if (admission === undefined) {
      throw new AppError({
        code: 'wrong_credentials',
        public: 'The e-mail address or the password is wrong.',
      });
    }
    return answerAdmission(context, services, admission, { to });
  });
}
