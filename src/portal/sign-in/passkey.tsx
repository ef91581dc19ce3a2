/** Signing in with a passkey: the question for the browser, and its answer. And what the settings ask in the same way. */
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { z } from 'zod';
import { AppError } from '../../base/errors.ts';
import {
  askForPasskey,
  passkeyProofFields,
  type RelyingParty,
  signInByPasskey,
} from '../../identity/index.ts';
import { sessionStart } from '../client-facts.ts';
import { done } from '../done.ts';
import { cookieOfHost } from '../kept-form.ts';
import { factorsWords } from '../languages/factors/index.ts';
import { pathHere } from '../path-here.ts';
import { type Asked, type Route, route } from '../route.ts';
import type { PortalServices } from '../services.ts';
import { writeSessionCookie } from '../session-cookie.ts';
import { Button } from '../ui/button.tsx';
import { useWords } from '../ui/speech.tsx';
import { visitOf } from '../visit.ts';
import { loginAtMain, orAtMain } from './at-main.ts';
import { nextField } from './fields.ts';
import { requireOwnWay } from './own-way.ts';

const proofBody = z.object({ answer: passkeyProofFields, next: nextField });
const questionResult = z.object({ options: z.record(z.string(), z.unknown()) });

export const passkeyRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/auth/passkey/options',
    summary: 'What to call navigator.credentials.get with',
    tag: 'Signing in',
    access: 'anyone',
    answers: 'action',
    page: '/login',
    result: questionResult,
    handle: ask,
  }),
  route({
    method: 'POST',
    path: '/auth/passkey',
    summary: 'Sign in with what the browser answered',
    tag: 'Signing in',
    access: 'anyone',
    answers: 'action',
    page: '/login',
    body: proofBody,
    result: z.object({ next: z.string().describe('The page to go on to') }),
    refusals: {
      401: 'The passkey is not known, or does not answer the question',
      403: 'The e-mail domain belongs to an identity provider, or this portal is not of the account’s organisation',
    },
    handle: enter,
  }),
];

async function ask({ context, services }: Asked): Promise<Response> {
  const options = await askForPasskey(partyOf(context));
  await keepChallenge(context, services, { purpose: 'enter', challenge: options.challenge });
  return context.json({ ok: true, options });
}

async function enter({
  context,
  services,
  body: { answer, next },
}: Asked<'anyone', { body: typeof proofBody }>): Promise<Response> {
  const challenge = await takeChallenge(context, services, 'enter');
  const start = sessionStart(context, services, 'passkey');
  const party = partyOf(context);
  const to = pathHere(next, '/dashboard');
  return orAtMain(context, services, loginAtMain(to), async () => {
    const entered =
      challenge === undefined
        ? undefined
        : await signInByPasskey(services, {
            ...{ answer, challenge, party, start },
            requireAllowed: ({ email }) => requireOwnWay(services, email),
          });
    if (entered === undefined) {
      throw new AppError({ code: 'wrong_credentials', public: 'The passkey was not accepted.' });
    }
    writeSessionCookie(context, services, entered.session);
    return done(context, { to, result: { next: to } });
  });
}

/** For the sign-in page. It is shown by its island, where the browser can. */
export function PasskeyButton({ next }: { readonly next: string }) {
  const { enter: words } = useWords(factorsWords);
  return (
    <div class="passkey" data-passkey="enter" data-next={next} hidden>
      <Button type="button" size="large">
        {words.action}
      </Button>
      <p class="bad" role="alert" data-passkey-failed hidden>
        {words.failed}
      </p>
    </div>
  );
}

/** The site that a passkey is for: this host. */
export function partyOf(context: Context): RelyingParty {
  const { address, brand } = visitOf(context);
  return { id: new URL(address).hostname, name: brand.name, origin: address };
}

type Purpose = 'enter' | 'add';

const challengeCookie = 'sluice-passkey';
const challengeLifetimeMs = 300_000;
const challengeSchema = z.object({
  purpose: z.enum(['enter', 'add']),
  challenge: z.string(),
  /** Who was asked; null where that is not known yet. */
  userId: z.int().nullable(),
  endsAtMs: z.number(),
});

/** In the browser that was asked, sealed, since nothing is known of whom to keep it for. */
export async function keepChallenge(
  context: Context,
  services: PortalServices,
  asked: { readonly purpose: Purpose; readonly challenge: string; readonly userId?: number },
): Promise<void> {
  const endsAtMs = services.clock.nowMs() + challengeLifetimeMs;
  const kept = { ...asked, userId: asked.userId ?? null, endsAtMs };
  const { name, options } = cookieOfHost(context, challengeCookie);
  setCookie(context, name, await services.envelope.seal(JSON.stringify(kept)), {
    ...options,
    sameSite: 'Strict',
    maxAge: challengeLifetimeMs / 1000,
  });
}

/** @returns undefined where nothing, something else or somebody else was asked, or too long ago. */
export async function takeChallenge(
  context: Context,
  { envelope, clock }: PortalServices,
  purpose: Purpose,
  userId: number | null = null,
): Promise<string | undefined> {
  const { name, options } = cookieOfHost(context, challengeCookie);
  const sealed = getCookie(context, name);
  if (sealed === undefined) return undefined;
  deleteCookie(context, name, options);
  const opened = await envelope.open(sealed).catch(() => 'null');
  const kept = challengeSchema.safeParse(JSON.parse(opened)).data;
  if (kept === undefined || kept.purpose !== purpose || kept.userId !== userId) return undefined;
  return kept.endsAtMs > clock.nowMs() ? kept.challenge : undefined;
}
