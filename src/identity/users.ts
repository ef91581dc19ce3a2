/** People: making them, finding them, and keeping those that the configuration file declares as it says. */
import { and, asc, eq, isNull, notInArray, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import { addressField, checkFields, fieldError, nameField } from '../base/field-check.ts';
import type { Scope } from '../base/scope.ts';
import type { Executor } from '../storage/database.ts';
import { users } from '../storage/schema/identity.ts';
import { legalAcceptances } from '../storage/schema/sign-in.ts';
import { peopleWithin } from '../storage/within-scope.ts';
import type { Work } from '../storage/work.ts';
import { tellOfNewAccount } from './account-events.ts';
import { limitField } from './key.ts';
import { findPasswordIssue, findPasswordProblem, hashPassword, verifyPassword } from './passwords.ts';
import { endSessionsOfUser } from './sessions.ts';
import {
  aboutPerson,
  readUser,
  type User,
  type UserStatus,
  userRoles,
  userStatuses,
  userTopic,
} from './user.ts';

/** By which an account is known. */
export const emailField = addressField.toLowerCase();

export const newPasswordField = z.string().superRefine((password, check) => {
  const problem = findPasswordProblem(password);
  const message = findPasswordIssue(password);
  if (message !== undefined) check.addIssue({ code: 'custom', message, params: { type: problem } });
});

const managedUserFields = z.object({
  email: emailField,
  name: nameField.optional(),
  password: newPasswordField.optional(),
  role: z.enum(userRoles, `must be one of ${userRoles.join(', ')}`),
  billingExempt: z.boolean().optional(),
  requestsPerMinute: limitField.optional(),
  tokensPerMinute: limitField.optional(),
  concurrentRequests: limitField.optional(),
});
const newUserFields = managedUserFields.extend({
  status: z.enum(userStatuses, `must be one of ${userStatuses.join(', ')}`).optional(),
});

export type ManagedUser = z.input<typeof managedUserFields>;
export type NewUser = z.input<typeof newUserFields>;

/** @throws AppError `validation_failed`, also when the address is taken. */
export async function createUser(work: Work, newUser: NewUser): Promise<User> {
  const { executor, clock } = work;
  const { password, ...fields } = checkFields(newUserFields, newUser);
  const passwordHash = password === undefined ? null : await hashPassword(password);
  const [row] = await executor
    .insert(users)
    .values({ ...fields, passwordHash, ...vouchedFor(fields.status, clock) })
    .onConflictDoNothing({ target: users.email })
    .returning();
  if (row === undefined) {
    throw fieldError([{ loc: ['email'], msg: 'belongs to another account', type: 'taken' }]);
  }
  await noteCreated(work, row);
  return readUser(row);
}

/** However an account came to be. */
export async function noteCreated(work: Work, row: typeof users.$inferSelect): Promise<void> {
  const { id, email, role } = row;
  const person = { kind: 'person', id } as const;
  const subject = { ...person, label: email };
  work.note({ action: 'account.created', subject, owner: person, details: { role } });
  await tellOfNewAccount(work, row);
}

/**
 * Makes the person as declared, or changes who has that address to it. What is not declared stays, the status too:
 * a restart must not undo a suspension. Another password or role ends the person's sessions; the same leaves them. Whoever
 * registered the address before and never showed that it is theirs may be anybody: the file vouches for the address, and
 * their name, password and sessions end. Budgets that came with the place are the ledger's to take back.
 * @returns whether the row is another one now, where nothing is announced otherwise, and whether it was such a stranger's.
 * @throws AppError `validation_failed`.
 */
export async function upsertManagedUser(
  work: Work,
  declared: ManagedUser,
): Promise<{ user: User; changed: boolean; isTakenOver: boolean }> {
  const { executor } = work;
  const { password, email, ...fields } = checkFields(managedUserFields, declared);
  const before = await findRow(executor, email);
  const isTakenOver = before?.emailVerifiedAt === null;
  const isSamePassword =
    password === undefined ||
    (!isTakenOver && (await verifyPassword(password, before?.passwordHash ?? null)));
  const values = {
    ...fields,
    managedBy: 'file',
    ...(!isSamePassword && { passwordHash: await hashPassword(password) }),
  };
  const [row] = await executor
    .insert(users)
    .values({ email, ...values, ...vouchedFor(undefined, work.clock) })
    .onConflictDoUpdate({ target: users.email, set: { ...takenOver(work.clock), ...values } })
    .returning();
  if (row === undefined) throw new Error('the upsert of a user returned nothing');
  if (before === undefined) await noteCreated(work, row);
  else if (before.role !== row.role) {
    work.note(aboutPerson(row.id, 'account.role_changed', { role: { from: before.role, to: row.role } }));
  }
  if (isTakenOver) {
    work.note(aboutPerson(row.id, 'account.verified'));
    await executor.delete(legalAcceptances).where(eq(legalAcceptances.userId, row.id));
  }
  if (before !== undefined && (!isSamePassword || isTakenOver || before.role !== row.role)) {
    await endSessionsOfUser(work, row.id);
  }
  // A start that changes nothing need not empty anybody's cache.
  const changed = !Bun.deepEquals(before, row);
  if (changed) work.announce(userTopic, String(row.id));
  return { user: readUser(row), changed, isTakenOver };
}

/**
 * Whom the file declared at an earlier start and does not now: the account stays as it is, and is its person's own to
 * change and to remove.
 * @returns whether there was anybody.
 */
export async function releaseUndeclaredUsers(work: Work, declaredIds: readonly number[]): Promise<boolean> {
  const released = await work.executor
    .update(users)
    .set({ managedBy: null })
    .where(and(eq(users.managedBy, 'file'), notInArray(users.id, [...declaredIds])))
    .returning({ id: users.id });
  for (const { id } of released) work.announce(userTopic, String(id));
  return released.length > 0;
}

export async function findUser(scope: Scope, executor: Executor, userId: number): Promise<User | undefined> {
  const [row] = await executor
    .select()
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.removedAt), peopleWithin(scope)));
  return row && readUser(row);
}

/** Whoever makes an account that is not to be verified says that the address is right. */
function vouchedFor(status: UserStatus | undefined, clock: Clock): { emailVerifiedAt: Date | null } {
  return { emailVerifiedAt: status === 'unverified' ? null : new Date(clock.nowMs()) };
}

/**
 * What the file says of every account that it declares: that its address is right. A password that was set before
 * anybody showed that is a stranger's, and so are the name that they chose and the organisation that they registered at. A
 * suspension stays.
 */
function takenOver(clock: Clock) {
  const { emailVerifiedAt, name, passwordHash, organisationId, departmentId, status } = users;
  const onceShown = (column: PgColumn) =>
    sql`CASE WHEN ${emailVerifiedAt} IS NULL THEN NULL ELSE ${column} END`;
  const now = new Date(clock.nowMs()).toISOString();
  return {
    emailVerifiedAt: sql`coalesce(${emailVerifiedAt}, ${now}::timestamptz)`,
    name: sql`coalesce(${onceShown(name)}, '')`,
    passwordHash: onceShown(passwordHash),
    organisationId: onceShown(organisationId),
    departmentId: onceShown(departmentId),
    status: sql`CASE ${status} WHEN 'unverified' THEN 'active' ELSE ${status} END`,
  };
}

/** For telling who somebody is, which is before anything is known of what they may see. */
export async function findUserByEmail(executor: Executor, email: string): Promise<User | undefined> {
  // What cannot be an address nobody has, and a database refuses some of it.
  const { data: address } = emailField.safeParse(email);
  const row = address === undefined ? undefined : await findRow(executor, address);
  return row && readUser(row);
}

/** Oldest first. */
export async function listUsers(scope: Scope, executor: Executor): Promise<readonly User[]> {
  const rows = await executor
    .select()
    .from(users)
    .where(and(isNull(users.removedAt), peopleWithin(scope)))
    .orderBy(asc(users.id));
  return rows.map(readUser);
}

/** The platform owner who was there first; undefined before the first run. */
export async function findFirstOwner(executor: Executor): Promise<User | undefined> {
  const [row] = await executor
    .select()
    .from(users)
    .where(and(eq(users.role, 'platform_owner'), eq(users.status, 'active')))
    .orderBy(asc(users.id))
    .limit(1);
  return row && readUser(row);
}

async function findRow(executor: Executor, email: string): Promise<typeof users.$inferSelect | undefined> {
  const [row] = await executor.select().from(users).where(eq(users.email, email));
  return row;
}
