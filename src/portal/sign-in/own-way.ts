/** E-mail domains that belong to an identity provider: no password is of use there, and none can be had. */
import { AppError } from '../../base/errors.ts';
import { ownerOfAddress } from '../../identity/index.ts';
import type { PortalServices } from '../services.ts';

/**
 * To be asked before anything is done for an address by a password or towards one. It says nothing of accounts: the
 * domain alone decides.
 * @throws AppError `sign_in_elsewhere`.
 */
export function requireOwnWay({ identityProviders }: PortalServices, email: string): void {
  const owner = ownerOfAddress(identityProviders, email);
  if (owner === undefined) return;
  throw new AppError({
    code: 'sign_in_elsewhere',
    public: `People with this e-mail domain sign in by ${owner.label} alone.`,
  });
}
