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

const knownShape = z.object({ kind: z.literal('known browser'), people: z.array(z.number()) });

/** To be called in the work that a session starts in: what of it is undone, is not told either. */
export function tellOfNewBrowser(
  context: Context,
  services: PortalServices,
  { userAgent, address, isTold }: Pick<SessionStart, 'userAgent' | 'address'> & { readonly isTold: boolean },
): NonNullable<SessionStart['onStarted']> {
  return async (work, { user, isFirst, replacesOwn }) => {
    // Every session begins by this, whatever the way in, and what is thrown here undoes it.
    requireOfPortal(context, services, user);
    const people = await readPeople(context, services);
    const isKnown = people.includes(user.id);
    const kept = [user.id, ...people.filter((id) => id !== user.id)].slice(0, mostPeople);
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

async function readPeople(context: Context, { envelope }: PortalServices): Promise<readonly number[]> {
  const sealed = getCookie(context, knownBrowserCookie);
  if (sealed === undefined) return [];
  // Whatever was not sealed here is no word of anybody.
  const opened = await envelope.open(sealed).catch(() => 'null');
  return knownShape.safeParse(JSON.parse(opened)).data?.people ?? [];
}

const sealPeople = ({ envelope }: PortalServices, people: readonly number[]): Promise<string> =>
  envelope.seal(JSON.stringify({ kind: 'known browser', people }));
