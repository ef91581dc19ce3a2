/** An account that somebody makes for themself, and showing that its e-mail address is theirs. */
import { and, eq, sql } from 'drizzle-orm';
import { z } from 'zod';
import { checkFields, fieldError, nameField } from '../base/field-check.ts';
import type { Executor } from '../storage/database.ts';
import { users } from '../storage/schema/identity.ts';
import { legalAcceptances, oneTimeTokens } from '../storage/schema/sign-in.ts';
import { transact, type Work, type WorkParts } from '../storage/work.ts';
import { tellOfNewAccount } from './account-events.ts';
import { acceptInvite, requireInvite } from './invites.ts';
import { acceptLegal } from './legal.ts';
import { issueToken, type OneTimeToken, redeemToken } from './one-time-tokens.ts';
import { hashPassword } from './passwords.ts';
import { hashToken } from './token.ts';
import { aboutPerson, readUser, type User, userTopic } from './user.ts';
import { emailField, findUserByEmail, newPasswordField } from './users.ts';

const registrationFields = z.object({
  email: emailField,
  password: newPasswordField,
  name: nameField,
  /** Of the portal's languages, which the portal knows. */
  language: z.string().max(10).nullable(),
  /** Of the terms that the person agreed to. */
  legalVersion: z.string().min(1).max(50),
  /** Of an invitation that the person follows. */
  invite: z.string().max(100).optional(),
});

export interface Registration extends z.input<typeof registrationFields> {
  /** Where people of this portal's host belong; null for the house's own. */
  readonly organisationId: number | null;
}

export type Registered =
  | { readonly outcome: 'registered'; readonly user: User; readonly verification: OneTimeToken }
  /** By an invitation, which came by mail: the address is theirs. */
  | { readonly outcome: 'joined'; readonly user: User }
  /** Whoever owns the address is told by mail, and whoever asks nothing. */
  | { readonly outcome: 'taken'; readonly user: User };

/**
 * Hashes the password whether or not the address is taken, and before the transaction, which nobody may hold open for
 * as long as that takes.
 * @param alongside writes what belongs in the same work, such as the mail.
 * @throws AppError `validation_failed`, also for an invitation that does not work or is for another address.
 */
export async function register(
  parts: WorkParts,
  { organisationId, ...fields }: Registration,
  alongside: (work: Work, registered: Registered) => Promise<void>,
): Promise<Registered> {
  const { password, legalVersion, invite, ...person } = checkFields(registrationFields, fields);
  const passwordHash = await hashPassword(password);
  // An invitation says itself where somebody belongs.
  const place = invite === undefined ? organisationId : null;
  return transact(parts, async (work) => {
    // Before anything is known of the address, so that a wrong one is answered alike whether or not it is taken.
    if (invite !== undefined) await requireInvite(work, invite, person.email);
    const [row] = await work.executor
      .insert(users)
      .values({ ...person, passwordHash, organisationId: place, role: 'member', status: 'unverified' })
      .onConflictDoNothing({ target: users.email })
      .returning();
    const registered =
      row === undefined
        ? await findTaken(work.executor, person.email)
        : await welcome(work, readUser(row), { legalVersion, invite });
    await alongside(work, registered);
    return registered;
  });
}

async function welcome(
  work: Work,
  user: User,
  { legalVersion, invite }: { legalVersion: string; invite: string | undefined },
): Promise<Registered> {
  work.note({
    ...aboutPerson(user.id, 'account.created', { role: user.role }),
    subject: { kind: 'person', id: user.id, label: user.email },
  });
  await acceptLegal({ whose: 'person', userId: user.id }, work, legalVersion);
  if (invite !== undefined) return { outcome: 'joined', user: await acceptInvite(work, invite, user) };
  return { outcome: 'registered', user, verification: await issueVerification(work, user) };
}

async function findTaken(executor: Executor, email: string): Promise<Registered> {
  const user = await findUserByEmail(executor, email);
  if (user === undefined) {
    // Whoever had the address was deleted between the two looks at it.
    throw fieldError([{ loc: ['email'], msg: 'could not be taken just now; try again', type: 'taken' }]);
  }
  return { outcome: 'taken', user };
}

/** @returns undefined where there is nothing to verify: for an address that nobody has, or that is verified. */
export async function requestVerification(
  work: Work,
  email: string,
): Promise<{ readonly user: User; readonly verification: OneTimeToken } | undefined> {
  const user = await findUserByEmail(work.executor, email);
  if (user === undefined || user.emailVerifiedAt !== null) return undefined;
  return { user, verification: await issueVerification(work, user) };
}

/** The address stands in the token: one that was sent to another address verifies nothing. */
function issueVerification(work: Work, user: User): Promise<OneTimeToken> {
  return issueToken(work, 'verify_email', user.id, { email: user.email });
}

export interface Verification {
  readonly user: User;
  /** Whether the address is verified already, be it by this very link: many links are opened twice. */
  readonly isDone: boolean;
}

/** What a link from a mail is about, without using it up; undefined when it is unknown or over. */
export async function findVerification(
  executor: Executor,
  { secret, nowMs }: { readonly secret: string; readonly nowMs: number },
): Promise<Verification | undefined> {
  const [found] = await executor
    .select()
    .from(oneTimeTokens)
    .innerJoin(users, eq(users.id, oneTimeTokens.userId))
    .where(and(eq(oneTimeTokens.tokenHash, hashToken(secret)), eq(oneTimeTokens.purpose, 'verify_email')));
  if (found === undefined) return undefined;
  const user = readUser(found.users);
  const { detail, usedAt, expiresAt } = found.one_time_tokens;
  if (detail['email'] !== user.email) return undefined;
  if (user.emailVerifiedAt !== null) return { user, isDone: true };
  return usedAt === null && expiresAt.getTime() > nowMs ? { user, isDone: false } : undefined;
}

/** @returns undefined when the link is unknown or over; otherwise what it was about when it was followed. */
export async function verifyEmail(work: Work, secret: string): Promise<Verification | undefined> {
  const verification = await findVerification(work.executor, { secret, nowMs: work.clock.nowMs() });
  if (verification === undefined || verification.isDone) return verification;
  const holder = await redeemToken(work, 'verify_email', secret);
  return holder && { user: await markVerified(work, holder.user), isDone: false };
}

/** Whether nobody has confirmed its address, and nobody who administers people has given it a role. */
export function isOnlyRegistered({ emailVerifiedAt, role }: Pick<User, 'emailVerifiedAt' | 'role'>): boolean {
  return emailVerifiedAt === null && role === 'member';
}

/**
 * Whoever registered an address that nobody has confirmed yet may be a stranger: they chose the name and accepted the
 * terms, and the host that they chose said where the account belongs. All that is for who shows now that the address is
 * theirs. Budgets that came with the place are the ledger's to take back.
 */
export async function disownRegistration(
  { executor, note }: Work,
  { id, organisationId }: Pick<User, 'id' | 'organisationId'>,
  anew: { readonly organisationId: number | null; readonly name: string },
): Promise<void> {
  await executor
    .update(users)
    .set({ ...anew, departmentId: null })
    .where(eq(users.id, id));
  await executor.delete(legalAcceptances).where(eq(legalAcceptances.userId, id));
  if (organisationId !== anew.organisationId) note(aboutPerson(id, 'account.moved'));
}

/** An account that waited for this becomes active; one that is suspended or archived stays so. */
export async function markVerified(work: Work, user: User): Promise<User> {
  const emailVerifiedAt = new Date(work.clock.nowMs());
  // Of the status that it has by now: somebody may have been suspended since they were read.
  const status = sql<string>`CASE ${users.status} WHEN 'unverified' THEN 'active' ELSE ${users.status} END`;
  const [row] = await work.executor
    .update(users)
    .set({ emailVerifiedAt, status })
    .where(eq(users.id, user.id))
    .returning();
  work.announce(userTopic, String(user.id));
  if (user.emailVerifiedAt === null) work.note(aboutPerson(user.id, 'account.verified'));
  if (row === undefined) return user;
  if (user.status === 'unverified') await tellOfNewAccount(work, row);
  return readUser(row);
}
