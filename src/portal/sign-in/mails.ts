/** The mails of this room: to whom they go, in which language, and the address that their links begin with. */
import { isIP } from 'node:net';
import type { Context } from 'hono';
import { AppError } from '../../base/errors.ts';
import { isLanguage } from '../../base/language.ts';
import type { User, Work } from '../../identity/index.ts';
import type { MailNews } from '../../notifications/index.ts';
import { publicAddress } from '../address.ts';
import { atPortal, mayBeHandedOff } from '../portals.ts';
import type { PortalServices } from '../services.ts';
import { type Brand, sluiceBrand } from '../ui/brand.ts';
import { visitOf } from '../visit.ts';

/** Whose links may lead to a portal's host; what is not known of somebody who has no account yet is left out. */
type Reader = Partial<Pick<User, 'organisationId' | 'role'>>;

export interface MailTo {
  readonly user: Pick<User, 'email' | 'language'> & Reader;
  /** Whose activity says so where it cannot be delivered; null where nobody is to learn that of it. */
  readonly accountId: number | null;
  readonly news: MailNews;
  /** When it is worth nothing any more. */
  readonly expiresAt?: Date;
}

export async function queueMail(
  context: Context,
  services: PortalServices,
  work: Work,
  { user, accountId, news, expiresAt }: MailTo,
): Promise<void> {
  const { language } = visitOf(context);
  await services.mail.queue(work, {
    ...news,
    to: user.email,
    accountId,
    language: isLanguage(user.language) ? user.language : language,
    service: { name: brandFor(context, services, user).name, url: mailAddress(context, services, user) },
    ...(expiresAt !== undefined && { expiresAt }),
  });
}

/**
 * What links in mails begin with. Whoever asks writes the host of their request as they like, so that without a
 * configured address only names that nobody outside can own are believed: a link with a secret must not lead to a
 * stranger's host. Nor to a portal's, whoever asks there, where its reader could not be signed in by a way back.
 * @param reader who has an account; of nobody else it can be known.
 * @throws AppError where the address is not known.
 */
export function mailAddress(context: Context, services: PortalServices, reader: Reader = {}): string {
  if (isOfOthers(context, services, reader)) return publicAddress(context, services);
  if (isAddressKnown(context, services)) return visitOf(context).address;
  throw new AppError({
    code: 'internal_error',
    public: 'This service does not know its own address, so that it cannot send links by mail.',
    internal: 'a mail with a link was to be sent to a host that is not known: set SLUICE_PUBLIC_URL',
  });
}

function brandFor(context: Context, services: PortalServices, reader: Reader): Brand {
  return isOfOthers(context, services, reader) ? sluiceBrand : visitOf(context).brand;
}

/** Whether the request is at a portal that the reader has nothing to do with. */
function isOfOthers(
  context: Context,
  services: PortalServices,
  { role, organisationId = null }: Reader,
): boolean {
  const portal = atPortal(context, services);
  if (portal === undefined || role === undefined) return false;
  return !mayBeHandedOff({ role, organisationId }, portal);
}

/** Whether a mail may have links at all; see `mailAddress`. */
export function isAddressKnown(context: Context, { publicUrl }: PortalServices): boolean {
  return publicUrl !== null || isOwnName(new URL(visitOf(context).address).hostname);
}

const privateNetworks = /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)/;
const privateNames = /(?:^|\.)(?:localhost|local|internal|test)$/;

function isOwnName(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (isIP(bare) === 4) return privateNetworks.test(bare);
  if (isIP(bare) === 6) return bare === '::1' || /^f[cd]/.test(bare);
  return !bare.includes('.') || privateNames.test(bare);
}
