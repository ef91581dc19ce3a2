/** `/signup` and `/auth/register`: making an account, by oneself or by an invitation. */
import type { Context } from 'hono';
import { z } from 'zod';
import { networkOf } from '../../base/client-address.ts';
import {
  admit,
  findInvite,
  type Registered,
  register,
  take,
  transact,
  type Work,
} from '../../identity/index.ts';
import { clientAddress, sessionStart } from '../client-facts.ts';
import { done } from '../done.ts';
import { takeForm } from '../kept-form.ts';
import { accountsWords } from '../languages/accounts/index.ts';
import { atPortal, isMainHost } from '../portals.ts';
import { type Asked, type Route, route } from '../route.ts';
import type { PortalServices } from '../services.ts';
import { Checkbox } from '../ui/control.tsx';
import { visitOf, wordsFor } from '../visit.ts';
import { answerAdmission } from './admitted.ts';
import { loginAtMain, orAtMain } from './at-main.ts';
import { inEvenTime } from './even-time.ts';
import {
  chosenPasswordField,
  consentField,
  emailField,
  isTicked,
  secretField,
  signupPath,
} from './fields.ts';
import { EntryForm, newPasswordField, showFormPage } from './form-page.tsx';
import { LegalLinks } from './legal-links.tsx';
import { mailAddress, queueMail } from './mails.ts';
import { giveToMember } from './new-member.ts';
import { providersFor, requireOwnWay } from './own-way.ts';
import { ProviderButtons, ProviderLinks } from './provider-buttons.tsx';

const dayMs = 24 * 3_600_000;
const signupQuery = z.object({ invite: secretField.optional() });
const registration = z.object({
  email: emailField,
  password: chosenPasswordField,
  name: z.string().trim().max(100).default(''),
  accept_terms: consentField.describe('True: the current terms are accepted'),
  invite: secretField.optional().describe('The secret of an invitation, which came by mail'),
});

export const signupRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/signup',
    summary: 'Create an account',
    tag: 'Public pages',
    access: 'anyone',
    answers: 'page',
    query: signupQuery,
    handle: showSignup,
  }),
  route({
    method: 'POST',
    path: '/auth/register',
    summary: 'Create an account; a mail says how it goes on, whether or not the address has one',
    tag: 'Signing in',
    access: 'anyone',
    answers: 'action',
    page: signupPath,
    body: registration,
    result: z.object({ next: z.string() }),
    refusals: {
      403: 'The e-mail domain belongs to an identity provider, or this portal is not of the invitation’s organisation',
      429: 'Too many attempts',
    },
    handle: signUp,
  }),
];

async function showSignup({
  context,
  services,
  session,
  query,
}: Asked<'anyone', { query: typeof signupQuery }>): Promise<Response> {
  if (session !== null) return context.redirect('/dashboard', 303);
  const { storage, clock } = services;
  const invite =
    query.invite === undefined
      ? undefined
      : await findInvite(storage.db, { secret: query.invite, nowMs: clock.nowMs() });
  const words = wordsFor(context, accountsWords);
  const { signup, field, help } = words;
  const form = takeForm(context);
  const providers = providersFor(services, invite?.email);
  return showFormPage(context, {
    title: signup.title,
    content: (
      <>
        {invite === undefined ? null : (
          <p>{signup.invited(invite.organisationName ?? words.invite.platform, invite.email)}</p>
        )}
        <EntryForm
          to="/auth/register"
          form={form}
          fields={[
            { name: 'name', label: field.name, help: help.name, autocomplete: 'name', maxLength: 100 },
            {
              name: 'email',
              type: 'email',
              label: field.email,
              autocomplete: 'username',
              maxLength: 254,
              value: invite?.email,
            },
            newPasswordField(field.password, help.password),
          ]}
          others={['accept_terms']}
          carries={{ invite: invite && query.invite }}
          action={signup.action}
          after={
            // Somebody new who came by a portal reads the terms on the main host, which names the portal.
            isMainHost(context, services) ? (
              <ProviderButtons providers={providers} />
            ) : (
              <ProviderLinks
                providers={providers}
                query={query.invite === undefined ? { next: '/dashboard' } : { invite: query.invite }}
              />
            )
          }
        >
          <Checkbox
            name="accept_terms"
            label={<LegalLinks say={signup.terms} />}
            error={form.issues['accept_terms']}
            checked={isTicked(form.values['accept_terms'])}
            required
          />
        </EntryForm>
        <div class="ways">
          <p>
            {signup.hasAccount}{' '}
            <a class="link" href="/login">
              {signup.signIn}
            </a>
          </p>
        </div>
      </>
    ),
  });
}

async function signUp({
  context,
  services,
  body,
}: Asked<'anyone', { body: typeof registration }>): Promise<Response> {
  const { accept_terms: _, ...fields } = body;
  requireOwnWay(services, fields.email);
  await take(services, 'register from address', networkOf(clientAddress(context, services)));
  await take(services, 'mail to account', fields.email);
  const { language, brand } = visitOf(context);
  const registered = await inEvenTime(services.clock, () =>
    register(
      services,
      {
        ...fields,
        language,
        legalVersion: services.legal.version,
        organisationId: atPortal(context, services)?.organisationId ?? null,
      },
      async (work, outcome) => {
        if (outcome.outcome !== 'taken') await giveToMember(work, outcome.user);
        await tellByMail(context, services, work, outcome);
      },
    ),
  );
  if (registered.outcome !== 'joined') {
    const to = '/verify-email?sent=1';
    return done(context, { to, result: { next: to } });
  }
  return orAtMain(context, services, loginAtMain('/dashboard'), async () => {
    const admission = await transact(services, (work) =>
      admit(work, registered.user, sessionStart(context, services, 'password')),
    );
    const message = wordsFor(context, accountsWords).signup.joined(brand.name);
    return answerAdmission(context, services, admission, { to: '/dashboard', message });
  });
}

/** The mail says what the answer must not. */
async function tellByMail(
  context: Context,
  services: PortalServices,
  work: Work,
  registered: Registered,
): Promise<void> {
  const { user, outcome } = registered;
  const address = mailAddress(context, services, user);
  if (outcome === 'taken') {
    const facts = { signInLink: `${address}/login`, resetLink: `${address}/forgot-password` };
    await queueMail(context, services, work, {
      ...{ user, accountId: user.id },
      news: { kind: 'address_taken', facts },
    });
  }
  if (outcome === 'registered') {
    const { secret, expiresAt } = registered.verification;
    const facts = { link: `${address}/verify-email?token=${secret}`, lifetimeMs: dayMs };
    await queueMail(context, services, work, {
      ...{ user, accountId: user.id, expiresAt },
      news: { kind: 'verify_address', facts },
    });
  }
}
