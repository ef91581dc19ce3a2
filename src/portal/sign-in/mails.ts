/** The mails of this room: to whom they go, in which language, and the address that their links begin with. */
import { isIP } from 'node:net';
import type { Context } from 'hono';
import { AppError } from '../../base/errors.ts';
import { isLanguage } from '../../base/language.ts';
import type { User, Work } from '../../identity/index.ts';
import type { MailNews } from '../../notifications/index.ts';
import type { PortalServices } from '../services.ts';
import { visitOf } from '../visit.ts';

export interface MailTo {
  readonly user: Pick<User, 'email' | 'language'>;
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
  const { brand, language } = visitOf(context);
  await services.mail.queue(work, {
    ...news,
    to: user.email,
    accountId,
    language: isLanguage(user.language) ? user.language : language,
    service: { name: brand.name, url: mailAddress(context, services) },
    ...(expiresAt !== undefined && { expiresAt }),
  });
}

/**
 * What links in mails begin with. Whoever asks writes the host of their request as they like, so that without a
 * configured address only names that nobody outside can own are believed: a link with a secret must not lead to a
 * stranger's host.
 * @throws AppError where the address is not known.
 */
export function mailAddress(context: Context, services: PortalServices): string {
  if (isAddressKnown(context, services)) return visitOf(context).address;
  throw new AppError({
    code: 'internal_error',
    public: 'This service does not know its own address, so that it cannot send links by mail.',
    internal: 'a mail with a link was to be sent to a host that is not known: set SLUICE_PUBLIC_URL',
  });
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
