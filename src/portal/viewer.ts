/** What the frame shows of whoever is signed in: their organisation, what they look at, and how long their money lasts. */
import type { Scope } from '../base/scope.ts';
import {
  findOrganisation,
  isAtLeast,
  listOrganisations,
  type Session,
  scopeOf,
  widestScope,
} from '../identity/index.ts';
import { emptyAtMs, findPayment, type Payment } from './payment.ts';
import type { PortalServices } from './services.ts';
import type { Viewer } from './ui/page.ts';

/** So many organisations stand in the menu; the others are found by searching. */
const mostOrganisations = 50;

/** @param payment of the person, where the page has found it already. */
export async function viewerOf(
  session: Session,
  services: PortalServices,
  payment: Payment | Promise<Payment> = findPayment(session.user, services),
): Promise<Viewer> {
  const { user, view } = session;
  const administers = isAtLeast(user.role, 'department_admin');
  const scope = scopeOf(user, view);
  const isWide = administers && view.adminMode && widestScope(user).whose === 'everybody';
  const [paid, looked, choices] = await Promise.all([
    payment,
    findLookedAt(session, scope, services),
    isWide ? listOrganisations(widestScope(user), services.storage.db, { limit: mostOrganisations + 1 }) : [],
  ]);
  const chosenId = scope.whose === 'organisation' ? scope.organisationId : null;
  return {
    email: user.email,
    ...(user.name !== '' && { name: user.name }),
    organisation: (scope.whose === 'person' ? paid.organisation : looked)?.name ?? null,
    ...(isWide && {
      organisations: [
        choiceOf(null, chosenId),
        ...choices.slice(0, mostOrganisations).map((each) => choiceOf(each, chosenId)),
      ],
      hasMoreOrganisations: choices.length > mostOrganisations,
    }),
    balance: balanceOf(paid, services.clock.nowMs()),
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

function findLookedAt({ user }: Session, scope: Scope, { storage }: PortalServices) {
  if (scope.whose === 'everybody' || scope.whose === 'person') return undefined;
  const { organisationId } = scope;
  return findOrganisation(widestScope(user), storage.db, organisationId);
}

/** Null where nobody pays, or somebody else. Whole days, parts of one are dropped. */
function balanceOf(payment: Payment, nowMs: number): Viewer['balance'] {
  if (payment.by !== 'themself') return null;
  const atMs = emptyAtMs(payment, nowMs);
  return {
    nanoUsd: payment.availableNanoUsd,
    daysLeft: atMs === null || atMs <= nowMs ? null : Math.floor((atMs - nowMs) / 86_400_000),
  };
}
