/** Another password: by a link from a mail for who has lost theirs, and for who is signed in. */
import { and, eq, isNull, sql } from 'drizzle-orm';
import { z } from 'zod';
import { checkFields, fieldError } from '../base/field-check.ts';
import type { PersonScope } from '../base/scope.ts';
import { users } from '../storage/schema/identity.ts';
import { transact, type Work, type WorkParts } from '../storage/work.ts';
import { tellOfAccount } from './account-events.ts';
import { type Admission, admit } from './admission.ts';
import {
  findTokenHolder,
  issueToken,
  type OneTimeToken,
  redeemToken,
  type TokenHolder,
  withdrawTokens,
} from './one-time-tokens.ts';
import { hashPassword, verifyPassword } from './passwords.ts';
import { disownRegistration, isOnlyRegistered, markVerified } from './registration.ts';
import { endSessionsOfUser, type SessionStart } from './sessions.ts';
import { giveBack, take } from './throttle.ts';
import { aboutPerson, readUser, type User, userTopic } from './user.ts';
import { findUserByEmail, newPasswordField } from './users.ts';

const newPassword = z.object({ password: newPasswordField });

/** Writes what belongs in the same work, such as the mail that tells of it. */
type Alongside = (work: Work, user: User) => Promise<void>;

/** @returns undefined for an address that nobody has. */
export async function requestReset(
  work: Work,
  email: string,
): Promise<{ readonly user: User; readonly reset: OneTimeToken } | undefined> {
  const user = await findUserByEmail(work.executor, email);
  if (user === undefined) return undefined;
  return { user, reset: await issueToken(work, 'reset_password', user.id, { email: user.email }) };
}

/** Whose password a link would reset, without using it up. */
export async function findReset(parts: WorkParts, secret: string): Promise<User | undefined> {
  const sought = { secret, nowMs: parts.clock.nowMs() };
  const holder = await findTokenHolder(parts.storage.db, 'reset_password', sought);
  return isOfTheirAddress(holder) ? holder.user : undefined;
}

export interface PasswordReset {
  readonly secret: string;
  readonly password: string;
  readonly start: SessionStart;
  /** Whose host the link was followed at: an account that was only registered belongs there from then on. */
  readonly organisationId?: number | null;
}

/** Writes what belongs to a reset. @param isDisowned whether what was registered before is forgotten. */
type AlongsideReset = (work: Work, user: User, isDisowned: boolean) => Promise<void>;

/**
 * Ends all sessions and signs the person in. The link came to their address, which is verified by it.
 * @returns undefined when the link is unknown, used or over; nothing is hashed then.
 * @throws AppError `validation_failed` for a password that may not be one; the link stays good.
 */
export async function resetPassword(
  parts: WorkParts,
  { secret, password, start, organisationId = null }: PasswordReset,
  alongside: AlongsideReset,
): Promise<Admission | undefined> {
  if ((await findReset(parts, secret)) === undefined) return undefined;
  checkFields(newPassword, { password });
  const passwordHash = await hashPassword(password);
  const admission = await transact(parts, async (work) => {
    const holder = await redeemToken(work, 'reset_password', secret);
    if (!isOfTheirAddress(holder)) return undefined;
    const userId = holder.user.id;
    await work.executor.update(users).set({ passwordHash }).where(eq(users.id, userId));
    const isDisowned = isOnlyRegistered(holder.user);
    if (isDisowned) await disownRegistration(work, holder.user, { organisationId, name: '' });
    const user = { ...(await markVerified(work, holder.user)), hasPassword: true };
    await endSessionsOfUser(work, userId);
    for (const purpose of worthlessAfterReset) await withdrawTokens(work, purpose, userId);
    work.note(aboutPerson(userId, 'account.password_reset'));
    await tellOfAccount(work, 'account.password_reset', userId);
    await alongside(work, user, isDisowned);
    return await admit(work, user, start);
  });
  if (admission !== undefined) await giveBack(parts, 'sign-in of account', admission.user.email);
  return admission;
}

/** All that somebody else may have begun. */
const worthlessAfterReset = [
  'reset_password',
  'sign_in',
  'second_factor',
  'handoff',
  'change_email',
] as const;

export interface PasswordChange {
  /** The one until now; not asked of a person who has none. */
  readonly currentPassword: string | undefined;
  readonly password: string;
  /** Of the session that goes on; all others end. */
  readonly sessionToken: string;
}

/**
 * @throws AppError `validation_failed` with the field at fault, `current_password` among them; `rate_limited`, since who
 *   sits at somebody's open session must not guess either.
 */
export async function changePassword(
  { userId }: PersonScope,
  parts: WorkParts,
  { currentPassword, password, sessionToken }: PasswordChange,
  alongside: Alongside,
): Promise<void> {
  const isThere = and(eq(users.id, userId), isNull(users.removedAt));
  const [row] = await parts.storage.db.select().from(users).where(isThere);
  if (row === undefined) throw wrongPassword();
  checkFields(newPassword, { password });
  const { passwordHash: oldHash } = row;
  if (oldHash !== null) {
    await take(parts, 'proof of account', String(userId));
    if (!(await verifyPassword(currentPassword ?? '', oldHash))) throw wrongPassword();
    await giveBack(parts, 'proof of account', String(userId));
  }
  const passwordHash = await hashPassword(password);
  await transact(parts, async (work) => {
    // Changed since by somebody else, such as by a reset: then the password that was given is not theirs any more. Or they
    // are gone, and no password may stand there after that.
    const [changed] = await work.executor
      .update(users)
      .set({ passwordHash })
      .where(and(isThere, sql`${users.passwordHash} IS NOT DISTINCT FROM ${oldHash}`))
      .returning();
    if (changed === undefined) throw wrongPassword();
    await endSessionsOfUser(work, userId, sessionToken);
    await withdrawTokens(work, 'reset_password', userId);
    // What the old password began: a code that is still to come would make a session of it.
    await withdrawTokens(work, 'second_factor', userId);
    await alongside(work, readUser(changed));
    work.announce(userTopic, String(userId));
    work.note(aboutPerson(userId, 'account.password_changed'));
    await tellOfAccount(work, 'account.password_changed', userId);
  });
}

function isOfTheirAddress(holder: TokenHolder | undefined): holder is TokenHolder {
  return holder !== undefined && holder.detail['email'] === holder.user.email;
}

function wrongPassword() {
  return fieldError([{ loc: ['current_password'], msg: 'is not right', type: 'wrong' }]);
}
