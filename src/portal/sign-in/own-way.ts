/** E-mail domains that belong to an identity provider: no password is of use there, and none can be had. */
import { AppError } from '../../base/errors.ts';
import type { IdentityProvider } from '../../configuration/index.ts';
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
    public: `People with this e-mail domain sign in only with ${owner.label}.`,
  });
}

/** Those that somebody with the address can come by: the one that their domain belongs to, or all of them. */
export function providersFor(
  { identityProviders }: PortalServices,
  email: string | undefined,
): readonly IdentityProvider[] {
  const owner = email === undefined ? undefined : ownerOfAddress(identityProviders, email);
  return owner === undefined
    ? identityProviders
    : identityProviders.filter(({ name }) => name === owner.name);
}
