/** Where a person goes whose first factor was right: into their session, or to the question for the second. */
import type { Context } from 'hono';
import type { Admission } from '../../identity/index.ts';
import { type Done, done } from '../done.ts';
import type { PortalServices } from '../services.ts';
import { writeSecondFactorCookie, writeSessionCookie } from '../session-cookie.ts';
import { requireOfPortal } from './portal-people.ts';

const secondFactorPath = '/login/second-factor';

/** The same at the end of a way over other pages, where there is no form or program to answer. */
export function redirectAdmitted(
  context: Context,
  services: PortalServices,
  admission: Admission,
  to: string,
): Response {
  if (admission.outcome === 'session') {
    writeSessionCookie(context, services, admission.session);
    return context.redirect(to, 303);
  }
  // Whom no session is for is not asked for a code either, which a portal could use.
  requireOfPortal(context, services, admission.user);
  writeSecondFactorCookie(context, services, admission.token);
  return context.redirect(`${secondFactorPath}?${new URLSearchParams({ next: to })}`, 303);
}

/** @param then what follows once they are signed in. */
export function answerAdmission(
  context: Context,
  services: PortalServices,
  admission: Admission,
  then: Pick<Done, 'to' | 'message'>,
): Response {
  if (admission.outcome === 'session') {
    writeSessionCookie(context, services, admission.session);
    return done(context, { ...then, result: { next: then.to } });
  }
  requireOfPortal(context, services, admission.user);
  writeSecondFactorCookie(context, services, admission.token);
  const to = `${secondFactorPath}?${new URLSearchParams({ next: then.to })}`;
  return done(context, { to, result: { next: to, second_factor: true } });
}
