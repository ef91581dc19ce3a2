/** GET /auth/sso/complete: the end, at a portal's host, of a sign-in that an identity provider and the main host began. */
import { z } from 'zod';
import { type Admission, admit, redeemToken, transact } from '../../identity/index.ts';
import { sessionStart } from '../client-facts.ts';
import { pathHere } from '../path-here.ts';
import { atPortal } from '../portals.ts';
import { type Asked, type Route, route } from '../route.ts';
import { redirectAdmitted } from './admitted.ts';
import { takePortalProof } from './provider-flow.ts';
import { refuseHandoff } from './provider-refusals.tsx';
import { challengeOf } from './provider-start.ts';

const query = z.object({ token: z.string().max(100).default('') });
const detailShape = z.object({
  host: z.string(),
  challenge: z.string(),
  method: z.string(),
  next: z.string(),
});

export const handoffRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/auth/sso/complete',
    summary: 'Finish, at a portal of its own name, a sign-in that ran on the main host',
    tag: 'Signing in',
    access: 'anyone',
    answers: 'redirect',
    changes: true,
    query,
    refusals: { 410: 'The token is unknown, used, over, or of another host or browser' },
    handle: complete,
  }),
];

async function complete({
  context,
  services,
  query: { token },
}: Asked<'anyone', { query: typeof query }>): Promise<Response> {
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
