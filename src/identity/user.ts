/** A person with an account. */
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
  readonly billingExempt: boolean;
  readonly hasPassword: boolean;
  readonly managedBy: string | null;
  readonly createdAt: Date;
}

/** @throws Error for a role or status that this version does not know: nobody may act under a guess. */
export function readUser(row: typeof users.$inferSelect): User {
  const role = userRoles.find((known) => known === row.role);
  const status = userStatuses.find((known) => known === row.status);
  if (role === undefined || status === undefined) {
    throw new Error(`user ${row.id} has the unknown role ${row.role} or status ${row.status}`);
  }
  const { id, email, name, billingExempt, passwordHash, managedBy, createdAt } = row;
  return {
    id,
    email,
    name,
    role,
    status,
    billingExempt,
    hasPassword: passwordHash !== null,
    managedBy,
    createdAt,
  };
}

/** The topic of the change feed for whatever becomes of a person; its key is their id. */
export const userTopic = 'user';
