/** An invitation as people see it, and where it may put somebody. The token is not part of it: it is in the mail alone. */
import { desc, eq, type SQL } from 'drizzle-orm';
import type { Scope } from '../base/scope.ts';
import type { Executor } from '../storage/database.ts';
import { departments, invites, organisations, users } from '../storage/schema/identity.ts';
import { findOrganisation, listDepartments } from './organisations.ts';
import { type UserRole, userRoles } from './user.ts';

export type InviteState = 'pending' | 'over' | 'accepted' | 'revoked';

export interface Invite {
  readonly id: number;
  readonly email: string;
  readonly role: UserRole;
  readonly state: InviteState;
  readonly organisationId: number | null;
  readonly organisationName: string | null;
  readonly departmentId: number | null;
  readonly departmentName: string | null;
  /** Null once the person is gone. */
  readonly invitedBy: number | null;
  readonly inviterName: string | null;
  readonly expiresAt: Date;
  readonly createdAt: Date;
}

/** Newest first. */
export async function selectInvites(
  executor: Executor,
  nowMs: number,
  { condition, limit }: { readonly condition: SQL | undefined; readonly limit: number },
): Promise<Invite[]> {
  const rows = await executor
    .select({
      invite: invites,
      organisationName: organisations.name,
      departmentName: departments.name,
      inviterName: users.name,
      inviterEmail: users.email,
    })
    .from(invites)
    .leftJoin(organisations, eq(organisations.id, invites.organisationId))
    .leftJoin(departments, eq(departments.id, invites.departmentId))
    .leftJoin(users, eq(users.id, invites.invitedBy))
    .where(condition)
    .orderBy(desc(invites.id))
    .limit(limit);
  return rows.map(({ invite, organisationName, departmentName, inviterName, inviterEmail }) => ({
    id: invite.id,
    email: invite.email,
    role: readRole(invite.role),
    state: stateOf(invite, nowMs),
    organisationId: invite.organisationId,
    organisationName,
    departmentId: invite.departmentId,
    departmentName,
    invitedBy: invite.invitedBy,
    inviterName: inviterName || inviterEmail,
    expiresAt: invite.expiresAt,
    createdAt: invite.createdAt,
  }));
}

function stateOf({ status, expiresAt }: typeof invites.$inferSelect, nowMs: number): InviteState {
  if (status === 'accepted' || status === 'revoked') return status;
  return expiresAt.getTime() > nowMs ? 'pending' : 'over';
}

/** @throws Error for one that this version does not know: nobody may be given a guess. */
function readRole(role: string): UserRole {
  const known = userRoles.find((each) => each === role);
  if (known === undefined) throw new Error(`an invite has the unknown role ${role}`);
  return known;
}

export interface Place {
  readonly organisationId: number | null;
  readonly departmentId: number | null;
}

/** Without an organisation somebody belongs to nobody, which only platform admins may invite to. */
export async function isWithin(
  scope: Scope,
  executor: Executor,
  { organisationId, departmentId }: Place,
): Promise<boolean> {
  if (scope.whose === 'person') return false;
  if (organisationId === null) return scope.whose === 'everybody' && departmentId === null;
  if ((await findOrganisation(scope, executor, organisationId)) === undefined) return false;
  if (departmentId === null) return scope.whose !== 'department';
  const within = await listDepartments(scope, executor);
  return within.some(
    (department) => department.id === departmentId && department.organisationId === organisationId,
  );
}
