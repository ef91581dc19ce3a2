/** The first steps of a new account, which tick themselves off as they happen, until all are done or nobody wants to see them. */
import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { z } from 'zod';
import { onlyOf } from '../../base/scope.ts';
import { hasKey, type User } from '../../identity/index.ts';
import { readUsage } from '../../usage/index.ts';
import { done } from '../done.ts';
import { homeWords } from '../languages/home/index.ts';
import { findPayment, type Payment } from '../payment.ts';
import { type Asked, type Route, route } from '../route.ts';
import type { PortalServices } from '../services.ts';
import { PostButton } from '../ui/button.tsx';
import { wayTo } from '../ui/navigation.ts';
import { useWords } from '../ui/speech.tsx';
import { State } from '../ui/state.tsx';
import { visitOf } from '../visit.ts';

const path = '/dashboard/first-steps';
const dismissPath = `${path}/dismiss`;
const dismissedCookie = 'sluice-steps';
const yearSeconds = 365 * 86_400;

/** A model without a price answers before there is any money. */
const stepNames = ['verified', 'key', 'request', 'funded'] as const;
const stepsShape = z.object({
  verified: z.boolean(),
  key: z.boolean(),
  funded: z.boolean(),
  request: z.boolean(),
});
export type Steps = z.infer<typeof stepsShape>;

export const firstStepsRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path,
    summary: 'Which first steps of an account have happened',
    tag: 'Dashboard',
    access: 'member',
    answers: 'json',
    result: stepsShape,
    async handle({ context, services, session: { user } }: Asked<'member'>) {
      const payment = await findPayment(user, services);
      return context.json(await readSteps(user, payment, services));
    },
  }),
  route({
    method: 'POST',
    path: dismissPath,
    summary: 'Show the first steps no more in this browser',
    tag: 'Dashboard',
    access: 'member',
    answers: 'action',
    handle({ context, session: { user } }: Asked<'member'>) {
      setCookie(context, dismissedCookie, String(user.id), {
        ...{ path: '/', maxAge: yearSeconds, httpOnly: true, sameSite: 'Lax' },
        secure: visitOf(context).address.startsWith('https:'),
      });
      return done(context, { to: '/dashboard' });
    },
  }),
];

export const areDismissed = (context: Context, { id }: User): boolean =>
  getCookie(context, dismissedCookie) === String(id);

export const areAllDone = (steps: Steps): boolean => stepNames.every((name) => steps[name]);

export async function readSteps(
  { id, emailVerifiedAt }: User,
  payment: Payment,
  { storage: { db } }: PortalServices,
): Promise<Steps> {
  const [key, [first]] = await Promise.all([hasKey(onlyOf(id), db), readUsage(onlyOf(id), db, { limit: 1 })]);
  // Money that is used up by now was there: whoever sent a request has passed this step.
  const funded = payment.by !== 'themself' || payment.availableNanoUsd > 0n || first !== undefined;
  return { verified: emailVerifiedAt !== null, key, funded, request: first !== undefined };
}

export function FirstSteps({ steps }: { readonly steps: Steps }) {
  const words = useWords(homeWords).steps;
  const ways = {
    verified: '/dashboard/settings',
    key: wayTo('keys'),
    funded: '#balance',
    request: '#send',
  };
  const doneCount = stepNames.filter((name) => steps[name]).length;
  return (
    <section
      class="first-steps"
      aria-labelledby="steps-title"
      data-first-steps={path}
      data-done={words.done}
      data-progress={words.progress(-1, stepNames.length)}
    >
      <div class="section-head">
        <h2 id="steps-title">{words.title}</h2>
        <p class="quiet small" role="status" data-steps-progress>
          {words.progress(doneCount, stepNames.length)}
        </p>
        <PostButton to={dismissPath} look="link">
          {words.dismiss}
        </PostButton>
      </div>
      <ol>
        {stepNames.map((name) => (
          <li data-step={name}>
            <State mood={steps[name] ? 'good' : 'off'}>
              <span class="hidden">{steps[name] ? words.done : words.open}</span>
            </State>
            <a class="link" href={ways[name]}>
              {words[name]}
            </a>
            {name === 'request' && !steps.request ? (
              <span class="quiet small" data-step-waiting>
                {words.waiting}
              </span>
            ) : null}
          </li>
        ))}
      </ol>
      <p class="quiet" data-steps-all hidden={!areAllDone(steps)}>
        {words.all}
      </p>
    </section>
  );
}
