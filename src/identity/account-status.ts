/** Suspending an account, closing it, and opening it again. */
import { eq } from 'drizzle-orm';
import { AppError } from '../base/errors.ts';
import type { Scope } from '../base/scope.ts';
import type { Executor } from '../storage/database.ts';
import { users } from '../storage/schema/identity.ts';
import { takeLock, type Work } from '../storage/work.ts';
import {
  findClosingObstacle,
  isLastOwner,
  leavingLock,
  lockAccount,
  obstacleSentences,
  type RemovalObstacle,
} from './account-removal.ts';
import { revokeKeysOf } from './keys.ts';
import { aboutPerson, type User, type UserStatus, userTopic } from './user.ts';

export interface StatusChange {
  readonly userId: number;
  readonly status: Exclude<UserStatus, 'unverified'>;
}

/**
 * Suspended, the account's keys are refused until it is opened again; archived, they are revoked for good. Nothing else
 * of it goes, and whoever signs in sees which it is. Opened again, one whose address was never shown to be theirs waits
 * for that as before.
 * @returns who it is now; one that is so already is left as it is.
 * @throws AppError `not_found` outside the scope; `conflict` for the last platform owner, and for closing the account
 *   of who pays for others.
 */
export async function changeAccountStatus(
  scope: Scope,
  work: Work,
  { userId, status }: StatusChange,
): Promise<User> {
  const { executor } = work;
  await takeLock(work, leavingLock);
  const user = await lockAccount(scope, executor, userId);
  const to: UserStatus = status === 'active' && user.emailVerifiedAt === null ? 'unverified' : status;
  if (to === user.status) return user;
  await requireMayLeave(work, user, to);
  await executor.update(users).set({ status: to }).where(eq(users.id, userId));
  if (to === 'archived') await revokeKeysOf(work, userId);
  work.note(aboutPerson(userId, 'account.status_changed', { status: { from: user.status, to } }));
  work.announce(userTopic, String(userId));
  return { ...user, status: to };
}

async function requireMayLeave({ executor }: Work, user: User, to: UserStatus): Promise<void> {
  const obstacle = await findObstacle(executor, user, to);
  if (obstacle === undefined) return;
  throw new AppError({ code: 'conflict', public: `The account ${obstacleSentences[obstacle]}.` });
}

async function findObstacle(
  executor: Executor,
  user: User,
  to: UserStatus,
): Promise<RemovalObstacle | undefined> {
  switch (to) {
    case 'archived':
      return await findClosingObstacle(executor, user);
    case 'suspended':
      return (await isLastOwner(executor, user)) ? 'last_owner' : undefined;
    case 'active':
    case 'unverified':
      return undefined;
  }
}
