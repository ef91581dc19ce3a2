/** What a role may do to whom: the order of roles, and the rules of changing people that follow from it. */
import type { Scope } from '../base/scope.ts';
import { type User, type UserRole, userRoles } from './user.ts';

/** Whether the first is the second, or above it. */
export function isAtLeast(role: UserRole, least: UserRole): boolean {
  return userRoles.indexOf(role) <= userRoles.indexOf(least);
}

/** Nobody grants what is above themself. */
export function mayGrant(actor: Pick<User, 'role'>, role: UserRole): boolean {
  return isAtLeast(actor.role, 'department_admin') && isAtLeast(actor.role, role);
}

/** What an admin looks at, as their session keeps it. */
export interface AdminView {
  /** False shows an admin their own things, like anybody. */
  readonly adminMode: boolean;
  /** Narrows to one organisation; null is everything that the role may see. */
  readonly organisationId: number | null;
}

type Placed = Pick<User, 'id' | 'role' | 'organisationId' | 'departmentId'>;

/** All that somebody may see. An admin who belongs to no organisation, or to no department, sees their own alone. */
export function widestScope({ id, role, organisationId, departmentId }: Placed): Scope {
  if (isAtLeast(role, 'platform_admin')) return { whose: 'everybody' };
  if (organisationId !== null && isAtLeast(role, 'org_admin'))
    return { whose: 'organisation', organisationId };
  if (organisationId !== null && departmentId !== null && isAtLeast(role, 'department_admin')) {
    return { whose: 'department', organisationId, departmentId };
  }
  return { whose: 'person', userId: id };
}

/** What somebody sees in a session: never more than their role allows, whatever the session says. */
export function scopeOf(user: Placed, { adminMode, organisationId }: AdminView): Scope {
  if (!adminMode) return { whose: 'person', userId: user.id };
  const widest = widestScope(user);
  if (widest.whose !== 'everybody' || organisationId === null) return widest;
  return { whose: 'organisation', organisationId };
}
