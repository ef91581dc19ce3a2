/** Who may be signed in at a portal of its own name, by whatever way in. */
import type { Context } from 'hono';
import { AppError } from '../../base/errors.ts';
import type { User } from '../../identity/index.ts';
import { atPortal, isMainHost, mayBeHandedOff } from '../portals.ts';
import type { PortalServices } from '../services.ts';

/** What `orAtMain` answers. */
export class NotOfPortal extends AppError {
  readonly host: string;

  constructor(host: string, sentence: string) {
    super({ code: 'sign_in_elsewhere', public: sentence });
    this.host = host;
  }
}

/**
 * Whoever runs a portal's name can act as everybody who is signed in there, so that a password signs in no others than
 * an identity provider does. To be asked once somebody has shown who they are: before, it would tell of accounts.
 * @throws AppError for `orAtMain` to answer.
 */
export function requireOfPortal(
  context: Context,
  services: PortalServices,
  user: Pick<User, 'organisationId' | 'role'>,
): void {
  const portal = atPortal(context, services);
  if (portal === undefined || isMainHost(context, services) || mayBeHandedOff(user, portal)) return;
  const { host } = portal;
  throw new NotOfPortal(host, `Only people of its own organisation sign in at ${host}.`);
}
