/**
 * The end of a sign-in that began at a portal's host and ran on the main one: who may go back there, the question whether
 * they want to, and their arrival.
 */
import type { Context } from 'hono';
import { z } from 'zod';
import { onlyOf } from '../../base/scope.ts';
import {
  type Admission,
  admit,
  findUser,
  issueToken,
  type OneTimeToken,
  redeemToken,
  transact,
  type Work,
} from '../../identity/index.ts';
import { publicAddress } from '../address.ts';
import { sessionStart } from '../client-facts.ts';
import { providersWords } from '../languages/providers/index.ts';
import { pathHere } from '../path-here.ts';
import { atPortal, lookLikePortal, mayBeHandedOff } from '../portals.ts';
import { wantsPage } from '../refusal.ts';
import { type Asked, type Route, route } from '../route.ts';
import type { PortalServices } from '../services.ts';
import { Button, LinkButton } from '../ui/button.tsx';
import { showNotice } from '../ui/notice.tsx';
import { wordsFor } from '../visit.ts';
import { redirectAdmitted } from './admitted.ts';
import { loginAtMain, orAtMain } from './at-main.ts';
import { showFormPage } from './form-page.tsx';
import { type Crossing, newQuestion, takePortalProof, takeQuestion, writeQuestion } from './provider-flow.ts';
import { refuseHandoff } from './provider-refusals.tsx';
import { challengeOf } from './provider-start.ts';

const tag = 'Signing in';
const goOnPath = '/auth/sso/continue';
const body = z.object({ question: z.string().max(100).describe('Which question is answered') });
const query = z.object({ token: z.string().max(100).default('') });
const detailShape = z.object({
  host: z.string(),
  challenge: z.string(),
  method: z.string(),
  next: z.string(),
});

export const handoffRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: goOnPath,
    summary: 'Go back, signed in, to the portal of its own name where a sign-in began',
    tag,
    access: 'anyone',
    answers: 'action',
    page: '/login',
    body,
    result: z.object({ next: z.string().describe('The address to go on to') }),
    refusals: { 410: 'Nothing was asked of this browser, or it is answered or over' },
    handle: goOn,
  }),
  route({
    method: 'GET',
    path: '/auth/sso/complete',
    summary: 'Finish, at a portal of its own name, a sign-in that ran on the main host',
    tag,
    access: 'anyone',
    answers: 'redirect',
    changes: true,
    query,
    refusals: { 410: 'The token is unknown, used, over, or of another host or browser' },
    handle: complete,
  }),
];

/** Before anybody is handed off: redirects alone, from wherever, must not do it. */
export async function askToGoOn(
  context: Context,
  services: PortalServices,
  { crossing, email }: { readonly crossing: Crossing; readonly email: string },
): Promise<Response> {
  const question = newQuestion(services, crossing);
  await writeQuestion(context, services, question);
  const { host, method } = crossing;
  const { handoff } = wordsFor(context, providersWords);
  return showFormPage(context, {
    title: handoff.question(host),
    content: (
      <>
        <p>{handoff.consequence(email, host)}</p>
        <form class="form" method="post" action={goOnPath}>
          <input type="hidden" name="question" value={question.id} />
          <p class="form-actions">
            <Button look="primary" size="large">
              {handoff.goOn(host)}
            </Button>
            <LinkButton href={`/auth/${method}`} look="ghost" size="large">
              {handoff.stay}
            </LinkButton>
          </p>
        </form>
      </>
    ),
  });
}

async function goOn({
  context,
  services,
  body: { question: answered },
}: Asked<'anyone', { body: typeof body }>): Promise<Response> {
  const question = await takeQuestion(context, services, answered);
  const portal = services.resellerHosts.find(question?.host);
  if (question === undefined || portal === undefined) return refuseHandoff(context);
  const { userId } = question;
  const token = await transact(services, async (work) => {
    const user = await findUser(onlyOf(userId), work.executor, userId);
    return user !== undefined && mayBeHandedOff(user, portal) ? issueHandoff(work, question) : undefined;
  });
  if (token === undefined) return refuseHandoff(context);
  const next = addressOfHandoff(context, services, { host: portal.host, token });
  if (!wantsPage(context.req.raw)) return context.json({ ok: true, next });
  // Browsers hold a form to this site, wherever its answer leads; from a page that goes on by itself they may leave it.
  context.header('refresh', `0; url=${next}`);
  lookLikePortal(context, services, portal.host);
  const { handoff } = wordsFor(context, providersWords);
  return showNotice(context, 200, {
    title: handoff.goOn(portal.host),
    paragraphs: [handoff.goingOn],
    action: { href: next, label: handoff.goOn(portal.host) },
  });
}

export function issueHandoff(work: Work, { userId, ...crossing }: Crossing): Promise<OneTimeToken> {
  const { host, challenge, method, next } = crossing;
  return issueToken(work, 'handoff', userId, { host, challenge, method, next });
}

export function addressOfHandoff(
  context: Context,
  services: PortalServices,
  { host, token }: { readonly host: string; readonly token: OneTimeToken },
): string {
  const { protocol } = new URL(publicAddress(context, services));
  return `${protocol}//${host}/auth/sso/complete?${new URLSearchParams({ token: token.secret })}`;
}

type AskedWithToken = Asked<'anyone', { query: typeof query }>;

/** Who may be here is asked once more: their role may be another one by now. */
function complete(asked: AskedWithToken): Promise<Response> {
  const { context, services } = asked;
  return orAtMain(context, services, loginAtMain('/dashboard'), () => enter(asked));
}

async function enter({ context, services, query: { token } }: AskedWithToken): Promise<Response> {
  const portal = atPortal(context, services);
  const proof = takePortalProof(context, services);
  // A browser that began nothing here was sent by somebody; whose token it is goes on being good where it belongs.
  if (portal === undefined || proof === undefined) return refuseHandoff(context);
  const challenge = challengeOf(proof);
  const entered = await transact(services, async (work): Promise<Entered | undefined> => {
    // Used up by whoever shows it, so that one that went astray is worth nothing any more.
    const holder = await redeemToken(work, 'handoff', token);
    const detail = detailShape.safeParse(holder?.detail).data;
    if (holder === undefined || detail === undefined) return undefined;
    if (detail.host !== portal.host || detail.challenge !== challenge) return undefined;
    const start = sessionStart(context, services, detail.method);
    return { admission: await admit(work, holder.user, start), next: detail.next };
  });
  if (entered === undefined) return refuseHandoff(context);
  return redirectAdmitted(context, services, entered.admission, pathHere(entered.next, '/dashboard'));
}

interface Entered {
  readonly admission: Admission;
  readonly next: string;
}
