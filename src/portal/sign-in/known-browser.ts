/**
 * Which browsers a person has signed in with before. Each browser keeps that itself, sealed in a cookie, so that no list
 * of where people were is stored here; a sign-in from one that has no such word of them is told by mail.
 */
import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { z } from 'zod';
import { raiseNewBrowser, type SessionStart } from '../../identity/index.ts';
import type { PortalServices } from '../services.ts';
import { knownBrowserCookie } from '../session-cookie.ts';
import { deviceOf } from '../settings/device.ts';
import { settingsPaths } from '../settings/section.ts';
import { isAddressKnown, mailAddress, queueMail } from './mails.ts';
import { requireOfPortal } from './portal-people.ts';

/** Of the people who share a browser, those who signed in last. */
const mostPeople = 10;
const unknown = '–';

/** As long as browsers keep the cookie; whoever copied it keeps it for as long as they like. */
const knownForMs = 365 * 24 * 3_600_000;

const personShape = z.object({
  id: z.number(),
  /** When they signed in last. */
  atMs: z.number(),
  /** Of the password that they had then: who changes it may do so because somebody else was at this browser. */
  passwordMark: z.string(),
});
const knownShape = z.object({ kind: z.literal('known browser'), people: z.array(personShape) });
type KnownPerson = z.output<typeof personShape>;

/** To be called in the work that a session starts in: what of it is undone, is not told either. */
export function tellOfNewBrowser(
  context: Context,
  services: PortalServices,
  { userAgent, address, isTold }: Pick<SessionStart, 'userAgent' | 'address'> & { readonly isTold: boolean },
): NonNullable<SessionStart['onStarted']> {
  return async (work, { user, passwordMark, isFirst, replacesOwn }) => {
    // Every session begins by this, whatever the way in, and what is thrown here undoes it.
    requireOfPortal(context, services, user);
    const people = await readPeople(context, services);
    const isKnown = people.some((each) => each.id === user.id && each.passwordMark === passwordMark);
    const own = { id: user.id, atMs: services.clock.nowMs(), passwordMark };
    const kept = [own, ...people.filter(({ id }) => id !== user.id)].slice(0, mostPeople);
    context.set('knownBrowser', await sealPeople(services, kept));
    if (isTold || isKnown || isFirst || replacesOwn) return;
    const from = { device: deviceOf(userAgent) ?? unknown, address: address ?? unknown };
    await raiseNewBrowser(work, user.id, from);
    // A link in a mail must lead to an address that is known to be ours; without one there is no mail.
    if (!isAddressKnown(context, services)) return;
    const facts = {
      ...from,
      atMs: services.clock.nowMs(),
      sessionsLink: `${mailAddress(context, services, user)}${settingsPaths.security}`,
    };
    await queueMail(context, services, work, {
      ...{ user, accountId: user.id },
      news: { kind: 'new_sign_in', facts },
    });
  };
}

/** Whom the browser that asks has signed in before. */
export async function readPeople(
  context: Context,
  { envelope, clock }: PortalServices,
): Promise<readonly KnownPerson[]> {
  const sealed = getCookie(context, knownBrowserCookie);
  if (sealed === undefined) return [];
  // Whatever was not sealed here is no word of anybody, nor is what earlier versions sealed without a time.
  const opened = await envelope.open(sealed).catch(() => 'null');
  const people = knownShape.safeParse(JSON.parse(opened)).data?.people ?? [];
  return people.filter(({ atMs }) => atMs > clock.nowMs() - knownForMs);
}

const sealPeople = ({ envelope }: PortalServices, people: readonly KnownPerson[]): Promise<string> =>
  envelope.seal(JSON.stringify({ kind: 'known browser', people }));
