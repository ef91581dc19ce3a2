/** `/login/second-factor`: the code that is asked for after a password, a link or a provider. */
import type { Context } from 'hono';
import { deleteCookie, getCookie } from 'hono/cookie';
import { z } from 'zod';
import { AppError } from '../../base/errors.ts';
import { type GivenSecondStep, takeSecondStep } from '../../identity/index.ts';
import { clientAddress, sessionStart } from '../client-facts.ts';
import { done } from '../done.ts';
import { takeForm } from '../kept-form.ts';
import { factorsWords } from '../languages/factors/index.ts';
import { pathHere } from '../path-here.ts';
import { type Asked, type Route, route } from '../route.ts';
import type { PortalServices } from '../services.ts';
import { secondFactorCookie, writeSessionCookie } from '../session-cookie.ts';
import { wordsFor } from '../visit.ts';
import { loginAtMain, orAtMain } from './at-main.ts';
import { nextField } from './fields.ts';
import { EntryForm, showFormPage } from './form-page.tsx';
import { isAddressKnown, mailAddress, queueMail } from './mails.ts';

const path = '/login/second-factor';
const overview = '/dashboard';
const stepQuery = z.object({ next: nextField });
const stepBody = z.object({ code: z.string().min(1).max(100), next: nextField });

export const secondFactorRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path,
    summary: 'The question for the code of a second factor',
    tag: 'Signing in',
    access: 'anyone',
    answers: 'page',
    query: stepQuery,
    handle: showStep,
  }),
  route({
    method: 'POST',
    path,
    summary: 'Answer with a code of the app, or a recovery code',
    tag: 'Signing in',
    access: 'anyone',
    answers: 'action',
    page: path,
    body: stepBody,
    result: z.object({ next: z.string().describe('The page to go on to') }),
    refusals: {
      401: 'The code is wrong, or the first step has to be taken again',
      403: 'This portal is not of the account’s organisation',
      429: 'Too many attempts',
    },
    handle: takeStep,
  }),
];

type AskedWithCode = Asked<'anyone', { body: typeof stepBody }>;

function showStep({
  context,
  query,
}: Asked<'anyone', { query: typeof stepQuery }>): Response | Promise<Response> {
  if (getCookie(context, secondFactorCookie) === undefined) return context.redirect('/login', 303);
  const form = takeForm(context);
  const next = pathHere(form.values['next'] ?? query.next, overview);
  const { step } = wordsFor(context, factorsWords);
  return showFormPage(context, {
    title: step.title,
    content: (
      <>
        <p>{step.text}</p>
        <EntryForm
          to={path}
          form={form}
          fields={[{ name: 'code', label: step.code, autocomplete: 'one-time-code', autofocus: true }]}
          carries={{ next: next === overview ? undefined : next }}
          action={step.action}
        />
        <div class="ways">
          <p>
            <a class="link" href="/login">
              {step.back}
            </a>
          </p>
        </div>
      </>
    ),
  });
}

function takeStep(asked: AskedWithCode): Promise<Response> {
  const { context, services, body } = asked;
  const path = loginAtMain(pathHere(body.next, overview));
  return orAtMain(context, services, path, () => enter(asked));
}

async function enter({ context, services, body: { code, next } }: AskedWithCode): Promise<Response> {
  const secret = getCookie(context, secondFactorCookie) ?? '';
  // The method is the first factor's, which its token remembers.
  const start = sessionStart(context, services, 'password');
  const onGuessed = warnOfGuessing(context, services);
  const step = await takeSecondStep(services, services.envelope, { secret, code, start, onGuessed });
  if (step.outcome === 'wrong_code') {
    throw new AppError({ code: 'wrong_code', public: 'This code is wrong, or was used before.' });
  }
  deleteCookie(context, secondFactorCookie, { path: '/login' });
  if (step.outcome === 'over') {
    throw new AppError({
      code: 'first_step_over',
      public: 'Sign in again: it took too long, or too many codes.',
    });
  }
  writeSessionCookie(context, services, step.session);
  const to = pathHere(next, overview);
  return done(context, { to, result: { next: to } });
}

function warnOfGuessing(context: Context, services: PortalServices): GivenSecondStep['onGuessed'] {
  return async (work, user) => {
    // A link in a mail must lead to an address that is known to be ours; without one there is no mail.
    if (!isAddressKnown(context, services)) return;
    const facts = {
      atMs: services.clock.nowMs(),
      address: clientAddress(context, services),
      resetLink: `${mailAddress(context, services, user)}/forgot-password`,
    };
    await queueMail(context, services, work, {
      ...{ user, accountId: user.id },
      news: { kind: 'codes_guessed', facts },
    });
  };
}
