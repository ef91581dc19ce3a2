/** What the frame shows of whoever is signed in: their organisation, what they look at, and how long their money lasts. */
import type { Scope } from '../base/scope.ts';
import {
  findOrganisation,
  isAtLeast,
  listOrganisations,
  type Session,
  scopeOf,
  type User,
  widestScope,
} from '../identity/index.ts';
import type { PortalServices } from './services.ts';
import { spendRateOf } from './spend-rate.ts';
import type { Viewer } from './ui/page.ts';

/** So many organisations stand in the menu; the others are found by searching. */
const mostOrganisations = 50;

export async function viewerOf(session: Session, services: PortalServices): Promise<Viewer> {
  const { user, view } = session;
  const administers = isAtLeast(user.role, 'department_admin');
  const scope = scopeOf(user, view);
  const isWide = administers && view.adminMode && widestScope(user).whose === 'everybody';
  const [balance, organisation, choices] = await Promise.all([
    readBalance(user, services),
    findShown(session, scope, services),
    isWide ? listOrganisations(widestScope(user), services.storage.db, { limit: mostOrganisations + 1 }) : [],
  ]);
  const chosenId = scope.whose === 'organisation' ? scope.organisationId : null;
  return {
    email: user.email,
    ...(user.name !== '' && { name: user.name }),
    organisation: organisation?.name ?? null,
    ...(isWide && {
      organisations: [
        choiceOf(null, chosenId),
        ...choices.slice(0, mostOrganisations).map((each) => choiceOf(each, chosenId)),
      ],
      hasMoreOrganisations: choices.length > mostOrganisations,
    }),
    balance,
    administers,
    ...(administers && { administration: view.adminMode ? scope.whose : 'off' }),
  };
}

interface Named {
  readonly id: number;
  readonly name: string;
}

/** Null is every organisation. */
const choiceOf = (organisation: Named | null, chosenId: number | null) => ({
  name: organisation?.name ?? null,
  isCurrent: (organisation?.id ?? null) === chosenId,
  to: '/dashboard/set-admin-org',
  fields: { org_id: String(organisation?.id ?? '') },
});

/** The one that is looked at, else their own; none where everybody's things are looked at. */
function findShown({ user }: Session, scope: Scope, { storage }: PortalServices) {
  if (scope.whose === 'everybody') return undefined;
  const id = scope.whose === 'person' ? user.organisationId : scope.organisationId;
  if (id === null) return undefined;
  return findOrganisation({ whose: 'organisation', organisationId: id }, storage.db, id);
}

async function readBalance(user: User, services: PortalServices): Promise<Viewer['balance']> {
  if (user.billingExempt) return null;
  const [nanoUsd, aDayNanoUsd] = await Promise.all([
    services.wallets.available(user.id),
    spendRateOf(user, services),
  ]);
  return { nanoUsd, daysLeft: daysLeft(nanoUsd, aDayNanoUsd) };
}

/** Whole days; null where nothing is spent, or so little that it lasts for years. */
function daysLeft(nanoUsd: bigint, aDayNanoUsd: bigint): number | null {
  if (aDayNanoUsd <= 0n) return null;
  const days = nanoUsd <= 0n ? 0n : nanoUsd / aDayNanoUsd;
  return days > 999n ? null : Number(days);
}
