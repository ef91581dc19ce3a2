/** What the frame shows of whoever is signed in. */
import { findOrganisation, isAtLeast, type User } from '../identity/index.ts';
import type { PortalServices } from './services.ts';
import type { Viewer } from './ui/page.ts';

export async function viewerOf(user: User, { storage, wallets }: PortalServices): Promise<Viewer> {
  const [availableNanoUsd, organisation] = await Promise.all([
    user.billingExempt ? null : wallets.available(user.id),
    user.organisationId === null
      ? undefined
      : findOrganisation(
          { whose: 'organisation', organisationId: user.organisationId },
          storage.db,
          user.organisationId,
        ),
  ]);
  return {
    email: user.email,
    ...(user.name !== '' && { name: user.name }),
    organisation: organisation?.name ?? null,
    balance: availableNanoUsd === null ? null : { nanoUsd: availableNanoUsd, daysLeft: null },
    administers: isAtLeast(user.role, 'department_admin'),
  };
}
