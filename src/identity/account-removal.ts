/** Removing an account for good: what is personal goes, and what was paid stays under a name that means nobody. */
import { and, eq, isNull, ne, or, sql } from 'drizzle-orm';
import { AppError } from '../base/errors.ts';
import type { Scope } from '../base/scope.ts';
import { type AuditNote, eraseFromTrail } from '../storage/audit-trail.ts';
import type { Executor } from '../storage/database.ts';
import { apiKeys } from '../storage/schema/api-keys.ts';
import { budgets } from '../storage/schema/budgets.ts';
import { dataExports } from '../storage/schema/exports.ts';
import { invites, organisations, projectMembers, users } from '../storage/schema/identity.ts';
import {
  legalAcceptances,
  linkedIdentities,
  oneTimeTokens,
  passkeys,
  recoveryCodes,
  sessions,
  totpSecrets,
} from '../storage/schema/sign-in.ts';
import { peopleWithin } from '../storage/within-scope.ts';
import { takeLock, type Work } from '../storage/work.ts';
import { isAtLeast } from './roles.ts';
import { aboutPerson, organisationTopic, readUser, type User, userTopic } from './user.ts';

/** What has to be done first. */
export type RemovalObstacle =
  /** Nobody else owns the platform. */
  | 'last_owner'
  /** Their wallet pays for others of their organisation. */
  | 'pays_for_others'
  /** The configuration file names the account, and would make it anew or miss it at the next start. */
  | 'declared';

/** The lock under which somebody leaves, in whatever way: of two owners who go at once, the second sees that they are the last. */
export const leavingLock = 'removal of an account';

export const obstacleSentences: Readonly<Record<RemovalObstacle, string>> = {
  last_owner: 'is of the last platform owner: make somebody else one first',
  pays_for_others: 'pays for others of the organisation: name another who pays first',
  declared: 'is named in the configuration file: remove it there first',
};

/** What a room beside this one keeps of a person. Whoever is above the rooms says which do. */
export interface KeptElsewhere {
  /** Locks what others lock before an account. */
  hold?(work: Work, userId: number): Promise<void>;
  forget(work: Work, person: Pick<User, 'id' | 'email'>): Promise<void>;
}

export interface Removal {
  readonly userId: number;
  /** As whoever asks typed it. */
  readonly typedEmail: string;
  readonly actor: Pick<User, 'id' | 'role'>;
  /** Held and forgotten in this order. */
  readonly keptElsewhere: readonly KeptElsewhere[];
}

/**
 * Takes away the person's name and address, their ways in, sessions, keys, identities, acceptances and invitations, and
 * what is personal in the audit trail. The row stays under a random name, since wallets, journals and requests are its:
 * requests under way are still paid for. It signs nobody in, and nobody can have its address.
 * @returns who it was, for the mail that says so.
 * @throws AppError `not_found` outside the scope; `not_allowed` for a peer or a superior; `validation_failed` for another
 *   address than theirs; `conflict` with a field whose type is the obstacle.
 */
export async function removeAccount(scope: Scope, work: Work, removal: Removal): Promise<User> {
  const { executor, clock, ids } = work;
  const { userId, typedEmail, actor, keptElsewhere } = removal;
  await takeLock(work, leavingLock);
  for (const kept of keptElsewhere) await kept.hold?.(work, userId);
  const user = await lockAccount(scope, executor, userId);
  requireAbove(actor, user);
  if (typedEmail.trim().toLowerCase() !== user.email) {
    throw refusal('validation_failed', 'other_email', 'is not the address of this account');
  }
  const obstacle = await findRemovalObstacle(executor, user);
  if (obstacle !== undefined) throw refusal('conflict', obstacle, obstacleSentences[obstacle]);
  const inviteIds = await removeWhatIsTheirs(work, user);
  for (const kept of keptElsewhere) await kept.forget(work, user);
  await executor
    .update(users)
    .set({
      email: `${Buffer.from(ids.randomBytes(16)).toString('hex')}@removed.invalid`,
      ...{ name: '', displayName: {}, language: null, passwordHash: null, emailVerifiedAt: null },
      ...{ role: 'member', status: 'archived', lastSignedInAt: null, removedAt: new Date(clock.nowMs()) },
      ...{ organisationId: null, departmentId: null },
    })
    .where(eq(users.id, userId));
  await eraseFromTrail(executor, { userIds: [userId], inviteIds });
  work.note({ ...aboutPerson(userId, 'account.deleted'), owner: placeOf(user) });
  work.announce(userTopic, String(userId));
  return user;
}

/** Where the trail of an account that is gone is looked for: with who looked after it, or with nobody. */
function placeOf({ id, organisationId, departmentId }: User): AuditNote['owner'] {
  if (departmentId !== null) return { kind: 'department', id: departmentId };
  return organisationId === null ? { kind: 'person', id } : { kind: 'organisation', id: organisationId };
}

/** As it is now, and stays until the work ends. @throws AppError `not_found` outside the scope. */
export async function lockAccount(scope: Scope, executor: Executor, userId: number): Promise<User> {
  const [row] = await executor
    .select()
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.removedAt), peopleWithin(scope)))
    .for('update');
  if (row === undefined) throw new AppError({ code: 'not_found', public: 'There is no such account.' });
  return readUser(row);
}

/** Undefined where nothing is in the way of removing the account. */
export async function findRemovalObstacle(
  executor: Executor,
  user: User,
): Promise<RemovalObstacle | undefined> {
  return (await isNamedByFile(executor, user)) ? 'declared' : await findClosingObstacle(executor, user);
}

/** Whether the configuration file names the address of the account: as a person, as the owner of a key, or of a budget. */
export async function isNamedByFile(
  executor: Executor,
  { id, managedBy }: Pick<User, 'id' | 'managedBy'>,
): Promise<boolean> {
  if (managedBy !== null) return true;
  const { rows } = await executor.execute<{ named: boolean }>(sql`
    SELECT EXISTS (SELECT FROM ${apiKeys} WHERE owner_id = ${id} AND managed_by = 'file')
      OR EXISTS (SELECT FROM ${budgets}
        WHERE subject_kind = 'user' AND subject_id = ${id} AND managed_by = 'file') AS named`);
  return rows[0]?.named === true;
}

/** Undefined where nothing is in the way of closing the account. */
export async function findClosingObstacle(
  executor: Executor,
  user: User,
): Promise<Exclude<RemovalObstacle, 'declared'> | undefined> {
  if (await isLastOwner(executor, user)) return 'last_owner';
  return (await paysForOthers(executor, user)) ? 'pays_for_others' : undefined;
}

/** Whether nobody else could run the platform. */
export async function isLastOwner(executor: Executor, { id, role }: User): Promise<boolean> {
  if (role !== 'platform_owner') return false;
  const isOther = and(eq(users.role, 'platform_owner'), eq(users.status, 'active'), ne(users.id, id));
  const others = await executor.select({ id: users.id }).from(users).where(isOther).limit(1);
  return others.length === 0;
}

async function paysForOthers(executor: Executor, { id, organisationId }: User): Promise<boolean> {
  if (organisationId === null) return false;
  const paidFor = await executor
    .select({ id: users.id })
    .from(users)
    .innerJoin(organisations, eq(organisations.id, users.organisationId))
    .where(and(eq(organisations.billingUserId, id), ne(users.id, id)))
    .limit(1);
  return paidFor.length > 0;
}

/** @returns the ids of the invitations that are gone. */
async function removeWhatIsTheirs(
  { executor, announce }: Work,
  { id, email }: User,
): Promise<readonly number[]> {
  const paysFor = await executor
    .update(organisations)
    .set({ billingUserId: null })
    .where(eq(organisations.billingUserId, id))
    .returning({ id: organisations.id });
  for (const organisation of paysFor) announce(organisationTopic, String(organisation.id));
  await executor.delete(apiKeys).where(eq(apiKeys.ownerId, id));
  await executor.delete(projectMembers).where(eq(projectMembers.userId, id));
  const gone = await executor
    .delete(invites)
    .where(
      or(
        eq(invites.email, email),
        eq(invites.acceptedBy, id),
        and(eq(invites.invitedBy, id), eq(invites.status, 'pending')),
      ),
    )
    .returning({ id: invites.id });
  await executor.update(invites).set({ invitedBy: null }).where(eq(invites.invitedBy, id));
  const ofPerson = [
    ...[sessions, oneTimeTokens, linkedIdentities, totpSecrets],
    ...[recoveryCodes, passkeys, legalAcceptances, dataExports],
  ];
  for (const table of ofPerson) await executor.delete(table).where(eq(table.userId, id));
  return gone.map((invite) => invite.id);
}

/** Everybody may remove themself; others only who stands above them. */
function requireAbove(actor: Removal['actor'], user: User): void {
  if (actor.id === user.id) return;
  if (isAtLeast(actor.role, 'org_admin') && !isAtLeast(user.role, actor.role)) return;
  throw new AppError({ code: 'not_allowed', public: 'Your role does not allow to remove this account.' });
}

const refusal = (code: 'conflict' | 'validation_failed', type: string, msg: string) =>
  new AppError({
    code,
    public: `The account ${msg}.`,
    param: 'email',
    fields: [{ loc: ['email'], msg, type }],
  });
