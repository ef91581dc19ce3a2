/** A person with an account. */
import type { AuditAction, AuditDetails, AuditNote } from '../storage/audit-trail.ts';
import type { users } from '../storage/schema/identity.ts';

/** High to low. */
export const userRoles = [
  'platform_owner',
  'platform_admin',
  'org_owner',
  'org_admin',
  'department_admin',
  'member',
] as const;
export type UserRole = (typeof userRoles)[number];

export const userStatuses = ['active', 'unverified', 'suspended', 'archived'] as const;
export type UserStatus = (typeof userStatuses)[number];

export interface User {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly role: UserRole;
  readonly status: UserStatus;
  /** One of the portal's languages; null takes the browser's. */
  readonly language: string | null;
  /** When the address was last shown to be theirs; null before. */
  readonly emailVerifiedAt: Date | null;
  /** Null for people who came by themselves and belong to nobody's organisation. */
  readonly organisationId: number | null;
  readonly departmentId: number | null;
  readonly billingExempt: boolean;
  /** Limits over all of the person's keys: null is unlimited. */
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly concurrentRequests: number | null;
  readonly hasPassword: boolean;
  readonly managedBy: string | null;
  readonly lastSignedInAt: Date | null;
  readonly createdAt: Date;
}

/** @throws Error for a role or status that this version does not know: nobody may act under a guess. */
export function readUser(row: typeof users.$inferSelect): User {
  const role = readRole(row.role);
  const status = userStatuses.find((known) => known === row.status);
  if (role === undefined || status === undefined) {
    throw new Error(`user ${row.id} has the unknown role ${row.role} or status ${row.status}`);
  }
  const { passwordHash, displayName: _displayName, removedAt: _removedAt, ...shown } = row;
  return { ...shown, role, status, hasPassword: passwordHash !== null };
}

/** Undefined for one that this version does not know. */
export const readRole = (text: string): UserRole | undefined => userRoles.find((known) => known === text);

/** The topic of the change feed for whatever becomes of a person; its key is their id. */
export const userTopic = 'user';

/** The topic for what becomes of an organisation that its people's keys depend on, such as who pays. */
export const organisationTopic = 'organisation';

/** What the audit trail is told of a person who is what was changed, and whose account it is. */
export function aboutPerson(userId: number, action: AuditAction, details: AuditDetails = {}): AuditNote {
  const person = { kind: 'person', id: userId } as const;
  return { action, subject: person, owner: person, details };
}
