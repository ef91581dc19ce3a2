/** Mails about what signs in to an account: a person who is not told would not find a way in that somebody else made. */
import type { Context } from 'hono';
import { onlyOf } from '../../base/scope.ts';
import { listIdentities, listPasskeys, type User, type Work } from '../../identity/index.ts';
import type { MailNews } from '../../notifications/index.ts';
import type { PortalServices } from '../services.ts';
import { settingsPaths } from '../settings/section.ts';
import { isAddressKnown, mailAddress, queueMail } from './mails.ts';

type FactsOf<Kind extends MailNews['kind']> = Extract<MailNews, { kind: Kind }>['facts'];

interface WayChanged extends Pick<FactsOf<'sign_in_changed'>, 'change'> {
  readonly user: User;
  /** The name of what was added or removed, where it has one. */
  readonly what?: string;
}

/** To be called in the work that changes it. */
export async function tellOfWay(
  context: Context,
  services: PortalServices,
  work: Work,
  { user, change, what = '' }: WayChanged,
): Promise<void> {
  // A link in a mail must lead to an address that is known to be ours; without one there is no mail.
  if (!isAddressKnown(context, services)) return;
  const waysLink = waysLinkOf(context, services, user);
  await queueMail(context, services, work, {
    ...{ user, accountId: user.id },
    news: { kind: 'sign_in_changed', facts: { change, what, atMs: services.clock.nowMs(), waysLink } },
  });
}

/** A new password ends no passkey and no link to a provider, which whoever had the account may have made. */
export async function tellOfPassword(
  context: Context,
  services: PortalServices,
  work: Work,
  user: User,
): Promise<void> {
  if (!isAddressKnown(context, services)) return;
  const own = onlyOf(user.id);
  const configured = new Set(services.identityProviders.map(({ name }) => name));
  const linked = await listIdentities(own, work.executor);
  const facts = {
    atMs: services.clock.nowMs(),
    resetLink: `${mailAddress(context, services, user)}/forgot-password`,
    passkeys: (await listPasskeys(own, work.executor)).length,
    providers: linked.filter(({ provider }) => configured.has(provider)).length,
    waysLink: waysLinkOf(context, services, user),
  };
  await queueMail(context, services, work, {
    ...{ user, accountId: user.id },
    news: { kind: 'password_changed', facts },
  });
}

const waysLinkOf = (context: Context, services: PortalServices, user: User): string =>
  `${mailAddress(context, services, user)}${settingsPaths.security}`;
